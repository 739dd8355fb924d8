package turnstile.site

import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def site(p: Params) = SiteParams(
    aps = p.int("aps", 1), entries = p.int("entries", 8), memory = p.memory,
    highEvents = p.int("highEvents", 512), highSlots = p.int("highSlots", 56), host = p.boolean("host", false),
    dma = p.boolean("dma", false), atomics = p.boolean("atomics", false), assertions = p.boolean("assertions", true))

  val tops = Seq("Site" -> (p => new Site(site(p))))
}
