package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** The tag unit's port of the cls SRAM: one access a cycle, read or write. */
case class ClsAccess(p: SnooperParams) extends Bundle with IMasterSlave {
  val enable, write = Bool()
  val word = UInt(p.wordWidth bits)
  val data = Bits(96 bits)
  val q = Bits(96 bits)

  override def asMaster(): Unit = {
    out(enable, write, word, data)
    in(q)
  }
}

/** cls SRAM (VY-09): 3 bits a heap line, 32 lines a word, so that a command over 1 to 32 aligned lines is one write (BZ-06).
  * A word is three planes of 32 bits: bit k of the tag of line l is bit 32k + l. Two ports, each one cycle: `snoop` only
  * reads the tag of a line, `tags` reads or writes a word. A snoop read in the cycle of a write to its word gives `changed`, the tag
  * in the new word: what the memory itself answers, `kept`, then differs from one family to the next. The `tags` port shows
  * nothing defined in the cycle after its own write.
  */
class ClsSram(p: SnooperParams) extends Component {
  val io = new Bundle {
    val snoop = slave(Flow(UInt(p.lineWidth bits)))
    val kept = out(Cls())
    val changed = master(Flow(Cls()))
    val tags = slave(ClsAccess(p))
  }

  private val word = io.snoop.payload(5, p.wordWidth bits)
  // One hot: the memory's output is late, and few levels gather what it selects.
  private val line = RegNextWhen(UIntToOh(io.snoop.payload(4 downto 0), 32), io.snoop.valid)
  private val collides = io.snoop.valid && io.tags.enable && io.tags.write && io.tags.word === word

  private val banks = for (data <- io.tags.data.subdivideIn(p.bankBits bits)) yield new Area {
    val memory = Mem(Bits(p.bankBits bits), p.words).addAttribute("no_rw_check")
    val read = memory.readSync(word, io.snoop.valid, readUnderWrite = dontCare)
    val q = memory.readWriteSync(io.tags.word, data, io.tags.enable, io.tags.write, readUnderWrite = dontCare)
  }
  io.kept := ClsSram.selected(Cat(banks.map(_.read)), line)
  io.changed.valid := RegNext(collides)
  io.changed.payload := ClsSram.selected(RegNext(io.tags.data), line)
  io.tags.q := Cat(banks.map(_.q))
}

object ClsSram {
  /** The three planes of a word. */
  def planes(word: Bits): Vec[Bits] = word.subdivideIn(3 slices)
  /** Tag of one line of a word. */
  def tag(word: Bits, line: UInt): Cls.C = cls(planes(word).map(_(line)))
  /** Tag of the line whose bit is set in `line`. */
  def selected(word: Bits, line: Bits): Cls.C = cls(planes(word).map(plane => (plane & line).orR))

  private def cls(bits: scala.collection.Seq[Bool]): Cls.C = {
    val t = Cls()
    t.assignFromBits(bits.asBits())
    t
  }
}
