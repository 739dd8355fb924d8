package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import turnstile.network.Link

/** Two ports and, between their MACs' pins, whatever a bench puts there. Either may be reset alone.
  *
  * @param clocked the MACs have clocks of their own ([[WireCrossing]])
  * @param macBits width of the MACs' streams, with `clocked`
  */
class WirePair(params: WireParams, clocked: Boolean = false, macBits: Int = 64) extends Component {
  require(clocked || macBits == 64, s"WirePair.macBits is $macBits without clocked; legal: 64, which a port has")
  val io = new Bundle {
    val fromSite = Vec.fill(2)(slave(Link()))
    val toSite = Vec.fill(2)(master(Link()))
    val restart = in(Bits(2 bits))
    val address = in(Vec.fill(2)(WireAddress()))
    val seed = in(Vec.fill(2)(UInt(16 bits)))
    val silence = in(UInt(8 bits))
    val roundTrip = in(UInt(14 bits))
    val tx = Vec.fill(2)(master(Axi4Stream(Wire.stream(macBits))))
    val rx = Vec.fill(2)(slave(Flow(Axi4Stream.Axi4StreamBundle(Wire.stream(macBits)))))
    val up = out(Bits(2 bits))
    val peerVersion = out(Vec.fill(2)(Bits(8 bits)))
    val counters = out(Vec.fill(2)(WireCounters()))
    val txClk, txReset, rxClk, rxReset = clocked generate in(Vec.fill(2)(Bool()))
    val overruns = clocked generate out(Vec.fill(2)(UInt(16 bits)))
  }

  for (n <- 0 until 2) new ResetArea(io.restart(n), cumulative = true) {
    private val crossing = clocked generate new WireCrossing(macBits)
    val port = new WirePort(params).setName(s"port_$n")
    port.io.fromSite << io.fromSite(n)
    io.toSite(n).flit << port.io.toSite.flit
    port.io.toSite.credit := io.toSite(n).credit
    port.io.address := io.address(n)
    port.io.seed := io.seed(n)
    port.io.silence := io.silence
    port.io.roundTrip := io.roundTrip
    if (clocked) {
      crossing.io.fromPort << port.io.tx
      port.io.rx << crossing.io.toPort
      crossing.io.txClk := io.txClk(n)
      crossing.io.txReset := io.txReset(n)
      crossing.io.rxClk := io.rxClk(n)
      crossing.io.rxReset := io.rxReset(n)
      io.tx(n) << crossing.io.tx
      crossing.io.rx << io.rx(n)
      io.overruns(n) := crossing.io.overruns
    } else {
      io.tx(n) << port.io.tx
      port.io.rx << io.rx(n)
    }
    io.up(n) := port.io.up
    io.peerVersion(n) := port.io.peerVersion
    io.counters(n) := port.io.counters
    Wire.named(s"io_tx_$n", io.tx(n).valid, Some(io.tx(n).ready), io.tx(n).payload)
    Wire.named(s"io_rx_$n", io.rx(n).valid, None, io.rx(n).payload)
  }
}
