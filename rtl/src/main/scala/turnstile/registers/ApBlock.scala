package turnstile.registers

/** The page of registers that aPs see. */
object ApBlock extends RegisterBlock("Registers of aPs") {
  import RegisterAccess._

  val siteId = register("SITE_ID", 0x00, R, "number of this site")
  val sites = register("SITES", 0x04, R, "sites in the cluster")
  val apId = register("AP_ID", 0x08, R, "number of the aP that asks, at its site")
  val aps = register("APS", 0x0C, R, "application processors of this site")
  val timeLo = register("TIME_LO", 0x10, R, "cycles since reset, [31:0]; latches TIME_HI")
  val timeHi = register("TIME_HI", 0x14, R, "cycles since reset, [63:32], as of this aP's last read of TIME_LO")
  val console = register("CONSOLE", 0x20, W, "one character")
  val exit = register("EXIT", 0x24, W, "this process ended: its status")
  val mark = register("MARK", 0x28, W, "a value for the trace")
}

/** A queue's page of the Express receive window (VY-25, VY-26), and a group's of the OnePoll window (VY-31, VY-32). */
object ExpressReceivePage extends RegisterBlock("Express receive, a page a queue; OnePoll, a page a group") {
  import RegisterAccess._

  val data = register("DATA", 0x00, R, "word of the message that META took last; of TYPE 2 what RX_STATUS of that Basic queue was")
  val meta = register("META", 0x04, R, "takes a message: EXPRESS_META_* fields, or EMPTY_WORD when there is none; latches DATA")
}

/** A queue's page of the Basic window (VY-18, VY-22): free-running counts of slots. */
object BasicPage extends RegisterBlock("Basic pointers, a page a queue") {
  import RegisterAccess._

  val txProducer = register("TX_PRODUCER", 0x08, RW, "slots written by the aP")
  val txSent = register("TX_SENT", 0x0C, R, "slots sent")
  val status = register("STATUS", 0x10, R, "what this queue was refused, since reset",
    Field("COUNT", 0, 16, "how often, modulo 65536"),
    Field("CAUSE", 16, 3, "the last: 1 TX_PRODUCER back or past the ring, 2 RX_CONSUMER back or past RX_PRODUCER, 3 a slot with a wrong length, tag-on or address, " +
      "4 a destination without a name, 5 a received message, lost for the ring stayed full"))
  val rxStatus = register("RX_STATUS", 0x14, R, "both pointers of what is received, modulo 65536",
    Field("CONSUMER", 0, 16, "RX_CONSUMER"), Field("PRODUCER", 16, 16, "RX_PRODUCER"))
  val rxProducer = register("RX_PRODUCER", 0x18, R, "slots received")
  val rxConsumer = register("RX_CONSUMER", 0x1C, RW, "slots read by the aP")
}
