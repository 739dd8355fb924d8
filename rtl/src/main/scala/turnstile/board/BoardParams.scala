package turnstile.board

import java.nio.file.{Files, Path}

import spinal.core._
import turnstile.registers.MemoryLayout
import turnstile.site.SiteParams
import turnstile.sp.SpContents

/** What the memories of a board hold when it is configured: words of the sP's RAMs, beats of 16 bytes of the aP's window. */
case class BoardImage(sp: SpContents = SpContents(), window: Seq[BigInt] = Nil)

object BoardImage {

  /** From the folder that `tools/board_image.py` writes: little endian bytes, from the first address of each memory on. */
  def read(folder: Path): BoardImage = {
    def words(name: String, bytes: Int): Seq[BigInt] =
      Files.readAllBytes(folder.resolve(s"$name.image")).toSeq.grouped(bytes).map(word => BigInt(1, word.reverse.toArray)).toSeq
    BoardImage(SpContents(words("instructions", 4), words("data", 4)), words("window", 16))
  }
}

/** A site on a board without DRAM. Its memory is 4 MB of addresses, of which the begin of the aP's window and the begin of the heap are
  * there, in block RAM.
  *
  * @param clock  of the site
  * @param baud   of the console's line
  * @param window bytes of the aP's window that are there, a multiple of 64
  * @param heap   bytes of the heap that are there, a multiple of 64
  * @param image  what the memories hold at first
  */
case class BoardParams(clock: HertzNumber = 40 MHz, baud: Int = 115200, window: BigInt = 48 << 10, heap: BigInt = 48 << 10,
  image: BoardImage = BoardImage(), assertions: Boolean = true) {
  private val layout = MemoryLayout(bytes = 4 << 20)
  require(window <= layout.privateBytes, s"Board: $window bytes of the aP's window, legal at most ${layout.privateBytes}")
  require(heap <= layout.heapEnd - layout.heapBase, s"Board: $heap bytes of heap, legal at most ${layout.heapEnd - layout.heapBase}")

  val site = SiteParams(memory = layout, contents = image.sp, assertions = assertions)
  val regions = Seq(BlockRegion(0, window, image.window), BlockRegion(layout.heapBase - layout.base, heap))
  val consoleDepth = 2048
}
