package turnstile.cpu

import spinal.core._
import vexriscv._
import vexriscv.plugin._

/** What an access does beside loading or storing a word: funct5 of the instructions of the A extension; NONE is none of them. */
object AtomicOp extends SpinalEnum {
  val ADD, SWAP, LR, SC, XOR, OR, AND, MIN, MAX, MINU, MAXU, NONE = newElement()
  defaultEncoding = SpinalEnumEncoding("funct5")(ADD -> 0, SWAP -> 1, LR -> 2, SC -> 3, XOR -> 4, OR -> 8, AND -> 12, MIN -> 16, MAX -> 20,
    MINU -> 24, MAXU -> 28, NONE -> 31)
}

/** LR.W, SC.W and AMO*.W (RISC-V unprivileged manual, "A") beside the [[DBusSimplePlugin]], to which each is a load: the data cache
  * does the rest. `operation` says which one, in the cycles of `dBus.cmd`; RS2 is in `cmd.data`, RS1 in `cmd.address`.
  *
  * `aq` and `rl` are not looked at: the cache is in order and sequentially consistent. Another funct5 is an illegal instruction. Traps are those
  * of a store, 6 (misaligned) and 7 (refused by the cache, or by protection), of LR those of a load, 4 and 5.
  */
class AtomicPlugin extends Plugin[VexRiscv] {
  private object ATOMIC extends Stageable(Bool)
  var operation: SpinalEnumCraft[AtomicOp.type] = _

  override def setup(pipeline: VexRiscv): Unit = {
    import pipeline.config._
    val decoder = pipeline.service(classOf[DecoderService])
    val memory = pipeline.service(classOf[DBusSimplePlugin])
    val actions = List[(Stageable[_ <: BaseType], Any)](
      SRC1_CTRL -> Src1CtrlEnum.RS, SRC_USE_SUB_LESS -> False, SRC_ADD_ZERO -> True, IntAluPlugin.ALU_CTRL -> IntAluPlugin.AluCtrlEnum.ADD_SUB,
      memory.MEMORY_ENABLE -> True, memory.MEMORY_STORE -> False, ATOMIC -> True, RS1_USE -> True, REGFILE_WRITE_VALID -> True,
      BYPASSABLE_EXECUTE_STAGE -> False, BYPASSABLE_MEMORY_STAGE -> False, HAS_SIDE_EFFECT -> True)
    decoder.addDefault(ATOMIC, False)
    decoder.add(Riscv.LR, actions)
    import Riscv._
    decoder.add(List(SC, AMOSWAP, AMOADD, AMOXOR, AMOAND, AMOOR, AMOMIN, AMOMAX, AMOMINU, AMOMAXU).map(_ -> (actions :+ (RS2_USE -> True))))
  }

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._
    def funct5(stage: vexriscv.Stage) = stage.input(INSTRUCTION)(31 downto 27)
    operation = out(AtomicOp()).setName("atomic")
    operation.assignFromBits(execute.input(ATOMIC) ? funct5(execute) | AtomicOp.NONE.asBits)
    val bus = service(classOf[DBusSimplePlugin])
    val trap = bus.memoryExceptionPort
    when(memory.input(ATOMIC) && funct5(memory) =/= AtomicOp.LR.asBits)(trap.code(1) := True) // 4, 5 become 6, 7
    if (bus.mmuBus != null) when(execute.input(ATOMIC) && funct5(execute) =/= AtomicOp.LR.asBits && !bus.mmuBus.rsp.allowWrite) {
      execute.insert(bus.MMU_FAULT) := True
    }
  }
}
