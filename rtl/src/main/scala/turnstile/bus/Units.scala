package turnstile.bus

import spinal.core.Component
import spinal.lib.bus.amba4.axi.Axi4SpecRenamer
import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def bus(p: Params) =
    BusParams(masters = p.int("masters", 5), caches = p.int("caches", 1), memory = p.memory)
  private def home(p: Params) = DramHomeParams(bus(p), writes = p.int("writes", 8))

  private def checks(p: Params) = p.boolean("assertions", true)

  val tops = Seq[(String, Params => Component)](
    "BusArbiter" -> (p => new BusArbiter(bus(p))),
    "BusElder" -> (p => new BusElder(bus(p))),
    "BusClient" -> (p => new BusClient(BusClientParams(
      masters = p.int("masters", 2), bypass = p.boolean("bypass", true), backOff = p.int("backOff", 4), staged = p.boolean("staged", false)))),
    "SiteBus" -> (p => new SiteBus(bus(p), checks(p))),
    "DramHome" -> (p => {
      val top = new DramHome(home(p))
      Axi4SpecRenamer(top.io.axi)
      top
    }),
    "BusWithDram" -> (p => new BusWithDram(home(p), checks(p)))
  )
}
