package turnstile.registers

/** What each aP may reach (VY-34, VY-37); whatever else it asks for is answered by nobody. */
object GuardBlock extends RegisterBlock("What aPs may reach") {
  import RegisterAccess._

  val queueRefused = register("QUEUE_REFUSED", 0xD10, R, "accesses of aPs to queues that are not theirs")
  val memoryRefused = register("MEMORY_REFUSED", 0xD14, R, "reads of lines by aPs that are neither shared nor theirs")
  val owners = array("QUEUE_OWNERS", 0xD80, RW, "queue i: the aPs that may use it; after reset aP i has 2 + i and 10 + i", count = 16,
    fields = Seq(Field("APS", 0, 4, "a bit an aP: in both directions"), Field("SENDERS", 4, 4, "of an Express queue, a bit an aP: it may send by it, and not receive")))
  val from = array("MEMORY_FROM", 0xDC0, RW, "aP i may reach DRAM from here, beside its private window and the heap; a line's address", count = 4, stride = 8)
  val until = array("MEMORY_UNTIL", 0xDC4, RW, "aP i: to below here; after reset it has none", count = 4, stride = 8)
}
