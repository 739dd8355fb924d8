package turnstile.registers

/** The wire to the other card, BAR0 (docs/design/wire.md). */
object WireBlock extends RegisterBlock("Wire, BAR0") {
  import RegisterAccess._

  /** Cycles from a frame to its acknowledgement, after reset: a cable and a switch at 100 MHz. */
  val resetRoundTrip = 1024
  /** Units of 256 cycles. */
  val resetSilence = 64

  val status = register("WIRE_STATUS", 0x300, RW, "how the wire is; a write of anything clears CHANGED",
    Field("UP", 0, 1, "both ends know each other"), Field("CHANGED", 1, 1, "UP has changed since it was cleared"),
    Field("PEER_VERSION", 8, 8, "of the last frame of another version, which is refused; 0: none has come"))
  val control = register("WIRE_CONTROL", 0x304, RW, "of the port", Field("ENABLE", 0, 1, "frames go and come; while not, packets to other sites are dropped and counted"))
  val own = register("WIRE_OWN", 0x308, RW, "own MAC address, the first byte in bits 7 to 0")
  val ownHigh = register("WIRE_OWN_HIGH", 0x30C, RW, "its last two bytes", Field("BYTES", 0, 16, "the fifth in bits 7 to 0"))
  val peer = register("WIRE_PEER", 0x310, RW, "the peer's MAC address, as WIRE_OWN")
  val peerHigh = register("WIRE_PEER_HIGH", 0x314, RW, "its last two bytes", Field("BYTES", 0, 16, "the fifth in bits 7 to 0"))
  val roundTrip = register("WIRE_ROUND_TRIP", 0x318, RW, "cycles from a frame to its acknowledgement", Field("CYCLES", 0, 14, "what the wire takes"))
  val silence = register("WIRE_SILENCE", 0x31C, RW, "how long nothing comes before the wire is down", Field("UNITS", 0, 8, "of 256 cycles, 8 to 255; others change nothing"))

  /** In the order of the fields of WireCounters, then what the MAC's clock left out. */
  val counters = Seq(
    "GOOD" -> "frames let through", "DAMAGED" -> "frames damaged or of no legal form", "FOREIGN" -> "frames that are not the peer's",
    "OTHER_VERSION" -> "frames of another version", "STALE" -> "frames of another session", "NO_ROOM" -> "frames without a place for their flits",
    "REPEATED" -> "frames that were here already", "AGAIN" -> "frames sent again", "DOWNS" -> "times the wire went down",
    "DROPPED" -> "packets to other sites dropped while the wire was down", "CUT" -> "packets cut when it went down",
    "OVERRUNS" -> "frames from the MAC that found no place, modulo 65536"
  ).zipWithIndex.map { case ((name, meaning), i) => register(s"COUNT_WIRE_$name", 0x340 + 4 * i, R, meaning) }
}
