package turnstile.registers

/** Blocks that a card may have; a driver takes no block whose kind or version it does not know. */
object HostCapability {
  val control = 1
  val shared = 2
  val queues = 3
  val interrupts = 4
  val start = 5
  val wire = 6
}

/** What each vector of a card stands for; from `queues` on the host's queues, in the order of their numbers, up to `wire`. */
object HostVector {
  val fault = 0
  val firmware = 1
  val queues = 2
  val wire = 7
}

/** BAR0 of a card: what a driver reads before it knows the card. */
object HostBlock extends RegisterBlock("Control, BAR0") {
  import RegisterAccess._

  /** "TSTL", the first letter in bits 7 to 0. */
  val magicValue = 0x4C545354L

  /** Of LIMIT: 4096 cycles, at 100 MHz less than the 50 us that are the least a root complex may wait. */
  val resetLimit = 16

  val magic = register("MAGIC", 0x000, R, "HOST_MAGIC_VALUE: a card of ours")
  val buildId = register("BUILD_ID", 0x004, R, "HOST_BUILD_ID_VALUE of the header of this build: all registers are where that header says")
  val capabilities = register("CAPABILITIES", 0x008, R, "offset of the first capability")
  val scratch = register("SCRATCH", 0x00C, RW, "keeps what is written, for tests")
  val unsupported = register("COUNT_UNSUPPORTED", 0x010, R, "requests answered as unsupported: no such BAR, function, address or kind of request")
  val aborted = register("COUNT_ABORTED", 0x014, R, "requests answered as aborted: no length, or over a 4 KB boundary")
  val refused = register("COUNT_REFUSED", 0x018, R, "writes dropped for such a reason, writes of parts of a register, and messages")
  val malformed = register("COUNT_MALFORMED", 0x01C, R, "packets shorter or longer than they say, or damaged in the PCIe block")
  val limit = register("LIMIT", 0x020, RW, "how long a load or store of shared memory may wait, in units of 256 cycles, 1 to 32767 (others change nothing); " +
    "less than the root complex waits for a completion")
  val storesFree = register("STORES_FREE", 0x024, R, "stores of up to 16 bytes that have a place now; one that finds none is lost")
  val loadsFailed = register("COUNT_LOADS_FAILED", 0x028, R, "lines that loads did not get: they read as 0xBAD0BAD0")
  val storesFailed = register("COUNT_STORES_FAILED", 0x02C, R, "stores lost or given up")
  val fault = register("FAULT", 0x030, RW, "the first of these since it was written last; a write of anything frees it",
    Field("CAUSE", 0, 3, "HOST_CAUSE_* code"))
  val faultAddress = register("FAULT_ADDRESS", 0x034, R, "its address in BAR4")
  val waiting = register("WAITING", 0x038, R, "bit q: a message waits in queue q, which is a host's")
  val arm = register("INTERRUPT_ARM", 0x03C, RW, "a bit a vector (HOST_VECTOR_*): a set one is armed by a write, and fires once, at once if its cause is there; reads which are armed")
  val disarm = register("INTERRUPT_DISARM", 0x040, W, "vectors that are armed no more")
  val interrupts = register("COUNT_INTERRUPTS", 0x044, R, "messages to the host that have left")
  val firmware = register("FIRMWARE", 0x048, R, "how the sP's firmware is, since the card's reset",
    Field("STOPPED", 0, 1, "it trapped, and stands still"))
  val capability = array("CAPABILITY", 0x100, R, "of capability i", count = 8, stride = 16,
    fields = Seq(Field("KIND", 0, 16, "CAPABILITY_KIND_* code"), Field("VERSION", 16, 16, "of the block")))
  val next = array("CAPABILITY_NEXT", 0x104, R, "offset of the next capability's CAPABILITY, 0: it is the last", count = 8, stride = 16)
  val first = array("CAPABILITY_FIRST", 0x108, R, "SHARED: where the heap begins in BAR4; INTERRUPTS: vectors; START: aPs; QUEUES: bit q: queue q is the host's, in BAR2 where AP_EXPRESS_TX, AP_EXPRESS_RX, AP_BASIC are behind AP_BASE", count = 8, stride = 16)
  val second = array("CAPABILITY_SECOND", 0x10C, R, "CONTROL: reads that may wait at once; SHARED: bytes of the heap; START: bytes of an aP's private window; QUEUES: where HOST_RINGS are in BAR4", count = 8, stride = 16)
}
