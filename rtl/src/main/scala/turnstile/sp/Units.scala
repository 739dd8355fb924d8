package turnstile.sp

import spinal.core.Component
import turnstile.gen.{Params, UnitList}
import turnstile.registers.PageBlock

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  val tops = Seq[(String, Params => Component)](
    "ServiceProcessor" -> (p => new ServiceProcessor(SpParams(
      aps = p.int("aps", 1), high = p.int("high", 512), local = p.int("local", 64), low = p.int("low", 256),
      waitCycles = p.int("waitCycles", 256), regLatency = p.int("regLatency", 1), pages = p.int("pages", PageBlock.pages)))),
    "EventQueue" -> (p => new EventQueue(SpParams(
      high = p.int("high", 16), local = p.int("local", 16), low = p.int("low", 16)))),
    "LocalEvents" -> (p => new LocalEvents(p.int("sources", 4), p.int("aps", 1), p.int("pace", 1), paced = Set(3)))
  )
}
