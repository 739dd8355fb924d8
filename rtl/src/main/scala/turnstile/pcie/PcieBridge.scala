package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.registers.HostCapability

/** The card's side of PCI Express: what the host reads and writes in its BARs, between the integrated block's AXI-Streams and the site.
  *
  * BAR0 (4 KB) has the registers of [[turnstile.registers.HostBlock]]. Reads of another BAR are unsupported, writes to one are dropped and counted.
  *
  * Latency: a register read of one dword, alone, is answered 9 cycles after its first beat on `cq`: the last beat of its completion on `cc`.
  */
class PcieBridge(p: PcieParams) extends Component {
  val io = new Bundle {
    val cq = slave(Stream(Fragment(PcieBeat(PcieStream.requestUser))))
    val cc = master(Stream(Fragment(PcieBeat(PcieStream.completionUser))))

    /** pcie_cq_np_req: one more read may come. */
    val npRequest = out(Bits(2 bits))
  }
  PcieStream.named("io_cq", io.cq)
  PcieStream.named("io_cc", io.cc)

  private val reader = new RequestReader(bars = Set(0))
  private val window = new RegisterWindow
  private val registers = new HostRegisters(Seq(Capability(HostCapability.control, version = 1, first = 0, second = p.reads)))
  private val writer = new CompletionWriter(sources = 1)
  reader.io.cq << io.cq
  io.cc << writer.io.cc

  // A place for each read that the block may hand on, so that none ever stops a write behind it.
  private val waiting = reader.io.read.queue(p.reads)
  private val owed = Reg(UInt(log2Up(p.reads + 1) bits)) init p.reads
  private val gives = owed =/= 0
  owed := owed + waiting.fire.asUInt - gives.asUInt
  io.npRequest := RegNext(B"0" ## gives) init 0

  private val split = new ReadSplit
  split.io.read << waiting
  window.io.part << split.io.part
  window.io.write.valid := reader.io.write.valid
  window.io.write.payload := reader.io.write.payload
  window.io.regs <> registers.io.regs
  writer.io.answers(0) <> window.io.answer
  registers.io.faults := reader.io.faults
  registers.io.partial := window.io.partial
}
