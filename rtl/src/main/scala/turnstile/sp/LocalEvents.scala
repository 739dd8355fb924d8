package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Tells stores that nobody answered (event 104), pulses of any cycle, by one stream: arg the address, meta META_LOST_STORE,
  * of which `who` is AP and SP: while one waits, further ones are counted in LATER (saturating), not told apart. Latency: the next cycle. */
class LostStores(sources: Int, who: Int) extends Component {
  val io = new Bundle {
    val lost = Vec.fill(sources)(slave(Flow(UInt(32 bits))))
    val event = master(Stream(SiteEvent()))
  }
  private val waits = RegInit(False)
  private val address = Reg(UInt(32 bits))
  private val later = Reg(UInt(16 bits))
  private val count = CountOne(io.lost.map(_.valid))
  private val begins = !waits || io.event.fire
  private val sum = (begins ? U(0) | later) +^ count - U(begins)
  when(io.event.fire)(waits := False)
  when(count =/= 0) {
    waits := True
    later := sum.sat(1)
    when(begins)(address := MuxOH(FirstOf(io.lost.map(_.valid)), io.lost.map(_.payload)))
  }
  io.event.valid := waits
  io.event.index := EventIndex.busError
  io.event.arg := address.asBits
  io.event.meta := later ## B(who << 8, 16 bits)
}

/** The local events of a site in one stream, in front of the sP's FIFO: `events` of its units, the lowest number first, then stores
  * of aPs that nobody answered ([[LostStores]]). No latency: an event is at `local` in the cycle in which it is offered, a store error
  * in the next.
  *
  * What users can cause at will, store errors and the events of `paced` sources, is offered at most once in `pace` cycles of each, so that
  * others' requests, which come after local events, do not wait for it.
  *
  * @param pace 1 to 65536
  */
class LocalEvents(sources: Int, aps: Int, pace: Int, paced: Set[Int]) extends Component {
  require(sources >= 1, s"LocalEvents: $sources sources, legal 1 or more")
  require(aps >= 1 && aps <= 4, s"LocalEvents: $aps aPs, legal 1 to 4")
  require(pace >= 1 && pace <= 65536, s"LocalEvents: a pace of $pace cycles, legal 1 to 65536")
  require(paced.forall(i => i >= 0 && i < sources), s"LocalEvents: paced sources ${paced.mkString(", ")}, legal 0 to ${sources - 1}")
  val io = new Bundle {
    val events = Vec.fill(sources)(slave(Stream(SiteEvent())))
    val storeError = Vec.fill(aps)(slave(Flow(UInt(32 bits))))
    val local = master(Stream(SiteEvent()))
  }
  /** At most one in `pace` cycles. */
  private def slowly(event: Stream[SiteEvent]): Stream[SiteEvent] = {
    val left = Reg(UInt(log2Up(pace + 1) bits)) init 0
    val slow = event.haltWhen(left =/= 0)
    left := slow.fire ? U(pace - 1, widthOf(left) bits) | (left - (left =/= 0).asUInt)
    slow
  }
  private val lost = for ((error, ap) <- io.storeError.zipWithIndex) yield {
    val told = new LostStores(sources = 1, who = ap)
    told.io.lost(0) << error
    slowly(told.io.event)
  }
  private val events = io.events.zipWithIndex.map { case (event, i) => if (paced(i)) slowly(event) else event }
  io.local << StreamArbiterFactory().lowerFirst.noLock.on(events ++ lost)
}
