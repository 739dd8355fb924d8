package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract.{EventIndex, FirstOf, SiteEvent}

/** Water marks of the receive rings (VY-20, VY-37): whose senders are to be held, and when they may go on.
  *
  * A message that leaves a quarter of its ring unread, or more, is told with its source (event 108), each source once; the three quarters left
  * take what is on its way until the source's sP has held it. What comes while an event waits for the sP is not told: who goes on
  * sending is told then. The ring is *marked* from its first event until an eighth or less is unread, which is told too (event
  * 109), once; then all its sources are forgotten, one a cycle: until all are, one may be told again.
  *
  * An event is valid 3 cycles after `level`.
  */
class RingMarks extends Component {
  val io = new Bundle {
    val level = slave(Flow(RingLevel()))

    /** The levels of some rings are to be told now and then though nothing comes. */
    val marked = out(Bool())
    val event = master(Stream(SiteEvent()))
  }

  private val ring = io.level.stage()
  private val slots = U(1, 13 bits) |<< ring.log2
  private val above = RegNext((ring.unread << 2) >= slots) init False
  private val below = RegNext((ring.unread << 3) <= slots) init False
  private val judged = ring.stage()
  private val marked = Reg(Bits(8 bits)) init 0

  // A bit for each source of each ring.
  private val known = Mem(Bool(), 8 * 512)
  private val forgets = Reg(Bits(8 bits)) init 0xFF
  private val forgotten = Reg(UInt(9 bits)) init 0
  private val forgetting = OHToUInt(FirstOf(forgets))
  private val isKnown = known.readSync(ring.queue @@ ring.source) && !forgets(judged.queue)

  private val told = Flow(SiteEvent())
  private val fills = judged.valid && judged.came && above && !isKnown
  private val emptied = judged.valid && !judged.came && marked(judged.queue) && below
  told.valid := (fills || emptied) && !io.event.valid
  told.index := fills ? U(EventIndex.ringFills, 7 bits) | U(EventIndex.ringRead, 7 bits)
  told.arg := (U(1, 1 bits) @@ judged.queue).asBits.resized
  told.meta := fills ? judged.source.asBits.resize(32 bits) | B(0, 32 bits)
  io.event << told.toStream.halfPipe()
  when(told.valid)(marked(judged.queue) := fills)

  private val learns = told.valid && fills
  private val forget = forgets.orR && !learns
  known.write(learns ? (judged.queue @@ judged.source) | (forgetting @@ forgotten), learns, learns || forget)
  when(forget) {
    forgotten := forgotten + 1
    when(forgotten.andR)(forgets(forgetting) := False)
  }
  when(told.valid && emptied) {
    forgets(judged.queue) := True
    forgotten := 0
  }
  io.marked := marked.orR
}

/** A receive ring of 2^`log2` slots; `unread` of them, and the message that `came`. */
case class RingLevel() extends Bundle {
  val queue = UInt(3 bits)
  val source = UInt(9 bits)
  val unread = UInt(13 bits)
  val log2 = UInt(4 bits)
  val came = Bool()
}
