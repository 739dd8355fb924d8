package turnstile.network

import spinal.core._
import spinal.lib._

/** Lets a packet go when all of it is here, one beat after another without a gap, for a receiver that bears none: an Ethernet MAC; the integrated
  * block of PCI Express, as designs for it are written (PG213 was not at hand to be cited for it).
  *
  * Latency: a packet's first beat goes in the cycle after its last has come.
  *
  * @param beat  of a packet
  * @param beats a power of two; the longest packet may have one less
  */
class PacketGate[T <: Data](beat: HardType[T], beats: Int) extends Component {
  val io = new Bundle {
    val from = slave(Stream(Fragment(beat())))
    val to = master(Stream(Fragment(beat())))
  }
  private val kept = StreamFifo(cloneOf(io.from.payload), beats, latency = 1)
  kept.io.push << io.from
  private val whole = Reg(UInt(log2Up(beats) + 1 bits)) init 0
  whole := whole + (io.from.fire && io.from.last).asUInt - (io.to.fire && io.to.last).asUInt
  io.to << kept.io.pop.continueWhen(whole =/= 0)
}
