package turnstile.registers

/** The sP's events (VY-45): taking the next one, and where each is handled. */
object EventBlock extends RegisterBlock("Events") {
  import RegisterAccess._

  val next = register("EV_NEXT", 0x000, R, "takes the next event and returns its handler's address; waits up to 256 cycles when there is none, then returns the handler of event 127")
  val arg = register("EV_ARG", 0x004, RW,
    "operand of the current event, the one last taken: the word of a message, the byte address of a fault. A store makes it another, of another page")
  val meta = register("EV_META", 0x008, RW, "second operand of the current event: META_MESSAGE_*, META_FAULT_* or META_COMMAND_* fields")
  val count = register("EV_COUNT", 0x00C, R, "events waiting",
    Field("LOW", 0, 10, "low messages"), Field("LOCAL", 10, 10, "local events"), Field("HIGH", 20, 10, "high messages"))
  val enable = register("EV_ENABLE", 0x010, RW, "sources EV_NEXT may take from; all set after reset",
    Field("HIGH", 0, 1, "high messages"), Field("LOCAL", 1, 1, "local events"), Field("LOW", 2, 1, "low messages"))
  val depth = register("EV_DEPTH", 0x018, R, "events that the FIFOs hold, one more waits at each head",
    Field("LOW", 0, 10, "low messages"), Field("LOCAL", 10, 10, "local events"), Field("HIGH", 20, 10, "high messages"))
  val state = register("EV_STATE", 0x01C, R, "byte address of the state of the block that EV_ARG lies in, by the attributes of its page")
  val page = register("EV_PAGE", 0x020, R, "PAGE_ATTRIBUTES of the page that EV_ARG lies in")
  val askHome = array("ASK_HOME", 0x100, W, "sends this word, low, with tag i to the sP protocol queue of that page's home; waits like an Express store", count = 32)
  val handler = array("HANDLER", 0x200, RW, "handler address, in SP_IRAM, of event i of no page, or of a page of mode 0", count = 128)
}
