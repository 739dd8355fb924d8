package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort
import turnstile.registers.{HostBlock, MsixBlock, Register, RegisterBank, RegisterMaps}

/** One block of the card, as its driver finds it: what it is, which version of it, two words that it needs. */
case class Capability(kind: Int, version: Int, first: BigInt, second: BigInt)

/** The registers of BAR0 ([[HostBlock]]): who the card is, what it has, what has happened.
  *
  * `capabilities` become a list: each names the offset of the next, the last 0. Latency: 1, as of any register port.
  */
class HostRegisters(capabilities: Seq[Capability]) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val faults = in(RequestFaults())
    val partial = in(Bool())

    /** Of stores and of loads. */
    val faulted = Vec(slave(Flow(HostFault())), 2)
    val free = in(UInt(16 bits))
    val limit = out(UInt(15 bits))

    /** Bit q: a message waits in queue q. */
    val waiting = in(Bits(16 bits))
    val arm, disarm = master(Flow(Bits(MsixBlock.vectors bits)))
    val armed = in(Bits(MsixBlock.vectors bits))

    /** An interrupt leaves; the firmware stops. */
    val interrupted, trapped = in(Bool())
    val stopped, faulty = out(Bool())
  }
  private val places = HostBlock.capability.count
  require(capabilities.nonEmpty && capabilities.size <= places, s"HostRegisters: ${capabilities.size} capabilities, legal 1 to $places")
  private val bank = new RegisterBank(io.regs, HostBlock)

  private val scratch = Reg(Bits(32 bits)) init 0
  when(bank.stores(HostBlock.scratch))(scratch := io.regs.command.data)
  bank.read(HostBlock.scratch)(scratch)
  bank.read(HostBlock.magic)(B(HostBlock.magicValue, 32 bits))
  bank.read(HostBlock.buildId)(B(RegisterMaps.buildId, 32 bits))
  bank.read(HostBlock.capabilities)(B(HostBlock.capability.offset, 32 bits))

  private val limit = Reg(UInt(15 bits)) init HostBlock.resetLimit
  io.limit := limit
  private val asked = io.regs.command.data.asUInt
  when(bank.stores(HostBlock.limit) && asked =/= 0 && asked(31 downto 15) === 0)(limit := asked.resized)
  bank.read(HostBlock.limit)(limit.asBits.resize(32))
  bank.read(HostBlock.storesFree)(io.free.asBits.resize(32))

  // The first is kept until the driver has taken it.
  private val fault = Reg(HostFault())
  fault.cause.init(HostFaultCause.NONE)
  when(bank.stores(HostBlock.fault))(fault.cause := HostFaultCause.NONE)
  when(fault.cause === HostFaultCause.NONE) {
    for (port <- io.faulted) when(port.valid)(fault := port.payload)
  }
  bank.read(HostBlock.fault)(fault.cause.asBits.resize(32))
  bank.read(HostBlock.faultAddress)(fault.address.asBits.resize(32))
  bank.read(HostBlock.loadsFailed)(counted(io.faulted(1).valid))
  bank.read(HostBlock.storesFailed)(counted(io.faulted(0).valid))

  io.faulty := fault.cause =/= HostFaultCause.NONE

  // Interrupts ------------------------------------------------------------------------------------------------------------
  bank.read(HostBlock.waiting)(io.waiting.resize(32))
  for ((port, register) <- Seq(io.arm -> HostBlock.arm, io.disarm -> HostBlock.disarm)) {
    port.valid := bank.stores(register)
    port.payload := io.regs.command.data.resized
  }
  bank.read(HostBlock.arm)(io.armed.resize(32))
  bank.read(HostBlock.interrupts)(counted(io.interrupted))
  private val stopped = RegInit(False) setWhen io.trapped
  io.stopped := stopped
  bank.read(HostBlock.firmware)(stopped.asBits.resize(32))

  private def counted(event: Bool): Bits = {
    val count = Reg(UInt(32 bits)) init 0
    count := count + event.asUInt
    count.asBits
  }
  bank.read(HostBlock.unsupported)(counted(io.faults.unsupported))
  bank.read(HostBlock.aborted)(counted(io.faults.aborted))
  bank.read(HostBlock.refused)(counted(io.faults.refused || io.partial))
  bank.read(HostBlock.malformed)(counted(io.faults.malformed))

  private def column(word: (Capability, Int) => BigInt): Vec[Bits] =
    Vec(Seq.tabulate(places)(i => B(if (i < capabilities.size) word(capabilities(i), i) else BigInt(0), 32 bits)))
  private def serve(register: Register)(word: (Capability, Int) => BigInt): Unit =
    bank.read(register)(column(word)(bank.index(register)))
  serve(HostBlock.capability)((c, _) => BigInt(c.version) << 16 | c.kind)
  serve(HostBlock.next)((_, i) => if (i + 1 < capabilities.size) HostBlock.capability.offsets(i + 1) else 0)
  serve(HostBlock.first)((c, _) => c.first)
  serve(HostBlock.second)((c, _) => c.second)
}
