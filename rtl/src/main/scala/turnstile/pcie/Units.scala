package turnstile.pcie

import spinal.core.Component
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}

/** Tops of the unit for `tools/rtlgen`. */
object Units extends UnitList {
  private def pcie(p: Params) =
    PcieParams(BusParams(masters = 1, caches = 0, memory = p.memory), reads = p.int("reads", 32),
      stores = p.int("stores", 256), held = p.boolean("held", false), wire = p.boolean("wire", false))

  val tops = Seq[(String, Params => Component)](
    "PcieBridge" -> (p => new PcieBridge(pcie(p))),
    "PcieClocked" -> (p => new PcieClocked(pcie(p))),
    "WindowShare" -> (_ => new WindowShare)
  )
}
