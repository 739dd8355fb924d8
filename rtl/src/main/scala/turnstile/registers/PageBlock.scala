package turnstile.registers

import spinal.core._

/** What the hardware knows of a page of the heap (BZ-05), so that an event arrives with its handler, the state of its block, and where
  * and how large the next command is. Written by firmware when it opens a page. */
object PageBlock extends RegisterBlock("Page attributes") {
  import RegisterAccess._

  /** Pages of the heap that have attributes; page = address[22:12]. A larger heap has more, by [[PageBankBlock]]. */
  val pages = 2048
  /** Modes of a page, 0 that of a page nobody opened; firmware has two for each of its own, at the home and elsewhere. */
  val modes = 32
  /** Events that go by the mode of their page: messages to queue 0 with tags 0 to 23, faults. */
  def has(event: UInt): Bool = event(6 downto 5) === 0 && event(4 downto 3) =/= 3 || event(6 downto 5) === 1

  val attributes = array("PAGE_ATTRIBUTES", 0x50000, W, "page i; 0 after reset, and a store waits until all are", count = pages, stride = 8, fields = Seq(
    Field("MODE", 0, 5, "whose handlers its events have; 0 while nobody opened it"),
    Field("HOME", 5, 6, "site of its home"),
    Field("SIZE", 11, 3, "log2 of the lines of a block, 0 to 5"),
    Field("STATE_SHIFT", 14, 3, "log2 of the bytes of a block's state")))
  val state = array("PAGE_STATE", 0x50004, W, "page i: byte address of its first block's state, a multiple of the bytes of all its blocks' states",
    count = pages, stride = 8)
  val handler = array("PAGE_HANDLER", 0x60000, W,
    "handler address, in SP_IRAM, at mode*64 + event: of messages with tags 0 to 23 and faults whose EV_ARG lies in a page of that mode, not 0", count = 64 * modes)

  /** The page of a byte address in a heap of `of` pages. */
  def page(address: Bits, of: Int): UInt = address(12, log2Up(of) bits).asUInt
}

/** Of a heap with more than [[PageBlock]] `pages`; others have no such register. */
object PageBankBlock extends RegisterBlock("Page bank") {
  import RegisterAccess._

  val bank = register("PAGE_BANK", 0x0BC, W, "with a heap of more than 2048 pages: PAGE_ATTRIBUTES and PAGE_STATE i are those of page PAGE_BANK * 2048 + i")
}
