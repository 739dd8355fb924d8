package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{CommandBlock, WordFormat}

/** CMD_CTRL, CMD_DEST, CMD_WORD, and the command they make with a launch address. No latency: `command` follows `launch`
  * in the same cycle. Remembers how many lines the message in each slot brought, so that PUT and SEND need only the slot. */
class CommandRegisters extends Component {
  val io = new Bundle {
    val writeCtrl, writeDest, writeWord = in Bool ()
    val data = in Bits (32 bits)
    val ctrl, dest, word = out Bits (32 bits)
    /** The event just taken. */
    val taken = slave(Flow(SiteEvent()))
    /** META of the current event. */
    val meta = in Bits (32 bits)
    val op = in(NiuOpcode())
    val launch = slave(Stream(NoData()))
    val address = in UInt (32 bits)
    val command = master(Stream(NiuCommand()))
  }
  private val fields = (CommandBlock.ctrl.fields ++ CommandBlock.dest.fields).map(f => f.name -> f).toMap ++
    WordFormat.message.fields.map(f => "META_" + f.name -> f)
  private def get(word: Bits, name: String): Bits = word(fields(name).lsb, fields(name).width bits)

  private val ctrl = RegNextWhen(io.data(23 downto 0), io.writeCtrl) init 0
  private val dest = RegNextWhen(io.data(21 downto 0), io.writeDest) init 0
  private val word = RegNextWhen(io.data, io.writeWord) init 0
  io.ctrl := ctrl.resized
  io.dest := dest.resized
  io.word := word

  private val slotLines = Mem(Bits(2 bits), 64)
  private val message = io.taken.index < EventIndex.fault || io.taken.index(6 downto 5) === EventIndex.service >> 5
  slotLines.write(get(io.taken.meta, "META_SLOT").asUInt, get(io.taken.meta, "META_LINES"),
    io.taken.valid && (message || io.taken.index === EventIndex.nonResident) && get(io.taken.meta, "META_LINES") =/= 0)

  private val c = io.command
  c.arbitrationFrom(io.launch)
  c.op := io.op
  c.address := io.address
  c.size := get(ctrl, "SIZE").asUInt
  c.check := get(ctrl, "CHECK").asBool
  c.old.assignFromBits(get(ctrl, "OLD"))
  c.set := get(ctrl, "SET_TAG").asBool
  c.next.assignFromBits(get(ctrl, "NEXT"))
  c.approve := get(ctrl, "APPROVE").asBool
  c.free := get(ctrl, "FREE").asBool
  c.send := get(ctrl, "SEND").asBool
  c.high := get(ctrl, "PRIO").asBool
  c.tag := get(ctrl, "TAG")
  c.useWord := get(ctrl, "USE_WORD").asBool
  c.word := word
  c.dest := get(dest, "DEST").asUInt
  when(get(ctrl, "REPLY").asBool)(c.dest := get(io.meta, "META_SITE").asUInt @@ U"000")
  c.slot := get(dest, "SLOT").asUInt
  when(get(ctrl, "EVENT_SLOT").asBool)(c.slot := get(io.meta, "META_SLOT").asUInt)
  c.lines := slotLines.readAsync(c.slot).asUInt
  c.notifies := get(ctrl, "NOTIFY").asBool
}
