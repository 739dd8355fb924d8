package turnstile.cache

import turnstile.gen.{Params, UnitList}
import spinal.core.Component

object Units extends UnitList {
  private def data(p: Params) = DataCacheParams(p.int("bytes", 8192), p.int("ways", 1), p.int("backOff", 6))
  val tops = Seq[(String, Params => Component)](
    "DataCache" -> (p => new DataCache(data(p))),
    "ApCore" -> (p => new ApCore(ApCoreParams(data(p)))))
}
