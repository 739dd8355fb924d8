package turnstile.registers

/** DMA (VY-21): which memory the owner of a Basic queue may send from, and which others may write to by that queue's names. */
object DmaBlock extends RegisterBlock("DMA, of sites that have it") {
  import RegisterAccess._

  private val rows = "row q: what the owner of queue 8 + q may read, and have told that a transfer is over; row 8 + q: where transfers to queue 8 + q may write. "
  val unit = register("DMA_UNIT", 0x10C0, R, "version of the DMA unit; 0: the site has none")
  val transfers = register("DMA_TRANSFERS", 0x10C4, R, "transfers of this site that are over, well or not")
  val refused = register("DMA_REFUSED", 0x10C8, R, "of these, refused or failed; and descriptors for which there was no place, or of another length")
  val foreign = register("DMA_FOREIGN", 0x10CC, R, "transfers to this site that failed here: an address that is not open, or a packet missing")
  val stray = register("DMA_STRAY", 0x10D0, R, "descriptors of a name that stands for no queue, answers nobody waits for")
  val from = array("DMA_FROM", 0x1000, RW, rows + "First line as the user names it; closes the row", count = 16)
  val bus = array("DMA_BUS", 0x1040, RW, rows + "The same line's address on the Site Bus, in DRAM outside the heap; closes the row", count = 16)
  val lines = array("DMA_LINES", 0x1080, RW, rows + "Lines from there on; opens the row, 0 closes it", count = 16)
}
