package turnstile.cpu

import spinal.core._
import vexriscv.{Riscv, Stageable, VexRiscv}
import vexriscv.plugin.{DBusSimplePlugin, Plugin}

/** Gives `dBus.cmd` of the [[DBusSimplePlugin]] in front of it in the list the same address earlier in the cycle.
  *
  * VexRiscv's own comes behind the choice of two operands among eight and a conditional negation. Here base and offset have registers
  * that feed nothing but this sum. The base has a reset only so that synthesis does not take it for RS1, which half the core looks at.
  *
  * `joined`, with `joins`: the same address without a carry, right while `direct`: base and offset have no bit in common.
  * `atomics`: those of the [[AtomicPlugin]] have no offset.
  */
class AddressPlugin(joins: Boolean = false, atomics: Boolean = false) extends Plugin[VexRiscv] {
  private object ADDRESS_BASE extends Stageable(SInt(32 bits))
  private object ADDRESS_OFFSET extends Stageable(SInt(12 bits))
  var direct: Bool = _
  var joined: UInt = _

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._
    val instruction = decode.input(INSTRUCTION)
    val immediate = Riscv.IMM(instruction)
    val stores = instruction(5)
    decode.insert(ADDRESS_BASE) := decode.input(RS1).asSInt
    val offsets = Mux(stores, immediate.s, immediate.i).asSInt
    decode.insert(ADDRESS_OFFSET) := (if (atomics) instruction(3) ? S(0) | offsets else offsets)
    execute.inputInit(ADDRESS_BASE, S(0, 32 bits))
    val cmd = service(classOf[DBusSimplePlugin]).dBus.cmd
    cmd.address.removeAssignments()
    val base = execute.input(ADDRESS_BASE).asBits
    val offset = execute.input(ADDRESS_OFFSET)
    cmd.address := (base.asSInt + offset).asUInt
    if (joins) {
      direct = out(!offset.msb && (base(11 downto 0) & offset.asBits) === 0).setName("direct")
      joined = out((base | offset.asBits.resize(32)).asUInt).setName("joined")
      assert(!cmd.valid || !direct || joined === cmd.address, "base and offset joined are not their sum", FAILURE)
    }
    assert(!cmd.valid || cmd.address.asBits === execute.input(SRC_ADD), "two sums of one base and offset differ", FAILURE)
  }
}
