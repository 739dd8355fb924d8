package turnstile.niu

import spinal.core._
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  val tops = Seq[(String, Params => Component)](
    "NiuSlave" -> { p =>
      val aps = p.int("aps", 1)
      new NiuSlave(NiuSlaveParams(aps, BusParams(masters = 2 * aps + 4, caches = aps), writers = aps))
    },
    "CommandEngine" -> (p => new CommandEngine)
  )
}
