package turnstile.site

import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def site(p: Params) = SiteParams(
    aps = p.int("aps", 1), entries = p.int("entries", 8), memory = p.memory,
    highEvents = p.int("highEvents", 512), highSlots = p.int("highSlots", 56), host = p.boolean("host", false),
    held = p.boolean("held", false), wire = p.boolean("wire", false), macBits = p.int("macBits", 64),
    dma = p.boolean("dma", false), atomics = p.boolean("atomics", false), fpu = p.boolean("fpu", false), user = p.boolean("user", false),
    dataBytes = p.int("dataBytes", 8192), dataWays = p.int("dataWays", 1), fetchBytes = p.int("fetchBytes", 4096), fetchWays = p.int("fetchWays", 1),
    assertions = p.boolean("assertions", true))

  /** A card has what it needs ([[turnstile.board.CardSite]]), whatever is said. */
  def card(p: Params): SiteParams = site(p).copy(host = true, held = true, wire = true)

  val tops = Seq("Site" -> (p => new Site(site(p))))
}
