package turnstile.network

import spinal.core.Component
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  private def network(p: Params) = NetworkParams(p.int("sites", 4), p.int("bufferFlits", 32))

  val tops = Seq[(String, Params => Component)](
    "Router" -> (p => new Router(network(p))),
    "FatTree" -> (p => new FatTree(network(p))),
    "LinkTx" -> (p => new LinkTx(network(p))),
    "LinkRx" -> (p => new LinkRx(network(p))),
    "SitePath" -> (p => new SitePath(network(p)))
  )
}
