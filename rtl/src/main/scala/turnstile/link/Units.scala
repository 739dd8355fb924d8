package turnstile.link

import spinal.core.Component
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  private def wire(p: Params) = WireParams(p.int("windowFlits", 4096), p.int("localFlits", 32))

  val tops = Seq[(String, Params => Component)](
    "WirePort" -> (p => new WirePort(wire(p))),
    "WireCrossing" -> (p => new WireCrossing(p.int("macBits", 64))),
    "CardWire" -> (p => new CardWire(wire(p), p.int("macBits", 64))),
    "SendWindow" -> (p => new SendWindow(wire(p))),
    "ReceiveWindow" -> (p => new ReceiveWindow(wire(p))),
    "WirePair" -> (p => new WirePair(wire(p), p.boolean("clocked", false), p.int("macBits", 64)))
  )
}
