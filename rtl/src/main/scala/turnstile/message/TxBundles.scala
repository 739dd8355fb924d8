package turnstile.message

import spinal.core._
import spinal.lib._

/** A message ready for translation; all queue types are one from here on.
  *
  * @see [[turnstile.network.PacketHeader]] for the fields it becomes
  */
case class TxJob() extends Bundle {
  val queue = UInt(4 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val word = Bits(32 bits)
  val kind = UInt(3 bits)
  val body = UInt(5 bits)
  val lines = UInt(2 bits)

  /** Payload bytes of a Basic message. */
  val length = UInt(7 bits)

  /** The body flits come from the ring engine, else from the command engine. */
  val fromRing = Bool()
}

/** A row of the name translation (VY-33): who the destination is, and as whom the sender appears there. */
case class NameRow() extends Bundle {
  val site = UInt(6 bits)
  val rxq = UInt(9 bits)
  val source = UInt(9 bits)
  val valid = Bool()
}

/** `PacketHeader.aux`: what the packet carries end to end. */
case class HeaderAux() extends Bundle {
  val length = UInt(7 bits)
  val spare = Bits(8 bits)

  /** The sender's priority bit; the virtual channel may differ (`QueueDescriptor.mayHigh`). */
  val high = Bool()
}

/** A message that was not sent: its destination has no row, or its slot is malformed. */
case class TxFault() extends Bundle {
  val queue = UInt(4 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val malformed = Bool()
  val word = Bits(32 bits)

  /** Event 103's meta: `dest9[8:0] queue4[12:9] tag5[17:13] high[18] malformed[19]`; its arg is the word. */
  def meta: Bits = (malformed ## high ## tag ## queue ## dest).resize(32 bits)
}
