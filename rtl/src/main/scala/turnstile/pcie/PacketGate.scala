package turnstile.pcie

import spinal.core._
import spinal.lib._

/** Lets a completion go when all of it is here, one beat after another without a gap, while ours are made of dwords that come one a cycle
  * (and across clocks). That the integrated block needs it so is how its designs are written; PG213 was not at hand to be cited for it.
  *
  * Latency: a packet's first beat goes in the cycle after its last has come.
  */
class PacketGate extends Component {
  val io = new Bundle {
    val from = slave(Stream(Fragment(PcieBeat(PcieStream.completionUser))))
    val to = master(Stream(Fragment(PcieBeat(PcieStream.completionUser))))
  }
  // The longest is 18 beats: 3 dwords of descriptor, 128 bytes.
  private val beats = StreamFifo(cloneOf(io.from.payload), 32, latency = 1)
  beats.io.push << io.from
  private val whole = Reg(UInt(6 bits)) init 0
  whole := whole + (io.from.fire && io.from.last).asUInt - (io.to.fire && io.to.last).asUInt
  io.to << beats.io.pop.continueWhen(whole =/= 0)
}
