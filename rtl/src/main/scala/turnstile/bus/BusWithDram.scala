package turnstile.bus

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Site Bus and DRAM home in one piece, as every site has them: the top of the benches and of the latency measurements. */
class BusWithDram(p: DramHomeParams, assertions: Boolean = true) extends Component {
  val io = new Bundle {
    val masters = Vec(slave(BusMasterPort()), p.bus.masters)
    val snoop = Vec(master(SnoopPort()), p.bus.caches + 2)
    val claim = master(ClaimPort())
    val refuse, wake = in Bool ()
    val axi = master(Axi4(p.axi))
  }

  val bus = new SiteBus(p.bus, assertions)
  bus.io.refuse := io.refuse
  val home = new DramHome(p)
  for ((a, b) <- io.masters zip bus.io.masters) a <> b
  for ((a, b) <- io.snoop zip bus.io.snoop) a <> b
  io.claim <> bus.io.claim
  bus.io.wake := io.wake
  bus.io.memory <> home.io.bus
  io.axi <> home.io.axi
}
