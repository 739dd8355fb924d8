package turnstile.registers

/** DMA (VY-21): what became of transfers. What they may reach: [[TranslationBlock]]. */
object DmaBlock extends RegisterBlock("DMA, of sites that have it") {
  import RegisterAccess._

  val unit = register("DMA_UNIT", 0x10C0, R, "version of the DMA unit; 0: the site has none")
  val transfers = register("DMA_TRANSFERS", 0x10C4, R, "transfers of this site that are over, well or not")
  val refused = register("DMA_REFUSED", 0x10C8, R, "of these, refused or failed; and descriptors for which there was no place, or of another length")
  val foreign = register("DMA_FOREIGN", 0x10CC, R, "transfers to this site that failed here: an address that is not open, or a packet missing")
  val stray = register("DMA_STRAY", 0x10D0, R, "descriptors of a name that stands for no queue, answers nobody waits for")
}
