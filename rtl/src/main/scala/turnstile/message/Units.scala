package turnstile.message

import spinal.core._
import turnstile.gen.{Params, UnitList}
import turnstile.network.NetworkParams

object Units extends UnitList {
  val tops = Seq[(String, Params => Component)](
    "MessageUnit" -> (p => new MessageUnit(MessageParams(aps = p.int("aps", 1), network = NetworkParams(sites = p.int("sites", 4)))))
  )
}
