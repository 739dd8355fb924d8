package turnstile.registers

/** Translation of what users name in transfers (BZ-36): page tables in DRAM, a row for the table of each Basic queue's owner. */
object TranslationBlock extends RegisterBlock("NI TLB, of sites that have DMA") {
  import RegisterAccess._

  private val rows = "row q: the owner of Basic queue 8 + q. "
  val first = array("TLB_FIRST", 0x1000, RW, rows + "First page of his table as he names it, a byte address; closes the row", count = 8)
  val table = array("TLB_TABLE", 0x1020, RW, rows + "Bus address of the table, a word (TLB_PAGE) for each page, in DRAM outside the heap, 64 B aligned; closes the row", count = 8)
  val pages = array("TLB_PAGES", 0x1040, RW, rows + "Pages it has; opens the row, 0 closes it", count = 8)
  val forget = register("TLB_FORGET", 0x1060, RW,
    "store: forget a page whose word has changed; while BUSY any store is one of ALL. Load: BUSY until no transfer uses what was forgotten",
    Field("QUEUE", 0, 3, "q of its row"), Field("ALL", 3, 1, "every page"), Field("BUSY", 4, 1, "read only"), Field("PAGE", 12, 20, "its address[31:12], as its owner names it"))
  val looks = register("TLB_LOOKS", 0x1064, R, "lines that were looked up")
  val walks = register("TLB_WALKS", 0x1068, R, "pages that were looked up in their table")
  val entries = register("TLB_ENTRIES", 0x106C, R, "pages that it keeps; four of each set")

  /** A word of a page table: the sP writes its lower 24 bits, the NI TLB alone the others. */
  val page = WordFormat("TLB_PAGE", "a page of a queue's owner, in a table in DRAM", Seq(
    Field("FRAME", 0, 20, "its address[31:12] on the Site Bus"), Field("READ", 20, 1, "its owner's transfers take bytes from there"),
    Field("TOLD", 21, 1, "its owner is told there that a transfer is over"), Field("OPEN", 22, 1, "others write there by the queue's names"),
    Field("USED", 24, 1, "a transfer has used it"), Field("DIRTY", 25, 1, "a transfer may have written it")))
}
