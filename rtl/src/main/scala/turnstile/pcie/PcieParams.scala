package turnstile.pcie

import spinal.core._
import turnstile.bus.BusParams

/** @param bus   where the shared heap lies: BAR4 is the site's DRAM, of which the host reaches that part
  * @param reads that may wait for their answers at once, 2 to 32: so many the integrated block can be told of (a power of two)
  */
case class PcieParams(bus: BusParams, reads: Int = 32) {
  require(isPow2(reads) && reads >= 2 && reads <= 32, s"PcieParams.reads is $reads; legal: a power of two from 2 to 32")
}
