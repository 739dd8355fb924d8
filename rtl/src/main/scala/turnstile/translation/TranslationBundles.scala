package turnstile.translation

import spinal.core._
import spinal.lib._

/** What a transfer does with a line of a page, and which right of the page allows it. Codes are bit numbers of [[PageEntry]]'s `rights`. */
object Use extends SpinalEnum(binarySequential) {

  /** Its owner's transfers take bytes from there. */
  val READ = newElement()

  /** Its owner is told there that a transfer is over. */
  val TOLD = newElement()

  /** Others write there, by the queue's names. */
  val OPEN = newElement()

  def writes(use: Use.C): Bool = use =/= READ
}

/** What a look-up finds. */
object Found extends SpinalEnum(binarySequential) {

  /** Not yet known: ask again when the port's `pending` has fallen. */
  val LATER = newElement()
  val LEGAL = newElement()
  val REFUSED = newElement()
}

/** A page of a queue's owner, as he names it: address[31:12]. */
case class PageName() extends Bundle {
  val queue = UInt(3 bits)
  val page = UInt(20 bits)
}

/** May an engine use the line that a user names, and where is it? Answers come two cycles after their requests, in order. master = the engine.
  *
  * After an answer LATER `pending` is high until it is worth to ask again.
  */
case class Look() extends Bundle with IMasterSlave {
  val request = Stream(LookRequest())
  val answer = Flow(LookAnswer())
  val pending = Bool()

  override def asMaster(): Unit = {
    master(request)
    slave(answer)
    in(pending)
  }
}

case class LookRequest() extends Bundle {
  val queue = UInt(3 bits)
  val use = Use()
  val line = UInt(26 bits)

  def named: PageName = {
    val name = PageName()
    name.queue := queue
    name.page := line(25 downto 6)
    name
  }
}

/** `line`: on the Site Bus. */
case class LookAnswer() extends Bundle {
  val found = Found()
  val line = UInt(26 bits)
}

/** A page as the NI TLB keeps it. No right: transfers may not use it; that, too, is worth to be kept. */
case class PageEntry(tagBits: Int) extends Bundle {
  val valid = Bool()
  val tag = Bits(tagBits bits)
  val frame = UInt(20 bits)
  val rights = Bits(3 bits)

  /** The table is marked: a page entered by a READ is looked up again by what writes. */
  val used, dirty = Bool()
}
