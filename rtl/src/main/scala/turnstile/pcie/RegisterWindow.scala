package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort

/** BAR0: reads and writes of registers, and the answers to requests that were refused.
  *
  * A write goes at once; reads wait for it, so that none overtakes it. Whole dwords are written, others are dropped (`partial`); a read of
  * some bytes reads the register.
  *
  * Latency: a write is at the register in its cycle; the part of a read in its cycle, its dword 3 cycles later, then one in 3 cycles.
  */
class RegisterWindow extends Component {
  val io = new Bundle {
    val write = slave(Flow(HostWrite()))
    val part = slave(Stream(ReadPart()))
    val answer = master(AnswerPort())
    val regs = master(RegPort(13))
    val partial = out(Bool())
  }
  private object Phase extends SpinalEnum { val PART, ASK, TAKE, GIVE = newElement() }
  private val phase = RegInit(Phase.PART)
  private val address = Reg(UInt(13 bits))
  private val left = Reg(UInt(6 bits))
  private val word = RegNextWhen(io.regs.data, phase === Phase.TAKE)

  private val whole = io.write.mask.andR
  io.partial := io.write.valid && !whole
  io.regs.command.valid := io.write.valid ? whole | phase === Phase.ASK
  io.regs.command.write := io.write.valid
  io.regs.command.address := io.write.valid ? io.write.address(12 downto 0) | address
  io.regs.command.data := io.write.data

  io.answer.part.payload := io.part.payload
  io.answer.part.valid := io.part.valid && phase === Phase.PART
  io.part.ready := io.answer.part.ready && phase === Phase.PART
  io.answer.data.valid := phase === Phase.GIVE
  io.answer.data.payload := word
  switch(phase) {
    is(Phase.PART) {
      address := io.part.address(12 downto 0)
      left := io.part.dwords
      when(io.part.fire && io.part.dwords =/= 0)(phase := Phase.ASK)
    }
    is(Phase.ASK) {
      when(!io.write.valid)(phase := Phase.TAKE)
    }
    is(Phase.TAKE) {
      phase := Phase.GIVE
    }
    is(Phase.GIVE) {
      when(io.answer.data.ready) {
        address := address + 4
        left := left - 1
        phase := (left === 1) ? Phase.PART | Phase.ASK
      }
    }
  }
}
