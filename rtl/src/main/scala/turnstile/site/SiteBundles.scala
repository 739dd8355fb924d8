package turnstile.site

import spinal.core._
import spinal.lib._
import turnstile.bus.BusParams
import turnstile.cache.{ApCoreParams, CacheProbe, DataCacheParams}
import turnstile.dma.DmaUnit
import turnstile.message.MessageParams
import turnstile.network.NetworkParams
import turnstile.niu.NiuSlaveParams
import turnstile.pcie.PcieParams
import turnstile.registers.MemoryLayout
import turnstile.snoop.{SnooperParams, WrittenTags}
import turnstile.sp.{EventTrace, SpContents, SpParams}

/** What can be chosen about a site. Site number and cluster size are pins, so one module serves a whole cluster.
  *
  * @param aps         soft application processors, 1 to 4
  * @param entries     approval entries, 1 (the paper's register) to 32 (VY-06)
  * @param memory      DRAM; the private windows of all aPs lie below the shared heap: with windows of 2 MB at least 4 MB for 1 aP, 8 MB for
  *                    2, 16 MB for 3 and 4
  * @param highEvents  event FIFO of high messages, 64 to 512, a power of two: a place is reserved there for every reply before
  *                    its request leaves, and the largest block needs 16
  * @param highSlots   slots of the 64 that low messages with lines never take, 40 to 62: a line of an answer has a place there before
  *                    its request leaves. None of the protocol's low messages has lines, so that few are plenty for the others
  * @param host        behind PCI Express ([[turnstile.pcie.PcieBridge]]): two masters more on the bus
  * @param held        the sP is held after reset, until a driver has written its firmware ([[turnstile.pcie.SpLoader]]); with `host`
  * @param wire        in place of the link pins a wire to another card ([[turnstile.link.CardWire]]); with `host`, whose driver sets it
  * @param macBits     width of the wire's streams to and from its MAC, 64 or 512 ([[turnstile.link.WireCrossing]])
  * @param dma         transfers from memory to memory ([[turnstile.dma.DmaUnit]]): four masters more on the bus
  * @param atomics     the aPs are rv32ima ([[turnstile.cache.AtomicUnit]])
  * @param fpu         they have the F and D extensions ([[turnstile.cpu.FloatMemoryPlugin]])
  * @param user        they have user mode and memory protection ([[turnstile.cache.ApCore]])
  * @param dataBytes   data cache of an aP ([[turnstile.cache.DataCacheParams]])
  * @param dataWays    its ways
  * @param fetchBytes  instruction cache of an aP ([[turnstile.cache.ApCoreParams]])
  * @param fetchWays   its ways
  * @param contents    what the RAMs of the sP begin with, where no host writes them
  * @param assertions  check the rules of the Site Bus in simulation
  */
case class SiteParams(aps: Int = 1, entries: Int = 8, memory: MemoryLayout = MemoryLayout(), highEvents: Int = 512, highSlots: Int = 56,
  host: Boolean = false, held: Boolean = false, wire: Boolean = false, macBits: Int = 64, dma: Boolean = false, atomics: Boolean = false, fpu: Boolean = false, user: Boolean = false, dataBytes: Int = 8192, dataWays: Int = 1,
  fetchBytes: Int = 4096, fetchWays: Int = 1, contents: SpContents = SpContents(), assertions: Boolean = true) {
  require(aps >= 1 && aps <= 4, s"Site: $aps aPs, legal 1 to 4")
  require(isPow2(highEvents) && highEvents >= 64 && highEvents <= 512,
    s"Site: event FIFO of $highEvents high messages, legal a power of two from 64 to 512")
  require(highSlots >= 40 && highSlots <= 62, s"Site: $highSlots slots for high messages alone, legal 40 to 62")
  require(memory.holds(aps),
    s"Site: memory of ${memory.bytes} bytes with $aps aPs, whose private windows of ${memory.privateBytes >> 20} MB would lie over the shared heap; " +
      s"legal at least ${memory.least(aps) >> 20} MB")

  require(host || !wire && !held, "Site: a wire or a held sP without a host, whose driver sets them; legal with host=true")
  require(!(host && dma && aps > 3), s"Site: $aps aPs with a host and DMA are 18 masters on the bus, legal 16: 3 aPs at most")

  /** Masters: data and instruction cache of each aP, then command engine (two), sP, message unit (two, if there are ids for it), loads and stores
    * of a host, DMA (contract §2). */
  private val guests = (if (host) 2 else 0) + (if (dma) DmaUnit.masters else 0)
  val ringMasters = 2 min (BusParams.ids - 2 * aps - 3 - guests)
  val bus = BusParams(masters = 2 * aps + 3 + ringMasters + guests, caches = aps, memory = memory)
  val engineMaster = 2 * aps
  val spMaster = 2 * aps + 2
  val messageMaster = 2 * aps + 3
  val hostMaster = messageMaster + ringMasters
  val dmaMaster = hostMaster + (if (host) 2 else 0)
  val snooper = SnooperParams(bus, entries = entries)
  /** Who waits for the sP is woken (`wake`): the back-off only bounds how long a lost pulse would cost. */
  val ap = ApCoreParams(DataCacheParams(dataBytes, dataWays, backOff = 24, memory, atomics), fetchBytes, fetchWays, fpu, user)
  val slave = NiuSlaveParams(aps, bus, writers = aps + (if (host) 1 else 0))
  val pcie = PcieParams(bus, aps = aps, held = held, wire = wire)
  val sp = SpParams(aps = aps, high = highEvents, regLatency = 2, pages = memory.pages, contents = contents)
  val message = MessageParams(aps = aps, bus = bus, network = NetworkParams(sites = 64), reservedSlots = highSlots, ringMasters = ringMasters,
    sources = if (dma) DmaUnit.sources else Nil, sinks = if (dma) DmaUnit.sinks else Nil, watched = if (host) pcie.queues else Nil)
}

/** What the simulator looks at; synthesis drops it. `push`: high, local, low events. `tags`: cls tags just written. `spWaiting`: the
  * sP has nothing to do. `hostAwaits`: a process of the host may sleep until a message comes. */
case class SiteProbe(p: SiteParams) extends Bundle with IMasterSlave {
  val push = Vec(Flow(EventTrace()), 3)
  val take = Flow(EventTrace())
  val tags = Flow(WrittenTags(p.snooper))
  val spWaiting = Bool()
  val hostAwaits = p.host generate Bool()
  val ap = Vec(CacheProbe(p.atomics), p.aps)

  override def asMaster(): Unit = {
    push.foreach(master(_))
    master(take)
    master(tags)
    out(spWaiting, ap)
    if (p.host) out(hostAwaits)
  }
}
