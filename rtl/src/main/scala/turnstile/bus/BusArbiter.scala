package turnstile.bus

import spinal.core._
import spinal.lib._
import turnstile.registers.AddressMap

/** T0 of an op. `conflict`: not for the snoopers, it only waits for its retry. */
case class BusIssue() extends Bundle {
  val request = SnoopRequest()
  val conflict = Bool()
}

/** Takes requests, lets one a cycle on the bus (round robin) and keeps the table of lines in flight.
  *
  * Each master has a slot of one request. It serves three times: as the skid buffer that makes `request.ready` a register,
  * as the table entry while the op is in flight, and as the elder's reservation. A request that fires in cycle 0 and is
  * let on at once is broadcast (T0) in cycle 1.
  *
  * An op is a conflict when
  *  - an op in flight has the same line, or the elder has and it is not the WRITE_BACK of a data cache; or
  *  - it waited here while a verdict on its line passed. The master formed it without that verdict, so it may be void:
  *    an UPGRADE whose copy is gone would kill a newer modified line, a WRITE_BACK would overwrite one (VY-10).
  *
  * Lines of the NIU's windows are never in flight: no cache has them and each op there stands for itself, so the masters of a window wait for
  * none but an elder.
  *
  * A line stays in flight one cycle longer than its op, so that snoopers and masters may take a cycle to write their tags:
  * T0 of the next op on it is at least three cycles after T3 of an op without data, two after the last beat at a master.
  */
class BusArbiter(p: BusParams) extends Component {
  val io = new Bundle {
    val requests = Vec(slave(Stream(BusRequest())), p.masters)

    /** T0, registered. */
    val issue = master(Flow(BusIssue()))

    /** T3 of an op that was broadcast: its line. */
    val judged = slave(Flow(UInt(26 bits)))

    /** The op of this master ends in this cycle. */
    val ended = in Bits (p.masters bits)
    val elder = in Bits (p.masters bits)
  }

  private val slots = Vec.fill(p.masters)(Reg(BusRequest()))
  private val waiting, outstanding, flying = RegInit(B(0, p.masters bits))
  private val stale = Reg(Bits(p.masters bits))
  private val lines = slots.map(_.address(31 downto 6))

  private val candidates = Vec((0 until p.masters).map(m => Mux(waiting(m), slots(m), io.requests(m).payload)))
  private val valids = waiting | B(io.requests.map(_.fire))
  /** Masters behind the last one granted: before all others now. */
  private val after = RegInit(B(0, p.masters bits))
  private val grant = OHMasking.roundRobinMaskedFull(valids, after)
  private val chosen = MuxOH(grant, candidates)
  when(valids.orR)(after := B((0 until p.masters).map(grant.asBools.take(_).foldLeft(False)(_ || _))))

  // Each master's line is compared with all others beside the arbitration, not after it.
  // The modified copy that an elder's partial op waits for must reach memory: it passes the elder.
  private def pushes(by: Int): Bool =
    if (by % 2 == 0 && by < 2 * p.caches) candidates(by).op === BusOp.WRITE_BACK else False
  private def taken(line: UInt, by: Int): Bool =
    (0 until p.masters).map(m => if (m == by) False else (flying(m) || io.elder(m) && !pushes(by)) && lines(m) === line).orR
  private val conflicts = B(for (m <- 0 until p.masters) yield
    waiting(m) ? (stale(m) || taken(lines(m), m)) | taken(io.requests(m).address(31 downto 6), m))
  private val conflict = (grant & conflicts).orR

  private val judged = io.judged.m2sPipe(holdPayload = true)
  private val settled = RegNext(io.ended) init 0

  for (m <- 0 until p.masters) {
    val request = io.requests(m)
    request.ready := !outstanding(m)
    when(judged.valid && waiting(m) && lines(m) === judged.payload && !BusArbiter.window(slots(m).address))(stale(m) := True)
    when(settled(m))(flying(m) := False)
    when(io.ended(m))(outstanding(m) := False)
    when(request.fire) {
      slots(m) := request.payload
      outstanding(m) := True
      waiting(m) := True
      stale(m) := False
    }
    when(grant(m)) {
      waiting(m) := False
      when(!conflict)(flying(m) := !BusArbiter.window(candidates(m).address))
    }
  }

  private val issue = Flow(BusIssue())
  issue.valid := valids.orR
  issue.conflict := conflict
  issue.request.master := OHToUInt(grant).resized
  issue.request.assignSomeByName(chosen)
  io.issue << issue.m2sPipe(holdPayload = true)
}

object BusArbiter {
  def window(address: UInt): Bool = AddressMap.windows.has(address)
}
