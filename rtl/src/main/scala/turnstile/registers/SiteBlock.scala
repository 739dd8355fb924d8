package turnstile.registers

/** The sP's site: time, console, its numbers, the aPs. */
object SiteBlock extends RegisterBlock("Site") {
  import RegisterAccess._

  val txFree = register("TX_FREE", 0x014, R, "free Express entries of transmit queue 0",
    Field("LOW", 0, 16, "low priority"), Field("HIGH", 16, 16, "high priority"))
  val timeLo = register("TIME_LO", 0x0B0, R, "cycles since reset, [31:0]; latches TIME_HI")
  val timeHi = register("TIME_HI", 0x0B4, R, "cycles since reset, [63:32], as of the last read of TIME_LO")
  val timer = register("TIMER", 0x0B8, RW, "arms: event 97 once when TIME_LO reaches this value")
  val console = register("CONSOLE", 0x0C0, W, "one character")
  val siteId = register("SITE_ID", 0x0C4, R, "number of this site")
  val sites = register("SITES", 0x0C8, R, "sites in the cluster")
  val aps = register("APS", 0x0CC, R, "application processors of this site")
  val apRun = register("AP_RUN", 0x0D0, RW, "bit i releases aP i from reset")
  val trap = register("TRAP", 0x0D4, W, "the firmware died: cause; raises the trap pin")
}
