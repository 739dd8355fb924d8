package turnstile.cpu

import spinal.core._
import spinal.lib._
import vexriscv._
import vexriscv.plugin._

/** FSW or, `double`, FSD in write-back. */
case class FloatStore() extends Bundle {
  val address = UInt(32 bits)
  val data = Bits(64 bits)
  val double = Bool()
}

/** FLW, FLD, FSW and FSD (RISC-V unprivileged manual, "F", "D") beside the [[DBusSimplePlugin]] and, before this in the list, VexRiscv's
  * `FpuPlugin`, which takes what was loaded and gives what is stored in write-back.
  *
  * A load is one of DBusSimple, in execute: `double` says in the cycles of `dBus.cmd` that it is of two words, `high` is the upper one in those of its
  * answer. A store is sent from write-back, when the FPU has its word: nothing there can be undone. So that accesses take effect in
  * program order, execute sends none while memory or write-back holds such a store.
  *
  * Write-back waits for the FPU, which DBusSimple knows nothing of: while `waits`, the answer of a load must be held back.
  * Not aligned to 4 bytes: traps 4 and 6 as of any load and store; to 8: only where memory is protected, by pages. A store that is refused then: 7.
  */
class FloatMemoryPlugin extends Plugin[VexRiscv] with DBusEncodingService {
  private object FLOAT_STORE extends Stageable(Bool)
  private object FLOAT_REFUSED extends Stageable(Bool)
  private object LOADED_HIGH extends Stageable(Bits(32 bits))
  var store: Stream[FloatStore] = _
  var double, waits: Bool = _
  var high: Bits = _
  private var stored: Bits = _

  private def decoder = pipeline.service(classOf[DecoderService])
  private def bus = pipeline.service(classOf[DBusSimplePlugin])

  private def decode(key: MaskedLiteral, stores: Boolean): Unit = {
    val config = pipeline.config
    import config._
    decoder.add(key, List[(Stageable[_ <: BaseType], Any)](
      SRC1_CTRL -> Src1CtrlEnum.RS, SRC2_CTRL -> (if (stores) Src2CtrlEnum.IMS else Src2CtrlEnum.IMI), SRC_USE_SUB_LESS -> False, RS1_USE -> True,
      IntAluPlugin.ALU_CTRL -> IntAluPlugin.AluCtrlEnum.ADD_SUB, HAS_SIDE_EFFECT -> True) ++
      (if (stores) List(FLOAT_STORE -> True) else List(bus.MEMORY_ENABLE -> True, bus.MEMORY_STORE -> False)))
  }
  override def addLoadWordEncoding(key: MaskedLiteral): Unit = decode(key, stores = false)
  override def addStoreWordEncoding(key: MaskedLiteral): Unit = decode(key, stores = true)
  override def bypassStore(data: Bits): Unit = stored = data
  override def loadData(): Bits = pipeline.writeBack.input(LOADED_HIGH) ## pipeline.writeBack.input(bus.MEMORY_READ_DATA)

  override def setup(pipeline: VexRiscv): Unit = decoder.addDefault(FLOAT_STORE, False)

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._
    def stores(stage: vexriscv.Stage) = stage.arbitration.isValid && stage.input(FLOAT_STORE)
    def size(stage: vexriscv.Stage) = stage.input(INSTRUCTION)(13 downto 12).asUInt

    double = out(size(execute) === 3).setName("dBus_double")
    bus.dBus.cmd.size.removeAssignments()
    bus.dBus.cmd.size := Mux(double, U(2), size(execute)) // two words: alignment is a word's
    execute.arbitration.haltByOther setWhen (execute.arbitration.isValid && execute.input(bus.MEMORY_ENABLE) && (stores(memory) || stores(writeBack)))

    high = in(Bits(32 bits)).setName("dBus_high")
    memory.insert(LOADED_HIGH) := high
    waits = out(CombInit(memory.arbitration.isStuckByOthers)).setName("dBus_waits")
    val trap = bus.memoryExceptionPort
    val guard = bus.mmuBus // of memory that is protected
    if (guard != null) {
      execute.insert(FLOAT_REFUSED) := !guard.rsp.allowWrite
      when(stores(memory) && memory.input(FLOAT_REFUSED)) {
        trap.valid := True
        trap.code := 7
      }
      when(double && execute.input(SRC_ADD)(2))(execute.insert(bus.ALIGNEMENT_FAULT) := True)
    }
    val misaligned = memory.input(REGFILE_WRITE_DATA)(1 downto 0) =/= 0 || Bool(guard != null) && size(memory) === 3 && memory.input(REGFILE_WRITE_DATA)(2)
    when(stores(memory) && misaligned) {
      trap.valid := True
      trap.code := 6
    }

    store = master(Stream(FloatStore())).setName("floatStore")
    store.valid := stores(writeBack) && !writeBack.arbitration.isStuckByOthers
    store.address := writeBack.input(REGFILE_WRITE_DATA).asUInt // of the adder in execute
    store.data := stored
    store.double := size(writeBack) === 3
    writeBack.arbitration.haltItself setWhen (store.valid && !store.ready)
  }
}
