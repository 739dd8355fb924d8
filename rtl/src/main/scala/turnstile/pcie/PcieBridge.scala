package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.registers.{HostBlock, HostCapability, HostVector, LoaderBlock, MsixBlock, RegisterMaps, RegisterRouter}

/** The card's side of PCI Express: what the host reads and writes in its BARs, on the site's clock. [[PcieClocked]] has the block's.
  *
  * BAR0 (8 KB) has the registers of [[turnstile.registers.HostBlock]], those that start the card ([[SpLoader]]) and, in its second page, the table of interrupts ([[Interrupts]]); BAR2 (8 MB) its queues ([[QueueWindow]]); BAR4 is the site's
  * DRAM, of which it reaches the shared heap and its Basic rings. Reads of anything else are unsupported, writes to it are dropped and counted.
  *
  * Latency: a register read of one dword, alone, is answered 8 cycles after its first beat on `cq`: the last beat of its completion on `cc`;
  * a load of shared memory that hits, 27 with a DRAM of 12 cycles, up to 2 more for the rest of its line.
  */
class PcieBridge(p: PcieParams) extends Component {
  val io = new Bundle {
    val pcie = slave(PciePins(requester = false)).named()

    /** The host lets the card interrupt; interrupts that leave. */
    val enabled = in(Bool())
    val interrupt = master(Stream(InterruptMessage()))

    /** Queues of [[PcieParams.queues]] in which a message waits. */
    val waiting = in(Bits(p.queues.size bits))
    val card = master(CardPort(p.wire))
    /** A process may sleep until the card interrupts. */
    val awaited = out(Bool())

    val queues = master(HostWindowPort())

    /** Two masters of the Site Bus: a load that waits stops no store. */
    val loads, stores = master(BusMasterPort())
  }

  private val reader = new RequestReader((bar, address) => bar === 0 || bar === 2 && QueueWindow.reaches(p, address) || bar === 4 && p.reaches(address))
  private val window = new RegisterWindow
  private val queues = new QueueWindow(p)
  private val loads = new SharedLoads(p)
  private val stores = new SharedStores(p)
  private val registers = new HostRegisters(Seq(
    Capability(HostCapability.control, version = 1, first = 0, second = p.reads),
    Capability(HostCapability.shared, version = 1, first = p.bus.heapBase - p.bus.memory.base, second = p.bus.heapEnd - p.bus.heapBase),
    Capability(HostCapability.queues, version = 1, first = (p.express ++ p.basic).map(1 << _).sum, second = p.rings - p.bus.memory.base),
    Capability(HostCapability.interrupts, version = 1, first = MsixBlock.vectors, second = 0),
    Capability(HostCapability.start, version = 1, first = p.aps, second = p.bus.memory.privateBytes)) ++
    (if (p.wire) Seq(Capability(HostCapability.wire, version = 1, first = 0, second = 0)) else Nil))
  private val loader = new SpLoader(p.held)
  private val interrupts = new Interrupts
  private val writer = new CompletionWriter(sources = 3)
  reader.io.cq << io.pcie.cq
  io.pcie.cc << writer.io.cc

  // Each path has places for all reads that the block may hand on, so that none ever stops a write behind it.
  private val isShared = reader.io.read.descriptor.bar === 4 && reader.io.read.status === CompletionStatus.SUCCESSFUL
  private val paths = StreamDemux(reader.io.read, isShared.asUInt, 2)
  private val waiting = paths(0).queueLowLatency(p.reads, latency = 1)
  loads.io.read << paths(1)
  private val owed = Reg(UInt(log2Up(p.reads + 1) bits)) init p.reads
  private val gives = owed =/= 0
  owed := owed + waiting.fire.asUInt + loads.io.freed.asUInt - gives.asUInt
  io.pcie.npRequest := RegNext(B"0" ## gives) init 0

  private val split = new ReadSplit
  split.io.read << waiting
  private val isQueue = split.io.part.read.descriptor.bar === 2 && split.io.part.read.status === CompletionStatus.SUCCESSFUL
  private val parts = StreamDemux(split.io.part, isQueue.asUInt, 2)
  window.io.part << parts(0)
  queues.io.part << parts(1)
  private val write = reader.io.write
  for ((port, bar) <- Seq(window.io.write -> 0, queues.io.write -> 2, stores.io.write -> 4)) {
    port.valid := write.valid && write.bar === bar
    port.payload := write.payload
  }
  private val always = Seq(Seq(HostBlock) -> registers.io.regs, Seq(LoaderBlock) -> loader.io.regs, Seq(MsixBlock) -> interrupts.io.regs)
  private val blocks = always ++ (if (p.wire) Seq(RegisterMaps.wire -> io.card.wireRegs) else Nil)
  RegisterRouter(window.io.regs, blocks.flatMap(_._1))(blocks: _*)
  writer.io.answers(0) <> window.io.answer
  writer.io.answers(1) <> queues.io.answer
  writer.io.answers(2) <> loads.io.answer
  registers.io.faults := reader.io.faults
  registers.io.partial := window.io.partial || queues.io.refused

  private val time = CounterFreeRun(BigInt(1) << 24).value(23 downto 8)
  for (t <- Seq(loads.io.time, stores.io.time)) t := time
  for (l <- Seq(loads.io.limit, stores.io.limit)) l := registers.io.limit
  loads.io.given := stores.io.given
  loads.io.done := stores.io.done
  registers.io.faulted(0) << stores.io.fault
  registers.io.faulted(1) << loads.io.fault
  registers.io.free := stores.io.free

  interrupts.io.causes := 0
  interrupts.io.causes(HostVector.fault) := registers.io.faulty
  interrupts.io.causes(HostVector.firmware) := registers.io.stopped
  interrupts.io.causes(HostVector.queues, p.queues.size bits) := io.waiting
  registers.io.waiting := 0
  for ((queue, i) <- p.queues.zipWithIndex) registers.io.waiting(queue) := io.waiting(i)
  if (p.wire) interrupts.io.causes(HostVector.wire) := io.card.wireChanged
  registers.io.trapped := io.card.trapped
  io.card.sp <> loader.io.sp
  io.card.held := loader.io.held
  io.card.place := loader.io.place
  loader.io.site := io.card.site
  loader.io.turn := io.card.turn
  registers.io.armed := interrupts.io.armed
  registers.io.interrupted := io.interrupt.fire
  interrupts.io.arm << registers.io.arm
  interrupts.io.disarm << registers.io.disarm
  interrupts.io.enabled := io.enabled
  io.interrupt << interrupts.io.message
  io.awaited := (interrupts.io.armed >> HostVector.queues).orR
  io.queues <> queues.io.window
  io.loads <> loads.io.bus
  io.stores <> stores.io.bus
}
