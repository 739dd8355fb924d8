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
  * reads, `tags` reads or writes. A snoop read in the cycle of a write to its word gives the new word, whole: what the memory
  * itself answers then differs from one family to the next, so the written word is kept here and put in its place. The
  * `tags` port shows nothing defined in the cycle after its own write.
  */
class ClsSram(p: SnooperParams) extends Component {
  val io = new Bundle {
    val snoop = slave(Flow(UInt(p.wordWidth bits)))
    val snoopQ = out(Bits(96 bits))
    val tags = slave(ClsAccess(p))
  }

  private val memory = Mem(Bits(96 bits), p.words).addAttribute("no_rw_check")
  private val collides = io.snoop.valid && io.tags.enable && io.tags.write && io.tags.word === io.snoop.payload
  private val read = memory.readSync(io.snoop.payload, io.snoop.valid, readUnderWrite = dontCare)
  io.snoopQ := RegNextWhen(collides, io.snoop.valid) ? RegNextWhen(io.tags.data, collides) | read
  io.tags.q := memory.readWriteSync(io.tags.word, io.tags.data, io.tags.enable, io.tags.write, readUnderWrite = dontCare)
}

object ClsSram {
  /** The three planes of a word. */
  def planes(word: Bits): Vec[Bits] = word.subdivideIn(3 slices)
  /** Tag of one line of a word. */
  def tag(word: Bits, line: UInt): Cls.C = {
    val t = Cls()
    t.assignFromBits(planes(word).map(_(line)).asBits())
    t
  }
}
