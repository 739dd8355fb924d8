package turnstile.site

import spinal.core._
import spinal.lib._
import turnstile.bus.BusParams
import turnstile.cache.{ApCoreParams, CacheProbe, DataCacheParams}
import turnstile.message.MessageParams
import turnstile.network.NetworkParams
import turnstile.snoop.SnooperParams
import turnstile.sp.{EventTrace, SpParams}

/** What can be chosen about a site. Site number and cluster size are pins, so one module serves a whole cluster.
  *
  * @param aps         soft application processors, 1 to 4
  * @param entries     approval entries, 1 (the paper's register) to 32 (VY-06)
  * @param memoryBytes DRAM, see [[BusParams]]
  * @param assertions  check the rules of the Site Bus in simulation
  */
case class SiteParams(aps: Int = 1, entries: Int = 8, memoryBytes: BigInt = 16 << 20, assertions: Boolean = true) {
  require(aps >= 1 && aps <= 4, s"Site: $aps aPs, legal 1 to 4")

  /** Masters: data and instruction cache of each aP, then command engine (two), sP, message unit (contract §2). */
  val bus = BusParams(masters = 2 * aps + 4, caches = aps, memoryBytes = memoryBytes)
  val engineMaster = 2 * aps
  val spMaster = 2 * aps + 2
  val messageMaster = 2 * aps + 3
  val snooper = SnooperParams(bus, entries = entries)
  /** Who waits for the sP is woken (`wake`): the back-off only bounds how long a lost pulse would cost. */
  val ap = ApCoreParams(data = DataCacheParams(backOff = 24))
  val sp = SpParams(aps = aps)
  val message = MessageParams(aps = aps, bus = bus, network = NetworkParams(sites = 64))
}

/** What the simulator looks at; synthesis drops it. `push`: high, local, low events. `spWaiting`: the sP has nothing to do. */
case class SiteProbe(aps: Int) extends Bundle with IMasterSlave {
  val push = Vec(Flow(EventTrace()), 3)
  val take = Flow(EventTrace())
  val spWaiting = Bool()
  val ap = Vec(CacheProbe(), aps)

  override def asMaster(): Unit = {
    push.foreach(master(_))
    master(take)
    out(spWaiting, ap)
  }
}
