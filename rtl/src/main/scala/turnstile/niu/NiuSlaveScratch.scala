package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{RegisterBank, ScratchBlock}

/** The data of ops that should not have happened (responder table X) or that the NIU claimed (C), oldest first (VY-04, VY-10).
  *
  * A write is counted when its last beat is stored. A line keeps its beats in place, a partial write is one beat. `room` is a cycle
  * late, which is soon enough: an aP whose write was just stored has none on the bus yet.
  *
  * `regs`: [[turnstile.registers.ScratchBlock]]; reads answer the next cycle.
  */
class NiuSlaveScratch(params: NiuSlaveParams) extends Component {
  private val lines = params.scratchLines
  val io = new Bundle {
    val keep = slave(Flow(Fragment(KeptBeat())))
    val room = out(Bool())
    val regs = slave(RegPort(8))
  }

  private val beats = Mem(Bits(128 bits), lines * 4)
  private val addresses, infos = Mem(Bits(32 bits), lines)
  private val writeAt, readAt = Reg(UInt(log2Up(lines) bits)) init 0
  private val used = Reg(UInt(log2Up(lines + 1) bits)) init 0
  private val bank = new RegisterBank(io.regs, ScratchBlock)
  private val stored = io.keep.valid && io.keep.last
  private val freed = bank.stores(ScratchBlock.free) && used =/= 0

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
  io.room := RegNext(used <= lines - params.writers) init False

  private val word = bank.index(ScratchBlock.data)
  bank.read(ScratchBlock.held)(used.asBits)
  bank.read(ScratchBlock.address)(addresses.readAsync(readAt))
  bank.read(ScratchBlock.info)(infos.readAsync(readAt))
  bank.read(ScratchBlock.data)(beats.readAsync(readAt @@ word(3 downto 2)).subdivideIn(32 bits)(word(1 downto 0)))
}
