package turnstile.dma

import spinal.core._
import spinal.lib._

/** What became of a transfer: `DMA_STATUS` codes of the words at its two ends. */
object DmaStatus {
  val done = 1

  /** No bytes, or more than a transfer may have. */
  val length = 2

  /** The owner of the queue may not read there. */
  val source = 3

  /** The queue's rows do not hold the destination. */
  val name = 4

  /** The address is not open at the far end. */
  val target = 5

  /** Packets of it are missing at the far end. */
  val lost = 6

  def apply(code: Int): UInt = U(code, 3 bits)
}

/** Sizes that both ends know. */
object Dma {

  /** Transfers of a queue on their way or waiting; a power of two. */
  val entries = 4
  val mostBytes: Int = 1 << 20

  /** Lines that a packet fills, at most: 24 flits of its body, between header and tail. */
  val packetLines = 3

  /** Transmit queues that may have transfers: Basic queues but the sP's, which sends on channel high. */
  val queues = 9 to 15

  /** The Basic queue that takes descriptors: the owners of transmit queues reach it by rows of their own. */
  val descriptors = 9
}

/** A transfer as its owner asks for it: the payload of a Basic message, 32 B, first word first. Addresses are the owner's, or for `target` and `flag`
  * those of the one it goes to; `done` and `flag` are of 8 B words, [2:0] ignored, 0: none.
  */
case class DmaDescriptor() extends Bundle {
  val source = UInt(32 bits)
  val target = UInt(32 bits)

  /** Bytes, 1 to `Dma.mostBytes`. */
  val length = UInt(32 bits)
  val dest = UInt(9 bits)

  /** With `tells`: when all its bytes are visible, and it is done, `cookie` leaves as an Express message to this name, with this tag. */
  val tellDest = UInt(9 bits)
  val tellTag = Bits(5 bits)
  val spare = Bits(8 bits)
  val tells = Bool()

  /** `status32 cookie32` is written there when the transfer is over at both ends. */
  val done = UInt(32 bits)

  /** And there, at the far end, when all its bytes are visible. */
  val flag = UInt(32 bits)
  val cookie = Bits(32 bits)
  val unused = Bits(32 bits)
}

/** A transfer among those of the site: Basic queue 8 + `queue`, place in it. */
case class DmaId() extends Bundle {
  val queue = UInt(3 bits)
  val entry = UInt(log2Up(Dma.entries) bits)
}

/** A transfer that is over, at its sender. */
case class DmaEnd() extends Bundle {
  val id = DmaId()
  val status = UInt(3 bits)
}

/** Of Express queue `queue`, whose owner asked for the transfer: it is done. */
case class DmaMessage() extends Bundle {
  val queue = UInt(3 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val word = Bits(32 bits)
}

/** What a packet says besides address (the tail's word) and bytes: fields of `PacketHeader.tag` and `HeaderAux.length`. `lastByte`: the last byte's
  * place in the last flit. `sequence` counts the packets of a transfer, modulo 64; `first`: its first packet.
  */
case class DmaMark() extends Bundle {
  val entry = UInt(log2Up(Dma.entries) bits)
  val lastByte = UInt(3 bits)
  val sequence = UInt(6 bits)
  val first = Bool()

  def tag: Bits = lastByte ## entry
  def length: UInt = first.asUInt @@ sequence
}

object DmaMark {
  def of(tag: Bits, length: UInt): DmaMark = {
    val mark = DmaMark()
    mark.entry := tag(1 downto 0).asUInt
    mark.lastByte := tag(4 downto 2).asUInt
    mark.sequence := length(5 downto 0)
    mark.first := length.msb
    mark
  }
}

/** A packet to be made of lines that were asked for, or (`end`) the last of a transfer. */
case class DmaPart() extends Bundle {
  val id = DmaId()
  val dest = UInt(9 bits)

  /** Of its first byte, at both ends; of an end, `flag`. */
  val source = UInt(6 bits)
  val target = UInt(32 bits)
  val bytes = UInt(8 bits)

  /** Lines of memory that its bytes lie in. */
  val lines = UInt(3 bits)
  val sequence = UInt(6 bits)
  val first, end = Bool()
  val cookie = Bits(32 bits)
  val status = UInt(3 bits)
}
