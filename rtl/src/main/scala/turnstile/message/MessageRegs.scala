package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{MessageBlock, RegisterBank, WordFormat}

/** [[turnstile.registers.MessageBlock]]: registers of the message unit that belong to no part of it alone; reads answer the next cycle. */
class MessageRegs(params: MessageParams) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val emptyWord = out(Bits(32 bits))
    val resident = out(Vec.fill(16)(ResidentQueue()))
    val inject = master(Flow(InjectedExpress()))
    val room, diverted = in(Bits(8 bits))
    val wanted = master(Flow(Bits(8 bits)))
    val caughtUp = master(Flow(CaughtUp()))
    val keptCounts = in(Vec.fill(8)(UInt(16 bits)))
    val hold = out(Bits(16 bits))
    val faults = Vec.fill(3)(slave(Flow(TxFault())))
    val damaged, malformed, kept, ringFull, busError, stopped, refused, misplaced, lost = in(Bool())
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
      MessageBlock.highStopped -> io.stopped, MessageBlock.ringsRefused -> io.refused, MessageBlock.pointersRefused -> io.misplaced,
      MessageBlock.ringLost -> io.lost)) {
    val count = Reg(UInt(32 bits)) init 0
    when(RegNext(more) init False)(count := count + 1)
    bank.read(register)(count.asBits)
  }

  // Overflow of Express receive queues
  private val injectMeta = RegNextWhen(data, bank.stores(MessageBlock.injectMeta)) init 0
  bank.read(MessageBlock.injectMeta)(injectMeta)
  private def head(field: String) = WordFormat.expressMeta.field(field).of(injectMeta)
  io.inject.valid := bank.stores(MessageBlock.inject)
  io.inject.queue := head("TYPE")(2 downto 0).asUInt
  io.inject.entry.data := data
  io.inject.entry.source := head("SOURCE").asUInt
  io.inject.entry.tag := head("TAG").asUInt
  io.inject.entry.high := head("PRIO").asBool
  io.inject.entry.rxq := head("QUEUE").asUInt
  bank.read(MessageBlock.room)(io.room)
  bank.read(MessageBlock.diverted)(io.diverted)
  io.wanted.valid := bank.stores(MessageBlock.wanted)
  io.wanted.payload := data(7 downto 0)
  io.caughtUp.valid := bank.stores(MessageBlock.kept)
  io.caughtUp.queue := bank.index(MessageBlock.kept)
  io.caughtUp.count := data(15 downto 0).asUInt
  bank.read(MessageBlock.kept)(io.keptCounts(bank.index(MessageBlock.kept)).asBits)
  private val hold = RegNextWhen(data(15 downto 0), bank.stores(MessageBlock.txHold)) init 0
  bank.read(MessageBlock.txHold)(hold)
  io.hold := hold

  // Counted a cycle later.
  private val faults = io.faults.map(_.stage())
  private val allFaults = Reg(UInt(32 bits)) init 0
  allFaults := allFaults + CountOne(faults.map(_.valid))
  bank.read(MessageBlock.translation)(allFaults.asBits)
  private val queueFaults = for (q <- 0 until 16) yield {
    val count = Reg(UInt(16 bits)) init 0
    val hit = faults.map(f => f.valid && f.queue === q).orR
    when(hit && !count.andR) {
      count := count + 1
    }
    count
  }
  bank.read(MessageBlock.queueFaults)(Vec(queueFaults)(bank.index(MessageBlock.queueFaults)).asBits)
}
