package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.cpu.AddressPlugin
import vexriscv.plugin._
import vexriscv.{VexRiscv, VexRiscvConfig, plugin}

/** The sP's processor: VexRiscv rv32im, five stages without the two that a slow memory would need.
  *
  * Instruction RAM and loads answer in the cycle after the request. The instruction goes from the RAM into decode (no
  * injector stage, register file read in decode), branches are taken in execute, load data is bypassed from the memory
  * stage. So: one lost cycle from load to use, one for a taken branch, and a handler begins in execute five cycles after EV_NEXT
  * was answered (`lw`, `lw`, `lw`, `jr`, one lost). Exceptions: illegal instruction, misaligned or refused access,
  * `ecall`, `ebreak` go to `mtvec`.
  */
class SpCore extends Component {
  val io = new Bundle {
    /** Address of an instruction; `instruction` and `fetchError` come in the next cycle. */
    val fetch = master(Flow(UInt(32 bits)))
    val instruction = in Bits (32 bits)
    val fetchError = in Bool ()
    /** Loads and stores. A load is answered by `reply`, at the earliest in the next cycle. */
    val access = master(Stream(SpAccess()))
    /** `joined` is the address of `access` too, and earlier in the cycle. */
    val direct = out Bool ()
    val joined = out UInt (32 bits)
    val reply = slave(Flow(SpReply()))
  }

  private val instructions = new IBusSimplePlugin(
    resetVector = 0, cmdForkOnSecondStage = false, cmdForkPersistence = false, prediction = NONE,
    catchAccessFault = true, compressedGen = false, injectorStage = false, pendingMax = 3)
  private val data = new DBusSimplePlugin(catchAddressMisaligned = true, catchAccessFault = true, earlyInjection = true)
  private val csr = new CsrPlugin(CsrPluginConfig.small(mtvecInit = 0x20).copy(
    mtvecAccess = CsrAccess.READ_WRITE, mepcAccess = CsrAccess.READ_WRITE, mscratchGen = true,
    mcauseAccess = CsrAccess.READ_ONLY, mbadaddrAccess = CsrAccess.READ_ONLY, mcycleAccess = CsrAccess.READ_ONLY,
    ecallGen = true, ebreakGen = true, catchIllegalAccess = true))

  private val addresses = new AddressPlugin(joins = true)
  private val cpu = new VexRiscv(VexRiscvConfig(plugins = List(
    instructions, data, addresses, csr,
    new DecoderSimplePlugin(catchIllegalInstruction = true),
    new RegFilePlugin(regFileReadyKind = plugin.ASYNC),
    new IntAluPlugin,
    new SrcPlugin(separatedAddSub = false, executeInsertion = true),
    new FullBarrelShifterPlugin(earlyInjection = true),
    new MulPlugin,
    new DivPlugin,
    new HazardSimplePlugin(bypassExecute = true, bypassMemory = true, bypassWriteBack = true, bypassWriteBackBuffer = true),
    new BranchPlugin(earlyBranch = true, catchAddressMisaligned = true))))

  csr.timerInterrupt := False
  csr.externalInterrupt := False
  csr.softwareInterrupt := False

  io.fetch.valid := instructions.iBus.cmd.valid
  io.fetch.payload := instructions.iBus.cmd.pc
  instructions.iBus.cmd.ready := True
  instructions.iBus.rsp.valid := RegNext(io.fetch.valid) init False
  instructions.iBus.rsp.inst := io.instruction
  instructions.iBus.rsp.error := io.fetchError

  io.access.arbitrationFrom(data.dBus.cmd)
  io.access.write := data.dBus.cmd.wr
  io.access.address := data.dBus.cmd.address
  io.access.data := data.dBus.cmd.data
  io.access.mask := data.dBus.genMask(data.dBus.cmd)
  io.access.patient := True
  io.direct := addresses.direct
  io.joined := addresses.joined
  data.dBus.rsp.ready := io.reply.valid
  data.dBus.rsp.data := io.reply.data
  data.dBus.rsp.error := io.reply.error
}
