package turnstile.registers

/** Blocks that a card may have; a driver takes no block whose kind or version it does not know. */
object HostCapability {
  val control = 1
  val shared = 2
}

/** BAR0 of a card: what a driver reads before it knows the card. */
object HostBlock extends RegisterBlock("Control, BAR0") {
  import RegisterAccess._

  /** "TSTL", the first letter in bits 7 to 0. */
  val magicValue = 0x4C545354L

  val magic = register("MAGIC", 0x000, R, "HOST_MAGIC_VALUE: a card of ours")
  val buildId = register("BUILD_ID", 0x004, R, "HOST_BUILD_ID_VALUE of the header of this build: all registers are where that header says")
  val capabilities = register("CAPABILITIES", 0x008, R, "offset of the first capability")
  val scratch = register("SCRATCH", 0x00C, RW, "keeps what is written, for tests")
  val unsupported = register("COUNT_UNSUPPORTED", 0x010, R, "requests answered as unsupported: no such BAR, function, address or kind of request")
  val aborted = register("COUNT_ABORTED", 0x014, R, "requests answered as aborted: no length, or over a 4 KB boundary")
  val refused = register("COUNT_REFUSED", 0x018, R, "writes dropped for such a reason, writes of parts of a register, and messages")
  val malformed = register("COUNT_MALFORMED", 0x01C, R, "packets shorter or longer than they say, or damaged in the PCIe block")
  val capability = array("CAPABILITY", 0x100, R, "of capability i", count = 4, stride = 16,
    fields = Seq(Field("KIND", 0, 16, "CAPABILITY_KIND_* code"), Field("VERSION", 16, 16, "of the block")))
  val next = array("CAPABILITY_NEXT", 0x104, R, "offset of the next capability's CAPABILITY, 0: it is the last", count = 4, stride = 16)
  val first = array("CAPABILITY_FIRST", 0x108, R, "SHARED: where the heap begins in BAR4", count = 4, stride = 16)
  val second = array("CAPABILITY_SECOND", 0x10C, R, "CONTROL: reads that may wait at once; SHARED: bytes of the heap", count = 4, stride = 16)
}
