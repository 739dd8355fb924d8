package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.contract._
import turnstile.registers.AddressMap

/** The service processor of a site (VY-45): VexRiscv, two RAMs of 64 KB, event FIFOs, registers.
  *
  * An event pushed into an empty FIFO in cycle 0 is at the head in cycle 1. A sP blocked in EV_NEXT takes it in that
  * cycle, and the first instruction of its handler is in execute five cycles later with both operands loaded
  * (`lw t0, EV_NEXT; lw a0, EV_ARG; lw a1, EV_META; jr t0`, docs/design/service-processor.md).
  *
  * RAMs answer in one cycle, the sP's loads of instruction RAM in two. Instruction RAM: fetch on one port; the other serves loads and
  * word stores of the sP, then the host. Data RAM: a port for the sP, a port for the host. A word read on one port in the cycle in which the other writes it is
  * undefined (`no_rw_check`: block RAMs of some families define nothing there). Whatever is not RAM goes through [[SpIo]], the sP before the
  * host; a host access passes a sP blocked in EV_NEXT. Host reads of EV_NEXT do not wait. No output depends on an input of the
  * same cycle.
  */
class ServiceProcessor(val p: SpParams) extends Component {
  val io = new Bundle {
    val bus = master(BusMasterPort())
    val express = master(Stream(ExpressTx()))
    val command = master(Stream(NiuCommand()))
    val engine = in(EngineStatus())
    /** Slot SRAM; `free` is never used. */
    val slot = master(SlotPort())
    val high, local, low = slave(Stream(SiteEvent()))
    val host = slave(HostPort())
    /** Registers of other units: every offset that is not of [[turnstile.registers.RegisterMaps.ownOfSp]]. */
    val regs = master(RegPort(20))
    val console = master(Flow(Bits(8 bits)))
    val trap = master(Flow(Bits(32 bits)))
    /** The sP asks for an event, and gets one or none: its firmware is alive. */
    val turn = out Bool ()
    val apRun = out Bits (p.aps bits)
    val txFree = in(TxFree())
    val siteId = in UInt (6 bits)
    val sites = in UInt (7 bits)
    /** Holds the core, not the registers, in reset. */
    val spReset = in Bool ()
    val probe = master(SpProbe())
  }
  private val words = AddressMap.instructionRam.bytes.toInt / 4
  private val wordWidth = log2Up(words)
  private def inRam(a: UInt): Bool = a(31 downto 28) === 0
  private def inData(a: UInt): Bool = AddressMap.dataRam.has(a)

  private val held = RegNext(io.spReset) init True
  private val unit = new SpIo(p)
  private val host = io.host.command.halfPipe()
  /** What is not data RAM and has to wait does so in a register here, so that no address of the core decides in its cycle whether it stalls.
    * So does, for a cycle, what has an address that takes a carry or lies in instruction RAM. */
  private val processor = new ResetArea(held, cumulative = true) {
    val core = new SpCore
    val access = core.io.access
    val waits = RegInit(False)
    val waiting = RegNextWhen(access.payload, !waits)
    val ofRam = waits && inRam(waiting.address)
    val offered = Stream(SpAccess())
    val direct = core.io.direct && !inRam(core.io.joined)
    access.ready := !waits
    waits := waits ? !(ofRam || offered.ready) | (access.valid && !inData(access.address) && !(direct && offered.ready))
    offered.valid := waits ? !ofRam | (access.valid && direct)
    offered.payload := waits ? waiting | access.payload
    when(!waits)(offered.address := core.io.joined)
  }
  private val core = processor.core
  private val sp = core.io.access
  private val offered = processor.offered

  // RAM: who uses which port --------------------------------------------------------------------------------------------
  private val spData = sp.fire && inData(sp.address)
  private val late = processor.waiting
  private val lateBeyond = late.address(27 downto 16) =/= 0
  private val lateInstruction = processor.ofRam && !lateBeyond
  private val hostRam = host.valid && inRam(host.address)
  private val hostBeyond = host.address(27 downto 17) =/= 0
  private val hostInstruction = hostRam && !hostBeyond && !host.address(16)
  private val hostData = hostRam && !hostBeyond && host.address(16)

  private def ram(contents: Seq[BigInt]) = {
    val made = Mem(Bits(32 bits), words).addAttribute("no_rw_check")
    if (contents.nonEmpty) made.initBigInt(contents.padTo(words, BigInt(0)))
    made
  }
  private val instructionRam = ram(p.contents.instructions)
  core.io.instruction := instructionRam.readSync(core.io.fetch.payload(2, wordWidth bits))
  core.io.fetchError := RegNext(core.io.fetch.payload(31 downto 16) =/= 0)
  private val wordStore = late.mask.andR
  private val instructionWord = instructionRam.readWriteSync(
    address = (lateInstruction ? late.address | host.address)(2, wordWidth bits),
    data = lateInstruction ? late.data | host.data,
    enable = lateInstruction || hostInstruction,
    write = lateInstruction ? (late.write && wordStore) | host.write)

  private val dataRam = ram(p.contents.data)
  private val dataWord = dataRam.readWriteSync(sp.address(2, wordWidth bits), sp.data, spData, sp.write, sp.mask)
  private val hostWord = dataRam.readWriteSync(host.address(2, wordWidth bits), host.data, hostData, host.write, B"1111")

  // The rest: sP first, host when the sP does not ask or is blocked -----------------------------------------------------
  private val hostOther = host.valid && !inRam(host.address)
  private val hostTurn = RegInit(False)
  private val access = unit.io.access
  access.valid := hostTurn ? hostOther | offered.valid
  access.payload := offered.payload
  when(hostTurn) {
    access.write := host.write
    access.address := host.address
    access.data := host.data
    access.mask := B"1111"
    access.patient := False
  }
  // A turn is given a cycle ahead and kept until it was used.
  hostTurn := hostTurn ? !access.ready | (hostOther && (!offered.valid || unit.io.blocked))
  private val byHost = RegNextWhen(hostTurn, unit.io.free)

  offered.ready := !hostTurn && access.ready
  host.ready := inRam(host.address) ? !(hostInstruction && lateInstruction) | (hostTurn && access.ready)

  unit.io.restart := held
  unit.io.refused.valid := processor.ofRam && late.write && (lateBeyond || !wordStore)
  unit.io.refused.payload := late.address

  // Answers -------------------------------------------------------------------------------------------------------------
  private val dataLoad = RegNext(spData && !sp.write) init False
  private val lateLoad = RegNext(processor.ofRam && !late.write) init False
  private val unitLoad = unit.io.reply.valid && !byHost
  core.io.reply.valid := dataLoad || lateLoad || unitLoad
  core.io.reply.data := dataLoad.mux(dataWord, B(0)) | lateLoad.mux(instructionWord, B(0)) | (!dataLoad && !lateLoad).mux(unit.io.reply.data, B(0))
  core.io.reply.error := lateLoad ? RegNext(lateBeyond) | (!dataLoad && unit.io.reply.error)

  private val hostLoad = RegNext(hostRam && host.fire && !host.write) init False
  private val hostLoadData = RegNextWhen(host.address(16), hostRam)
  private val hostFailed = hostLoad ? RegNextWhen(hostBeyond, hostRam) | unit.io.reply.error
  io.host.response.valid := RegNext(hostLoad || unit.io.reply.valid && byHost) init False
  io.host.response.payload := RegNext(hostFailed ? B(32 bits, default -> true) | (hostLoad ? (hostLoadData ? hostWord | instructionWord) | unit.io.reply.data))

  // Wires ---------------------------------------------------------------------------------------------------------------
  io.bus <> unit.io.bus
  io.express << unit.io.express
  io.command << unit.io.command
  unit.io.engine := io.engine
  io.slot <> unit.io.slot
  io.regs <> unit.io.regs
  io.console << unit.io.console
  io.trap << unit.io.trap
  io.turn := RegNext(unit.io.taken.valid) init False
  io.apRun := unit.io.apRun
  unit.io.txFree := io.txFree
  unit.io.siteId := io.siteId
  unit.io.sites := io.sites
  for ((port, source) <- unit.io.push zip Seq(io.high, io.local, io.low)) port << source

  for ((port, probe) <- unit.io.push zip io.probe.eventPush) {
    probe.valid := RegNext(port.fire) init False
    probe.index := RegNextWhen(port.index, port.fire)
    probe.arg := RegNextWhen(port.arg, port.fire)
  }
  io.probe.eventTake.valid := RegNext(unit.io.taken.valid) init False
  io.probe.eventTake.index := RegNextWhen(unit.io.taken.index, unit.io.taken.valid)
  io.probe.eventTake.arg := RegNextWhen(unit.io.taken.arg, unit.io.taken.valid)
  io.probe.waiting := RegNext(unit.io.blocked) init False
}
