package turnstile.registers

/** The NIU slave's scratch: data of writes that should not have happened (responder table X) or that the NIU claimed (C), oldest
  * first (VY-04, VY-10). */
object ScratchBlock extends RegisterBlock("Scratch of claimed writes") {
  import RegisterAccess._

  val count = register("SCRATCH_COUNT", 0xD00, R, "writes held; the registers below show the oldest")
  val address = register("SCRATCH_ADDRESS", 0xD04, R, "its byte address")
  val info = register("SCRATCH_INFO", 0xD08, R, "who wrote, and how",
    Field("MASTER", 0, 4, "bus master"), Field("OP", 4, 4, "bus op"),
    Field("MASK", 16, 16, "byte lanes of a partial write's beat; all ones for a line"))
  val free = register("SCRATCH_FREE", 0xD0C, W, "lets the oldest go, whatever is written; nothing happens when none is held")
  val forbidden = register("SCRATCH_FORBIDDEN", 0xD10, R, "stores of aPs to message queues that are not theirs")
  val word = array("SCRATCH_WORD", 0xD40, R, "word i of the oldest's line; a partial write's beat lies at its place in the line", count = 16)
}
