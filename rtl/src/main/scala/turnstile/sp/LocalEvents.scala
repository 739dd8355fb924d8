package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** The local events of a site in one stream, in front of the sP's FIFO: `events` of its units, the lowest number first, then stores
  * of aPs that nobody answered (event 104). No latency: an event is at `local` in the cycle in which it is offered, a store error
  * in the next.
  *
  * A store error is a pulse, so it is kept here until told: arg the address, meta `ap2[9:8] later16[31:16]`. While one of an aP
  * waits, further ones of that aP are counted in `later` (saturating), not told apart.
  */
class LocalEvents(sources: Int, aps: Int) extends Component {
  require(sources >= 1, s"LocalEvents: $sources sources, legal 1 or more")
  require(aps >= 1 && aps <= 4, s"LocalEvents: $aps aPs, legal 1 to 4")
  val io = new Bundle {
    val events = Vec.fill(sources)(slave(Stream(SiteEvent())))
    val storeError = Vec.fill(aps)(slave(Flow(UInt(32 bits))))
    val local = master(Stream(SiteEvent()))
  }
  private val storeErrors = for ((error, ap) <- io.storeError.zipWithIndex) yield {
    val waits = RegInit(False)
    val address = Reg(UInt(32 bits))
    val later = Reg(UInt(16 bits))
    val event = Stream(SiteEvent())
    event.valid := waits
    event.index := EventIndex.busError
    event.arg := address.asBits
    event.meta := later ## B(0, 6 bits) ## B(ap, 2 bits) ## B(0, 8 bits)
    when(event.fire)(waits := False)
    when(error.valid) {
      waits := True
      later := later + U(!later.andR)
      when(!waits || event.fire) {
        address := error.payload
        later := 0
      }
    }
    event
  }
  io.local << StreamArbiterFactory().lowerFirst.noLock.on(io.events ++ storeErrors)
}
