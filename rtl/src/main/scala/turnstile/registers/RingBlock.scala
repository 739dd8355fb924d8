package turnstile.registers

/** Rings of the Basic queues (VY-16 to VY-19): i = 0 to 7 is queue 8 + i. Set up in the order base, size, tag-on: each switches off
  * what comes after it. What is refused reads 0 (RINGS_REFUSED). */
object RingBlock extends RegisterBlock("Basic rings") {
  import RegisterAccess._

  val txBase = array("BASIC_TX_BASE", 0xE00, RW, "Basic queue 8+i: byte address of the transmit ring; a write switches the ring off", count = 8, stride = 16)
  val txSize = array("BASIC_TX_SIZE", 0xE04, RW, "Basic queue 8+i: log2 of the transmit slots, 0 off or refused; a write sets both pointers of the ring to 0", count = 8, stride = 16)
  val rxBase = array("BASIC_RX_BASE", 0xE08, RW, "Basic queue 8+i: byte address of the receive ring; a write switches the ring off", count = 8, stride = 16)
  val rxSize = array("BASIC_RX_SIZE", 0xE0C, RW, "Basic queue 8+i: log2 of the receive slots, 0 off or refused; a write sets both pointers of the ring to 0", count = 8, stride = 16)
  val txTagOn = array("BASIC_TX_TAGON", 0xE80, RW, "Basic queue 8+i: byte address of the transmit tag-on area, 0 off or refused; set after the size", count = 8, stride = 8)
  val rxTagOn = array("BASIC_RX_TAGON", 0xE84, RW, "Basic queue 8+i: byte address of the receive tag-on area, 0 off or refused; set after the size", count = 8, stride = 8)
}
