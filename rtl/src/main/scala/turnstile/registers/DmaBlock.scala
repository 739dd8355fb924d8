package turnstile.registers

/** DMA (VY-21): what became of transfers. What they may reach: [[TranslationBlock]]. */
object DmaBlock extends RegisterBlock("DMA, of sites that have it") {
  import RegisterAccess._

  val unit = register("DMA_UNIT", 0x10C0, R, "version of the DMA unit; 0: the site has none")
  val transfers = register("DMA_TRANSFERS", 0x10C4, R, "transfers of this site that are over, well or not")
  val refused = register("DMA_REFUSED", 0x10C8, R, "of these, refused or failed; and descriptors for which there was no place, or of another length")
  val foreign = register("DMA_FOREIGN", 0x10CC, R, "transfers to this site that failed here: an address that is not open, or a packet missing")
  val stray = register("DMA_STRAY", 0x10D0, R, "descriptors of a name that stands for no queue, answers nobody waits for")

  val dest = WordFormat("DMA_DEST", "word 3 of a descriptor: who its bytes go to, and who is told", Seq(
    Field("NAME", 0, 9, "of the Basic queue whose owner they go to"), Field("TELL", 9, 9, "name of an Express queue that gets the cookie as a message, when all is there"),
    Field("TAG", 18, 5, "of that message"), Field("TELLS", 31, 1, "there is such a message")))
}
