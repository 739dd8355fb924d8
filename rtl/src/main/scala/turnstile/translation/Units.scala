package turnstile.translation

import spinal.core._
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  private def bus(p: Params) = BusParams(masters = 5, caches = 1, memory = p.memory)

  val tops = Seq[(String, Params => Component)](
    "NiTlb" -> (p => new NiTlb(bus(p), ports = 2, sets = p.int("sets", 256))))
}
