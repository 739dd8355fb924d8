package turnstile.message

import spinal.core._
import spinal.lib._

/** An Express message waiting for a load. */
case class ReceivedExpress() extends Bundle {
  val data = Bits(32 bits)
  val source = UInt(9 bits)
  val tag = UInt(5 bits)
  val high = Bool()
  val rxq = UInt(9 bits)

  /** Contract §4: `type8[7:0] source9[16:8] tag5[21:17] prio[22] queue9[31:23]`. */
  def meta: Bits = rxq ## high ## tag ## source ## B(1, 8 bits)
}

/** A word of a Basic packet on its way to the staging buffer of its virtual channel: 0 is left for the slot's header,
  * 1 to 11 payload, 16 to 31 tag-on lines.
  */
case class StageWrite() extends Bundle {
  val vc = UInt(1 bits)
  val word = UInt(5 bits)
  val data = Bits(64 bits)
}

/** A whole, undamaged Basic packet in a staging buffer. */
case class RingJob() extends Bundle {
  val queue = UInt(3 bits)
  val source = UInt(9 bits)
  val length = UInt(7 bits)
  val payloadWords = UInt(4 bits)
  val lines = UInt(2 bits)
  val tag = UInt(5 bits)
  val high = Bool()
  val word = Bits(32 bits)
}
