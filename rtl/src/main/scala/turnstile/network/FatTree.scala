package turnstile.network

import spinal.core._
import spinal.lib._

/** Fat tree of `Router`s for 2 to 64 sites (VY-42, VY-43, VY-48); `FatTreePlan` has its shape.
  *
  * Latency from flit on `fromSite` to flit on `toSite` without contention: 2 cycles a router, so 2 cycles up to four sites,
  * and 2*(2*levels-1) at most beyond (6 for 8 sites, 10 for 16, 14 for 32, 18 for 64). A pair of sites has one path, so its
  * packets of one virtual channel arrive in the order sent.
  *
  * Free of deadlock as long as every site sinks the high channel: a packet climbs, turns once and descends, so the buffers
  * waiting for one another form no cycle, and the high channel waits for nothing in the low one.
  *
  * `crcErrors(4 * r + i)` is what router r (order of `FatTreePlan.routers`) counted on its input i. `unroutable` counts
  * packets for sites that do not exist and stays at 65535; `unroutableHeader` is the last one's header.
  */
class FatTree(params: NetworkParams) extends Component {
  val plan = FatTreePlan(params.sites)

  val io = new Bundle {
    val fromSite = Vec.fill(params.sites)(slave(Link()))
    val toSite = Vec.fill(params.sites)(master(Link()))
    val crcErrors = out(Vec.fill(Router.ports * plan.routers.size)(UInt(16 bits)))
    val unroutable = out(UInt(16 bits))
    val unroutableHeader = out(Bits(64 bits))
  }

  private val routers = for ((place, number) <- plan.routers.zipWithIndex) yield {
    val router = new Router(params).setName(s"router_${place.level}_${place.group}_${place.lane}")
    val (mask, prefix) = plan.prefix(place)
    router.io.position.root := Bool(plan.isRoot(place))
    router.io.position.level := place.level
    router.io.position.prefixMask := mask
    router.io.position.prefix := prefix
    for (port <- 0 until Router.ports) io.crcErrors(Router.ports * number + port) := router.io.crcErrors(port)
    router
  }

  private val dropped = for {
    (place, router) <- plan.routers zip routers
    port <- plan.downPorts(place)
    drop <- (plan.below(place, port) match {
      case SiteBelow(site) =>
        router.io.from(port) << io.fromSite(site)
        io.toSite(site) << router.io.to(port)
        None
      case RouterPort(child, up) =>
        val lower = routers(plan.index(child))
        router.io.from(port) << lower.io.to(up)
        lower.io.from(up) << router.io.to(port)
        None
      case Absent =>
        val sink = new LinkSink
        sink.io.link << router.io.to(port)
        router.io.from(port).flit.setIdle()
        Some(sink.io.dropped)
    }): Option[Flow[Bits]]
  } yield drop

  if (dropped.isEmpty) {
    io.unroutable := 0
    io.unroutableHeader := 0
  } else {
    val count = Reg(UInt(16 bits)) init 0
    val sum = count +^ CountOne(dropped.map(_.valid))
    count := sum.msb ? U(65535) | sum.resized
    val header = Reg(Bits(64 bits)) init 0
    for (drop <- dropped) when(drop.valid) {
      header := drop.payload
    }
    io.unroutable := count
    io.unroutableHeader := header
  }
}
