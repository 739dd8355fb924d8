package turnstile.snoop

import spinal.core.Component
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  private def params(p: Params) = SnooperParams(
    bus = BusParams(
      masters = p.int("masters", 5),
      caches = p.int("caches", 2),
      memoryBytes = BigInt(p.int("memoryBytes", 16 << 20))),
    entries = p.int("entries", 8),
    ageLimit = p.int("ageLimit", 4096),
    deferTimeout = p.int("deferTimeout", 1024))

  val tops = Seq[(String, Params => Component)]("ClsSram" -> (p => new ClsSram(params(p))), "Snooper" -> (p => new Snooper(params(p))))
}
