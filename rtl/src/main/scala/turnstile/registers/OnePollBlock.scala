package turnstile.registers

/** Groups of receive queues for OnePoll (VY-31, VY-32): who may load from a group's page, and what is in it. */
object OnePollBlock extends RegisterBlock("Groups of OnePoll") {
  import RegisterAccess._

  val first = register("ONEPOLL_FIRST", 0xD20, W, "members 0 to 7 of the next ONEPOLL_GROUP, 4 bits each: resident receive queues, the highest first from bit 0; 0 is none")
  val more = register("ONEPOLL_MORE", 0xD24, W, "members 8 to 15, behind them")
  val group = register("ONEPOLL_GROUP", 0xD28, W, "gives a group these members and owners, all at once; after reset none has any",
    Field("NUMBER", 0, 6, "group: its page"), Field("APS", 8, 4, "a bit an aP that may load it; of the members it gets those it owns (QUEUE_OWNERS)"))
}
