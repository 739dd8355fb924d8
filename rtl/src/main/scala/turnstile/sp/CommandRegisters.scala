package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{CommandBlock, WordFormat}

/** CMD_CTRL, CMD_DEST, CMD_WORD, and the command they make with a launch address. No latency: `command` follows `launch` in the
  * same cycle, and it sees what is written in it. The lines in the event's slot are in its META; those of a slot named by CMD_DEST the slot store tells two cycles
  * after the store to CMD_DEST, until when a PUT or SEND of it waits. */
class CommandRegisters extends Component {
  val io = new Bundle {
    val writeCtrl, writeDest, writeWord = in Bool ()
    val data = in Bits (32 bits)
    val ctrl, dest, word = out Bits (32 bits)
    /** `asked` and `lines` of the slot port. */
    val askedSlot = out UInt (6 bits)
    val askedLines = in UInt (2 bits)
    /** META of the current event. */
    val meta = in Bits (32 bits)
    /** Home and block size of its page. */
    val page = in(PageAttributes())
    val op = in(NiuOpcode())
    val launch = slave(Stream(NoData()))
    val address = in UInt (32 bits)
    val command = master(Stream(NiuCommand()))
  }
  private val fields = (CommandBlock.ctrl.fields ++ CommandBlock.dest.fields).map(f => f.name -> f).toMap ++
    WordFormat.message.fields.map(f => "META_" + f.name -> f)
  private def get(word: Bits, name: String): Bits = word(fields(name).lsb, fields(name).width bits)

  private def latest(data: Bits, write: Bool): Bits = write ? data | (RegNextWhen(data, write) init 0)
  private val ctrl = latest(io.data(25 downto 0), io.writeCtrl)
  private val dest = latest(io.data(21 downto 0), io.writeDest)
  private val word = latest(io.data, io.writeWord)
  io.ctrl := ctrl.resized
  io.dest := dest.resized
  io.word := word

  private val slot = get(dest, "SLOT").asUInt
  private val lines = RegNext(io.askedLines)
  private val unknown = io.writeDest || (RegNext(io.writeDest) init False)
  private val byNumber = !get(ctrl, "EVENT_SLOT").asBool
  private val takesSlot = io.op === NiuOpcode.PUT || io.op === NiuOpcode.SEND
  io.askedSlot := slot

  private val c = io.command
  c.arbitrationFrom(io.launch.haltWhen(unknown && byNumber && takesSlot))
  c.op := io.op
  c.address := io.address
  c.size := get(ctrl, "PAGE_SIZE").asBool ? io.page.size | get(ctrl, "SIZE").asUInt
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
  when(get(ctrl, "TO_HOME").asBool)(c.dest := io.page.home @@ U"000")
  c.slot := byNumber ? slot | get(io.meta, "META_SLOT").asUInt
  c.lines := byNumber ? lines | get(io.meta, "META_LINES").asUInt
  c.notifies := get(ctrl, "NOTIFY").asBool
}
