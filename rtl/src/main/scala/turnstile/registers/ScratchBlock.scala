package turnstile.registers

/** The NIU slave's scratch: data of writes that should not have happened (responder table X) or that the NIU claimed (C), oldest
  * first (VY-04, VY-10). */
object ScratchBlock extends RegisterBlock("Scratch of claimed writes") {
  import RegisterAccess._

  val held = register("SCRATCH_HELD", 0xD00, R, "writes of aPs that the NIU claimed and the sP has not let go, 0 to 8; the registers below show the oldest")
  val address = register("SCRATCH_ADDRESS", 0xD04, R, "its byte address")
  val info = register("SCRATCH_INFO", 0xD08, R, "who wrote, and how",
    Field("MASTER", 0, 4, "bus master"), Field("OP", 4, 4, "bus op"),
    Field("MASK", 16, 16, "byte lanes of a partial write's beat; all ones for a line"))
  val free = register("SCRATCH_FREE", 0xD0C, W, "lets the oldest go, whatever is written; nothing happens when none is held")
  val data = array("SCRATCH_DATA", 0xD40, R, "word i of its line; of a partial write those under MASK", count = 16)
}
