package turnstile.cache

import spinal.core.Component
import spinal.lib.bus.amba4.axi.Axi4SpecRenamer
import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def data(p: Params) = DataCacheParams(p.int("bytes", 8192), p.int("ways", 1), p.int("backOff", 6), p.memory,
    p.boolean("atomics", false))

  private def core(p: Params) = ApCoreParams(data(p), p.int("iBytes", 4096), p.int("iWays", 1), p.boolean("fpu", false),
    p.boolean("user", false))

  val tops = Seq[(String, Params => Component)](
    "DataCache" -> (p => new DataCache(data(p))),
    "ApCore" -> (p => new ApCore(core(p))),
    "ApSite" -> (p => {
      val top = new ApSite(p.int("aps", 2), core(p))
      Axi4SpecRenamer(top.io.axi)
      top
    }))
}
