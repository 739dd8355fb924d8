package turnstile.niu

import spinal.core._
import turnstile.bus.BusParams

/** A value an aP wrote to CONSOLE, EXIT or MARK; `ap` is its number at the site. */
case class ApValue(width: Int) extends Bundle {
  val ap = UInt(2 bits)
  val value = Bits(width bits)
}

/** @param aps aPs of the site, 1 to 4; their data caches are masters 0, 2, 4, 6
  * @param bus where the heap lies
  * @param onePollGroups groups of OnePoll, 2 to 64: each aP may have four, and a LUT RAM holds no less than 16
  * @param writers who may have a write of the heap on the bus, each one at a time: the aPs, and a host
  */
case class NiuSlaveParams(aps: Int, bus: BusParams, writers: Int, onePollGroups: Int = 16) {
  require(aps >= 1 && aps <= 4, s"NiuSlaveParams.aps is $aps; legal: 1 to 4")
  require(onePollGroups >= 2 && onePollGroups <= 64, s"NiuSlaveParams.onePollGroups is $onePollGroups; legal: 2 to 64")

  /** Lines of scratch: one for each writer is free when a write is claimed, and as many may wait for the sP. */
  val scratchLines = 8
}
