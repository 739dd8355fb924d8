package turnstile.sp

import turnstile.gen.{Params, UnitList}
import turnstile.niu.CommandEngine

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  val tops = Seq(
    "ServiceProcessor" -> ((p: Params) => new ServiceProcessor(SpParams(
      aps = p.int("aps", 1), high = p.int("high", 512), local = p.int("local", 64), low = p.int("low", 256),
      waitCycles = p.int("waitCycles", 256), regLatency = p.int("regLatency", 1)))),
    "CommandEngine" -> ((_: Params) => new CommandEngine)
  )
}
