package turnstile.cache

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import turnstile.bus._

/** aPs on the real Site Bus and DRAM home, without an NIU: the top of the aP's benches.
  *
  * @param aps application processors, 1 to 4
  */
class ApSite(aps: Int, p: ApCoreParams) extends Component {
  require(aps >= 1 && aps <= 4, s"site of aPs: $aps aPs, legal 1 to 4")
  private val home = DramHomeParams(BusParams(masters = 2 * aps, caches = aps))

  val io = new Bundle {
    val run = in Bits (aps bits)
    val storeError = Vec(master(Flow(UInt(32 bits))), aps)
    val probe = out(Vec(CacheProbe(p.data.atomics), aps))
    val axi = master(Axi4(home.axi))
  }

  val bus = new BusWithDram(home)
  bus.io.axi <> io.axi
  bus.io.wake := False
  bus.io.refuse := False
  bus.io.claim.read.setIdle()
  bus.io.claim.write.ready := True
  for (s <- bus.io.snoop.drop(aps)) s.answer := s.answer.getZero

  val cores = for (i <- 0 until aps) yield {
    val core = new ApCore(p)
    core.io.index := i
    core.io.run := io.run(i)
    core.io.data <> bus.io.masters(2 * i)
    core.io.fetch <> bus.io.masters(2 * i + 1)
    core.io.snoop <> bus.io.snoop(i)
    io.storeError(i) << core.io.storeError
    io.probe(i) := core.io.probe
    core
  }
}
