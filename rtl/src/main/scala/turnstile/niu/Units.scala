package turnstile.niu

import spinal.core._
import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  val tops = Seq[(String, Params => Component)](
    "NiuSlave" -> (p => new NiuSlave(NiuSlaveParams(aps = p.int("aps", 1)))),
    "CommandEngine" -> (p => new CommandEngine)
  )
}
