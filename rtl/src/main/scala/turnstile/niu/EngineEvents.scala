package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Keeps the engine's events until the local event FIFO takes them; an event shows the cycle after its push.
  *
  * Only the sP empties that FIFO, and the sP may wait for the engine in a launch, so the engine must never wait for it. When
  * `places` events wait, later ones are counted instead, and told as one event 106 in their place: arg that of the first of them,
  * meta how many (16 bits, saturating). Firmware that leaves no more than `places` commands that tell untaken never sees it.
  */
class EngineEvents(places: Int = 16) extends Component {
  val io = new Bundle {
    val push = slave(Flow(SiteEvent()))
    val event = master(Stream(SiteEvent()))
  }
  private val kept = StreamFifo(SiteEvent(), places, latency = 1)
  private val lost = Reg(UInt(16 bits)) init 0
  private val firstLost = Reg(Bits(32 bits))
  private val missing = lost =/= 0
  kept.io.push.valid := io.push.valid || missing
  kept.io.push.payload := io.push.payload
  when(missing) {
    kept.io.push.index := EventIndex.commandsUntold
    kept.io.push.arg := firstLost
    kept.io.push.meta := lost.asBits.resized
  }
  io.event << kept.io.pop

  private val told = missing && kept.io.push.ready
  // What ends while a loss waits to be told joins it, so that the order holds.
  private val loses = io.push.valid && (missing || !kept.io.push.ready)
  when(told)(lost := 0)
  when(loses) {
    lost := told ? U(1, 16 bits) | lost + U(!lost.andR)
    when(told || !missing)(firstLost := io.push.arg)
  }
}
