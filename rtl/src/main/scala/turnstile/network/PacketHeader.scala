package turnstile.network

import spinal.core._

/** Values of `PacketHeader.kind`; 3 to 7 are reserved. */
object PacketKind {
  val express = 0
  val basic = 1

  /** Lines of a DMA transfer, its end, and the answer to that (`turnstile.dma`). */
  val dma = 2
  def EXPRESS = U(express, 3 bits)
  def BASIC = U(basic, 3 bits)
  def DMA = U(dma, 3 bits)
}

/** First flit of every packet: 64 bits exactly, the first field in the least significant bits.
  *
  * A packet is this header, `body` body flits and one tail flit with `last` set, {crc32[63:32], word32[31:0]}. The tail's
  * word is the Express data word; the CRC (`Crc32`) covers every earlier flit and that word. An Express message is two
  * flits. Routers read nothing but `destSite`.
  */
case class PacketHeader() extends Bundle {

  /** Where the packet goes; the receiver compares it with its own number (routers look only at the bits they need). */
  val destSite = UInt(6 bits)
  val srcSite = UInt(6 bits)

  /** Virtual channel the packet travels on, repeated here under the CRC. */
  val vc = UInt(1 bits)
  val kind = UInt(3 bits)

  /** Destination queue. */
  val rxq = UInt(9 bits)

  /** Unforgeable id of the sender, written by TxU. */
  val source = UInt(9 bits)
  val tag = UInt(5 bits)

  /** Body flits, 0 to `NetworkParams.maxBody`. */
  val body = UInt(5 bits)

  /** Tag-on lines among the body, 0 to 2. */
  val lines = UInt(2 bits)
  val aux = Bits(16 bits)
  val spare = Bits(2 bits)
}

object PacketHeader {

  /** `destSite` of a header flit, for who needs nothing else of it. */
  def destSite(flit: Bits): UInt = flit(5 downto 0).asUInt
}
