package turnstile.registers

/** Starting a card, BAR0: which site it is, and its sP, whose firmware the driver writes while it is held. For a driver alone, as all of BAR0. */
object LoaderBlock extends RegisterBlock("Start, BAR0") {
  import RegisterAccess._

  /** Words to the sP that wait for their turn. */
  val places = 64

  val site = register("SITE", 0x200, RW, "which site of the cluster the card is; a write says so to a card that has no pins for it, while its sP is held",
    Field("NUMBER", 0, 6, "0 to 63"), Field("SITES", 8, 7, "in the cluster, 1 to 64"))
  val control = register("SP_CONTROL", 0x204, RW, "of the sP", Field("HELD", 0, 1, "it is held in reset; when it no more is, it begins anew behind the words before"))
  val address = register("SP_ADDRESS", 0x208, RW, "where in the sP's address space the next word is written or read, a multiple of 4; words written and read move it on")
  val read = register("SP_READ", 0x20C, W, "reads a word, whatever is written here, behind those that are written")
  val status = register("SP_STATUS", 0x210, R, "of words to the sP", Field("ROOM", 0, 8, "places for words now; one that finds none is lost"),
    Field("READING", 8, 1, "the word that was asked for has not come"))
  val word = register("SP_WORD", 0x214, R, "what the last read brought; ones where nothing is")
  val turns = register("SP_TURNS", 0x218, R, "how often the firmware has asked for an event, at least once in 300 cycles that it does not spend in a handler: its heartbeat")
  val lost = register("COUNT_SP_LOST", 0x21C, R, "words that found no place")
  val data = array("SP_DATA", 0x280, W, "a word to the sP: any of them, so that they are written in bursts", count = 32)
}
