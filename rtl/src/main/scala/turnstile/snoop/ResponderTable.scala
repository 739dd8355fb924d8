package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.bus.BusOp
import turnstile.contract._

/** Responder table (VY-10): 8 cls codes x 16 ops -> action, 3 bits each; written by the sP (VY-15).
  *
  * `op` (T0) selects a column; its actions, by cls, are there in T1. `allowed` says, by op, what memory
  * answers when the tag is the `allowedCls` of the cycle before, for approve by range. A cell is read one cycle after `read`.
  * `reset` rewrites column `payload[3:0]` with [[ResponderTableReset]]; the tag unit's sweep does so after every reset.
  */
class ResponderTable extends Component {
  val io = new Bundle {
    val op = slave(Flow(BusOp()))
    val actions = out(Vec(Action(), 8))
    val allowedCls = in(Cls())
    val allowed = out(Bits(16 bits))
    val reset = slave(Flow(UInt(4 bits)))
    val write = slave(Flow(Bits(3 bits)))
    val read = in(Bool())
    /** cls * 16 + op, of `write` and `read`. */
    val index = in(UInt(7 bits))
    val readData = out(Bits(3 bits))
  }

  private val row = io.index(6 downto 4)
  private val column = io.index(3 downto 0)
  private val readRow = RegNextWhen(row, io.read)

  private val rows = for (c <- 0 until 8) yield new Area {
    val initial = ResponderTableReset.actions(c)
    val write = io.write.valid && row === c
    val memory = Mem(Bits(3 bits), 16)
    memory.write(
      io.reset.valid ? io.reset.payload | column,
      io.reset.valid ? Vec(initial.map(B(_, 3 bits)))(io.reset.payload) | io.write.payload,
      io.reset.valid || write)
    val action = memory.readSync(io.op.payload.asBits.asUInt, io.op.valid)
    val readData = memory.readSync(column, io.read)

    val allowed = Reg(Bits(16 bits)) init initial.indices.filter(initial(_) <= 1).map(BigInt(1) << _).sum
    val allowedNext = CombInit(allowed)
    when(write)(allowedNext(column) := io.write.payload.asUInt <= 1)
    allowed := allowedNext
  }

  for ((a, row) <- io.actions zip rows) a.assignFromBits(row.action)
  io.allowed := RegNext(Vec(rows.map(_.allowedNext))(io.allowedCls.asBits.asUInt))
  io.readData := Vec(rows.map(_.readData))(readRow)
}
