package turnstile.registers

/** The table of interrupts as PCI has it (MSI-X), in the second page of BAR0: a host's system writes it, a driver does not. */
object MsixBlock extends RegisterBlock("Interrupts, BAR0") {
  import RegisterAccess._

  val vectors = 8
  private def column(name: String, offset: Int, description: String, fields: Field*) =
    array(name, offset, RW, "of vector v: " + description, count = vectors, stride = 16, fields = fields)

  val address = column("MSIX_ADDRESS", 0x1000, "where its message is written; the two low bits are not used")
  val addressHigh = column("MSIX_ADDRESS_HIGH", 0x1004, "the upper half of that")
  val data = column("MSIX_DATA", 0x1008, "what is written")
  val control = column("MSIX_CONTROL", 0x100C, "after reset 1", Field("MASK", 0, 1, "it stays pending"))
  val pending = register("MSIX_PENDING", 0x1800, R, "a bit a vector: it has fired, and its message has not left")
}
