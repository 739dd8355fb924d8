package turnstile.niu

import spinal.core._
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  val tops = Seq[(String, Params => Component)]("NiuSlave" -> (p => new NiuSlave(NiuSlaveParams(aps = p.int("aps", 1)))))
}
