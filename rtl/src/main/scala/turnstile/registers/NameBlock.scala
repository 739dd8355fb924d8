package turnstile.registers

/** The name translation (VY-33). */
object NameBlock extends RegisterBlock("Name translation") {
  import RegisterAccess._

  val translation = array("TRANSLATION", 0x40000, RW, "row txq*512 + dest9: what a name of a transmit queue means", count = 16 * 512, fields = Seq(
    Field("SITE", 0, 6, "site"), Field("RXQ", 6, 9, "receive queue there"), Field("SOURCE", 15, 9, "name under which to answer"),
    Field("PACED", 24, 1, "its messages are paced (docs/design/message.md)"),
    Field("VALID", 31, 1, "the name may be used")))
}
