package turnstile.bus

import spinal.core._
import spinal.lib._

/** Bounded waiting: one master at a time, the *elder*, has its line reserved (contract §2).
  *
  * A master *put off* [[BusElder.patience]] times in a row stands for election: retried for conflict, or for a cache that must
  * first push its copy out of the way of a partial op. When there is no elder, one of those standing is taken round robin. An
  * elder stays until a verdict of its own that does not put it off. A retry of the NIU is no putting off: its sP decides, and
  * needs the line.
  *
  * Proved, with three masters, without a depth: one who stands sees at most `masters - 1` others become elder before it
  * (tests/formal/elder_turn); nothing gets onto the elder's line but the WRITE_BACK of a data cache, which does, and the elder
  * when its line is free (elder_line). Argued: hence an elder waits for at most the op that was on its line, one op of a cache
  * and that cache's push. It rests on every master coming back within [[BusElder.lease]], as [[RetryPolicy]] does, and on every
  * op in flight ending. docs/design/bus.md has the sum, which [[BusAssertions]] watches.
  *
  * An elder that goes silent (its core was reset) loses the reservation after [[BusElder.lease]] cycles and stands no more.
  *
  * Latency: a verdict is counted in the cycle after T3, the election takes one more.
  */
class BusElder(p: BusParams) extends Component {
  val io = new Bundle {

    /** T3: whose verdict it is. */
    val verdict = slave(Flow(UInt(4 bits)))
    val putOff = in Bool ()

    /** One hot or zero: the line this master asked for last is reserved for it. */
    val elder = out Bits (p.masters bits)

    /** Who waits for election, for the assertions. */
    val standing = out Bits (p.masters bits)
  }

  private val reserved = RegInit(B(0, p.masters bits))
  private val counts = Vec.fill(p.masters)(RegInit(U(0, log2Up(BusElder.patience + 1) bits)))
  private val standing = B(counts.map(_ === BusElder.patience))
  private val silence = Reg(UInt(log2Up(BusElder.lease) bits))
  private val turn = RegInit(B(1, p.masters bits))
  private val elected = OHMasking.roundRobin(standing, turn)

  when(reserved.orR)(silence := silence + 1)
  when(!reserved.orR && standing.orR) {
    reserved := elected
    turn := elected.rotateLeft(1)
    silence := 0
  }
  when(reserved.orR && silence === BusElder.lease - 1) {
    reserved := 0
    for (m <- 0 until p.masters) when(reserved(m))(counts(m) := 0)
  }

  for (m <- 0 until p.masters) when(io.verdict.valid && io.verdict.payload === m) {
    when(io.putOff) {
      when(reserved(m))(silence := 0)
      when(!standing(m))(counts(m) := counts(m) + 1)
    } otherwise {
      counts(m) := 0
      reserved(m) := False
    }
  }
  io.elder := reserved
  io.standing := standing
}

object BusElder {

  /** Conflicts in a row after which a master stands for election. */
  val patience = 4

  /** Cycles an elder may stay silent. Longer than any back-off, short against a site's time-outs. */
  val lease = 256
}
