package turnstile.cpu

import spinal.core._
import vexriscv.{Riscv, Stageable, VexRiscv}
import vexriscv.plugin.{DBusSimplePlugin, Plugin}

/** Gives `dBus.cmd` of the [[DBusSimplePlugin]] in front of it in the list the same address earlier in the cycle.
  *
  * VexRiscv's own comes behind the choice of two operands among eight and a conditional negation. Here base and offset have registers
  * that feed nothing but this sum. The base has a reset only so that synthesis does not take it for RS1, which half the core looks at.
  */
class AddressPlugin extends Plugin[VexRiscv] {
  private object ADDRESS_BASE extends Stageable(SInt(32 bits))
  private object ADDRESS_OFFSET extends Stageable(SInt(12 bits))

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._
    val instruction = decode.input(INSTRUCTION)
    val immediate = Riscv.IMM(instruction)
    val stores = instruction(5)
    decode.insert(ADDRESS_BASE) := decode.input(RS1).asSInt
    decode.insert(ADDRESS_OFFSET) := Mux(stores, immediate.s, immediate.i).asSInt
    execute.inputInit(ADDRESS_BASE, S(0, 32 bits))
    val cmd = service(classOf[DBusSimplePlugin]).dBus.cmd
    cmd.address.removeAssignments()
    cmd.address := (execute.input(ADDRESS_BASE) + execute.input(ADDRESS_OFFSET)).asUInt
    assert(!cmd.valid || cmd.address.asBits === execute.input(SRC_ADD), "two sums of one base and offset differ", FAILURE)
  }
}
