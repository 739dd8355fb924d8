package turnstile.registers

/** The NIU snooper's tables (VY-06, VY-10, VY-15). */
object SnooperBlock extends RegisterBlock("Snooper") {
  import RegisterAccess._

  val tagq = register("TAGQ", 0x0E0, RW, "write a line address, then read the line's cls code")
  val responder = array("RESPONDER", 0x800, RW, "action for (cls, op) at index cls*16 + op", count = 128)
  val approvalAddress = array("APPROVAL_ADDRESS", 0xC00, R, "approval entry i: byte address of the waiting access", count = 32, stride = 8)
  val approvalState = array("APPROVAL_STATE", 0xC04, R, "approval entry i", count = 32, stride = 8, fields = Seq(
    Field("MASTER", 0, 4, "bus master that waits"), Field("OP", 4, 4, "its op"),
    Field("APPROVED", 30, 1, "may proceed"), Field("VALID", 31, 1, "entry in use")))
}
