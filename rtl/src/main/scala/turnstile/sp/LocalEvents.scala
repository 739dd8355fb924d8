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
    slowly(event)
  }
  private val events = io.events.zipWithIndex.map { case (event, i) => if (paced(i)) slowly(event) else event }
  io.local << StreamArbiterFactory().lowerFirst.noLock.on(events ++ storeErrors)
}
