package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.cpu.AtomicOp

/** What LR, SC and AMOs need beside a data cache: the word an AMO writes, and the reservation.
  *
  * An AMO is a store whose word is made of the one in the line, so it takes the line as a store does and is performed in one cycle, and no
  * snoop comes between. LR takes the line so too, and SC then writes it or fails, but never asks the bus.
  *
  * The reservation, of one line, is of no use without the right to write the line (its tag says), and lost by another miss in its set,
  * which may bring it back, by an SC, by a reset of the core. For
  * [[AtomicUnit.hold]] cycles from an LR on others' ops on the line are retried (`reserved`), so that the SC of a loop of 16 instructions succeeds, whoever
  * else wants the line; then for as long an LR holds nothing, so that they get it, whatever the program does (docs/design/cache.md has the argument).
  *
  * Latency: `result` and `mine` are combinational; the reservation is there from the cycle after `linked`.
  */
class AtomicUnit(p: DataCacheParams) extends Component {
  val io = new Bundle {
    val access = in(CpuCommand(atomics = true))

    /** Word of the line before the access. */
    val old = in Bits (32 bits)

    /** What it is after the AMO or SC. */
    val result = out Bits (32 bits)

    /** AMO, or an SC whose line is reserved (`mine`). */
    val writes, mine = out Bool ()

    /** The access is an LR and is performed. */
    val linked = in Bool ()

    /** An SC is over, or the core is in reset. */
    val ended = in Bool ()

    /** Tags that own ops change. */
    val changed = slave(Flow(TagWrite(p)))
    val reserved = master(Flow(UInt(26 bits)))
  }

  private val access = io.access
  private val line = Reg(UInt(26 bits))
  private val valid = RegInit(False)
  private val left = Reg(UInt(log2Up(2 * AtomicUnit.hold) bits)) init 0
  when(left =/= 0)(left := left - 1)
  private val fills = io.changed.set === line(p.setWidth - 1 downto 0) && io.changed.entry.state =/= Mesi.INVALID
  when(io.ended || io.changed.valid && (fills || io.changed.entry.tag @@ io.changed.set === line))(valid := False)
  when(io.linked) {
    valid := True
    line := access.address(31 downto 6)
    when(left === 0)(left := 2 * AtomicUnit.hold - 1)
  }
  io.mine := valid && line === access.address(31 downto 6)
  io.writes := access.amo || access.sc && io.mine
  io.reserved.valid := valid && left.msb
  io.reserved.payload := line

  private val a = io.old
  private val b = access.data
  private val unsigned = access.atomic === AtomicOp.MINU || access.atomic === AtomicOp.MAXU
  private val less = Mux(a.msb === b.msb, a.asUInt < b.asUInt, Mux(unsigned, b.msb, a.msb))
  io.result := access.atomic.mux(
    AtomicOp.ADD -> (a.asUInt + b.asUInt).asBits,
    AtomicOp.XOR -> (a ^ b),
    AtomicOp.OR -> (a | b),
    AtomicOp.AND -> (a & b),
    AtomicOp.MIN -> Mux(less, a, b),
    AtomicOp.MINU -> Mux(less, a, b),
    AtomicOp.MAX -> Mux(less, b, a),
    AtomicOp.MAXU -> Mux(less, b, a),
    default -> b)
}

object AtomicUnit {

  /** Cycles: 16 instructions of a loop with its fetches in the cache, branches taken; a power of two, and longer than any back-off. */
  val hold = 64
}
