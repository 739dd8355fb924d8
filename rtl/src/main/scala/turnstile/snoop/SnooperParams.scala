package turnstile.snoop

import spinal.core._
import turnstile.bus.BusParams

/** Build options of a snooper.
  *
  * @param bus          the bus it listens to; the heap of its memory gets tags, 3 bits a line
  * @param entries      approval entries, 1 (the paper's register) to 32; one a master that may wait at a time is enough
  * @param ageLimit     cycles after which an entry is given up when its master does not come back (VY-06), 64 to 65536, a
  *                     multiple of 16; it must exceed the longest back-off of a master. Freed between ageLimit and
  *                     ageLimit * 17/16 cycles after the op was last seen
  * @param deferTimeout cycles a tag command with `defer` waits for approved accesses (BZ-33), 1 to 65536
  */
case class SnooperParams(bus: BusParams, entries: Int = 8, ageLimit: Int = 4096, deferTimeout: Int = 1024) {
  require(entries >= 1 && entries <= 32, s"Snooper: $entries approval entries, legal 1 to 32")
  require(ageLimit >= 64 && ageLimit <= 65536 && ageLimit % 16 == 0,
    s"Snooper: ageLimit of $ageLimit cycles, legal a multiple of 16 from 64 to 65536")
  require(deferTimeout >= 1 && deferTimeout <= 65536,
    s"Snooper: deferTimeout of $deferTimeout cycles, legal 1 to 65536")

  /** Lines a tag word: the longest range one command changes at once. */
  val wordLines = 32
  val words = ((bus.heapEnd - bus.heapBase) / (bus.lineBytes * wordLines)).toInt
  val wordWidth = log2Up(words)
  val lineWidth = wordWidth + log2Up(wordLines)
  val lineShift = log2Up(bus.lineBytes)
  /** Of a bank of the cls SRAM: as narrow as a block RAM of 16 Kbit is when it holds all words of the memory's heap, so that no multiplexer of
    * several follows its late output. Four with the default heap.
    */
  val bankBits = Seq(16, 8).find(16384 / _ >= (bus.memory.heapEnd - bus.memory.heapBase) / (bus.lineBytes * wordLines)).getOrElse(4)

  /** Number of the line in the heap. Meaningful for heap addresses alone: the heap begins at a power of two above its size. */
  def line(address: UInt): UInt = address(lineShift, lineWidth bits)
  def address(line: UInt): UInt = (U(bus.heapBase, 32 bits) | (line << lineShift).resize(32)).resize(32)
}
