package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** The data of ops that should not have happened (responder table X) or that the NIU claimed (C), oldest first (VY-04, VY-10).
  *
  * A write is counted when its last beat is stored. A line keeps its beats in place, a partial write is one beat. `room` is a cycle
  * late, which is soon enough: an aP whose write was just stored has none on the bus yet.
  *
  * `regs`, byte offsets, reads answer the next cycle: `00` R lines held; of the oldest: `04` R byte address, `08` R
  * `master4[3:0] op4[7:4] mask16[31:16]` (the mask is all ones for a line), `40`..`7C` R its 16 words; `0C` W lets the oldest go.
  * `10` R stores of aPs to queues that are not theirs.
  */
class NiuSlaveScratch(params: NiuSlaveParams) extends Component {
  private val lines = params.scratchLines
  val io = new Bundle {
    val keep = slave(Flow(Fragment(KeptBeat())))
    val room = out(Bool())
    val forbidden = in(UInt(32 bits))
    val regs = slave(RegPort(8))
  }

  private val beats = Mem(Bits(128 bits), lines * 4)
  private val addresses, infos = Mem(Bits(32 bits), lines)
  private val writeAt, readAt = Reg(UInt(log2Up(lines) bits)) init 0
  private val used = Reg(UInt(log2Up(lines + 1) bits)) init 0
  private val command = io.regs.command
  private val stored = io.keep.valid && io.keep.last
  private val freed = command.valid && command.write && command.address === 0x0c && used =/= 0

  private val kept = io.keep.fragment
  beats.write(writeAt @@ kept.index, kept.data, io.keep.valid)
  addresses.write(writeAt, kept.address.asBits, io.keep.valid)
  infos.write(writeAt, kept.info, io.keep.valid)
  assert(!stored || used =/= lines, "a write claimed that the scratch has no line for", FAILURE)
  when(stored) {
    writeAt := writeAt + 1
  }
  when(freed) {
    readAt := readAt + 1
  }
  when(stored =/= freed) {
    used := stored ? (used + 1) | (used - 1)
  }
  io.room := RegNext(used <= lines - params.aps) init False

  private val word = beats.readAsync(readAt @@ command.address(5 downto 4)).subdivideIn(32 bits)(command.address(3 downto 2))
  private val value = command.address.mux(
    0x00 -> used.asBits.resize(32 bits),
    0x04 -> addresses.readAsync(readAt),
    0x08 -> infos.readAsync(readAt),
    0x10 -> io.forbidden.asBits,
    default -> ((command.address(7 downto 6) === 1) ? word | B(0, 32 bits))
  )
  io.regs.data := RegNextWhen(value, command.valid)
}
