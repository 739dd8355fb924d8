package turnstile.network

import spinal.core._

/** CRC-32 of Ethernet over flits (VY-40, VY-41): what `zlib.crc32` gives for the same bytes, each flit taken as eight bytes
  * with the least significant first, the tail's word as four.
  *
  * Polynomial 0x04C11DB7 reflected, state starts all ones, the stored CRC is the state's complement. Because the CRC's bytes
  * follow the tail's word in the same order, running a whole good packet, tail included, through `next` always ends in
  * `residue`: a checker needs no second, narrower network.
  *
  * Why not `spinal.lib`'s CRC: it unrolls the polynomial bit by bit. Here each bit of the result is the parity of a masked
  * word, which synthesis sees as the same XOR tree and Verilator runs in a few instructions a bit.
  */
object Crc32 {
  val polynomial = 0xedb88320L
  val residue = 0xdebb20e3L

  /** State before a packet's first flit. */
  def start: Bits = B(0xffffffffL, 32 bits)

  private def step(state: Long): Long = (state >>> 1) ^ (if ((state & 1) != 0) polynomial else 0L)

  /** State after `width` bits of which only bit `position` is one, from a state of zero. */
  private def response(width: Int, position: Int): Long = (position until width).foldLeft(1L)((state, _) => step(state))

  private def masks(width: Int): Seq[BigInt] = {
    val responses = (0 until width).map(response(width, _))
    for (bit <- 0 until 32)
      yield (0 until width).filter(i => ((responses(i) >> bit) & 1) != 0).map(BigInt(1) << _).foldLeft(BigInt(0))(_ | _)
  }

  /** The state after `data` (32 bits or more, least significant bit first). Combinational: one XOR tree a bit. */
  def next(state: Bits, data: Bits): Bits = {
    val width = widthOf(data)
    require(width >= 32, s"Crc32.next takes $width bits of data; legal: 32 or more")
    parities(data ^ state.resize(width bits))
  }

  /** The state after a flit; after one that ends its packet, that after its low word. One network for both: a word is what
    * follows 32 zeros from a state of zero. */
  def next(state: Bits, flit: Bits, last: Bool): Bits = {
    val low = flit(31 downto 0) ^ state
    parities(last ? (low ## B(0, 32 bits)) | (flit(63 downto 32) ## low))
  }

  private def parities(folded: Bits): Bits = B(masks(widthOf(folded)).map(mask => (folded & B(mask, widthOf(folded) bits)).xorR))
}
