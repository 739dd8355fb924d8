package turnstile.bus

import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def bus(p: Params) =
    BusParams(masters = p.int("masters", 5), caches = p.int("caches", 1), memoryBytes = p.long("memoryBytes", 16 << 20))
  private def home(p: Params) = DramHomeParams(bus(p), writes = p.int("writes", 8))

  val tops = Seq(
    "SiteBus" -> (p => new SiteBus(bus(p), assertions = p.boolean("assertions", true))),
    "DramHome" -> (p => new DramHome(home(p))),
    "BusWithDram" -> (p => new BusWithDram(home(p)))
  )
}
