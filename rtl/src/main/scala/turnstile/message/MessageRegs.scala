package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{MessageBlock, RegisterBank}

/** [[turnstile.registers.MessageBlock]]: registers of the message unit that belong to no part of it alone; reads answer the next cycle. */
class MessageRegs(params: MessageParams) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val emptyWord = out(Bits(32 bits))
    val resident = out(Vec.fill(16)(ResidentQueue()))
    val faults = Vec.fill(3)(slave(Flow(TxFault())))
    val damaged, malformed, kept, ringFull, busError, stopped, refused = in(Bool())
    val waits = in(Bits(4 bits))
    val freeSlots = in(UInt(7 bits))
    val headerSlot = out(UInt(6 bits))
    val header = in(Bits(64 bits))
  }
  private val data = io.regs.command.data
  private val bank = new RegisterBank(io.regs, MessageBlock)

  private val emptyWord = RegNextWhen(data, bank.stores(MessageBlock.emptyWord)) init 0
  bank.read(MessageBlock.emptyWord)(emptyWord)
  io.emptyWord := emptyWord
  private val headerSlot = RegNextWhen(data(5 downto 0), bank.stores(MessageBlock.headerSlot)) init 0
  bank.read(MessageBlock.headerSlot)(headerSlot)
  bank.read(MessageBlock.headerLow)(io.header(31 downto 0))
  bank.read(MessageBlock.headerHigh)(io.header(63 downto 32))
  io.headerSlot := headerSlot.asUInt
  bank.read(MessageBlock.freeSlots)(io.freeSlots.asBits)
  bank.read(MessageBlock.slotsHigh)(B(params.reservedSlots, 32 bits))

  private val settingResident = bank.stores(MessageBlock.resident)
  private val residentIndex = bank.index(MessageBlock.resident)
  private val resident = for (q <- 0 until 16) yield new Area {
    val rxq = Reg(UInt(9 bits)) init q
    val valid = RegInit(True)
    when(settingResident && residentIndex === q) {
      rxq := data(8 downto 0).asUInt
      valid := data(31)
    }
    io.resident(q).rxq := rxq
    io.resident(q).valid := valid
  }
  bank.read(MessageBlock.resident)(Vec(resident.map(r => r.valid ## B(0, 22 bits) ## r.rxq))(residentIndex))

  for ((register, more) <- Seq(
      MessageBlock.crc -> io.damaged, MessageBlock.nonResident -> io.kept, MessageBlock.dropped -> io.malformed,
      MessageBlock.waitFifo -> io.waits(0), MessageBlock.waitSlot -> io.waits(1), MessageBlock.waitStage -> io.waits(2),
      MessageBlock.waitEvent -> io.waits(3), MessageBlock.waitRing -> io.ringFull, MessageBlock.busError -> io.busError,
      MessageBlock.highStopped -> io.stopped, MessageBlock.ringsRefused -> io.refused)) {
    val count = Reg(UInt(32 bits)) init 0
    when(more)(count := count + 1)
    bank.read(register)(count.asBits)
  }
  private val faults = Reg(UInt(32 bits)) init 0
  faults := faults + CountOne(io.faults.map(_.valid))
  bank.read(MessageBlock.translation)(faults.asBits)
  private val queueFaults = for (q <- 0 until 16) yield {
    val count = Reg(UInt(16 bits)) init 0
    val hit = io.faults.map(f => f.valid && f.queue === q).orR
    when(hit && !count.andR) {
      count := count + 1
    }
    count
  }
  bank.read(MessageBlock.queueFaults)(Vec(queueFaults)(bank.index(MessageBlock.queueFaults)).asBits)
}
