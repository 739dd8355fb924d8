package turnstile.site

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import turnstile.bus._
import turnstile.cache.ApCore
import turnstile.contract._
import turnstile.dma.DmaUnit
import turnstile.message.MessageUnit
import turnstile.link.{CardWire, MacPins, WireParams}
import turnstile.network.Link
import turnstile.niu.{ApValue, CommandEngine, NiuSlave}
import turnstile.pcie.{PcieClocked, PciePins, SitePlace, WindowShare}
import turnstile.registers.{RegisterMaps, RegisterRouter}
import turnstile.snoop.Snooper
import turnstile.sp.{HostPort, HostPortShare, LocalEvents, ServiceProcessor}

/** One site: the only place where units meet, and nothing but their meeting. */
class Site(val p: SiteParams) extends Component {
  private val home = DramHomeParams(p.bus)

  val io = new Bundle {
    val siteId = in UInt (6 bits)
    /** Sites in the cluster, 1 to 64. */
    val sites = in UInt (7 bits)
    val spReset = in Bool ()
    val axi = master(Axi4(home.axi))
    val link = !p.wire generate new Bundle {
      val out = master(Link())
      val in = slave(Link())
    }
    val mac = p.wire generate slave(MacPins(p.macBits)).named()
    /** The wire is up. */
    val up = p.wire generate out(Bool())
    val host = slave(HostPort())
    val userClk, userReset = p.host generate in(Bool())
    val pcie = p.host generate slave(PciePins()).named()
    /** Which site the driver says that this is. */
    val place = p.host generate out(SitePlace())
    val apConsole = master(Flow(ApValue(8)))
    val exit, mark = master(Flow(ApValue(32)))
    val spConsole = master(Flow(Bits(8 bits)))
    val trap = master(Flow(Bits(32 bits)))
    val probe = master(SiteProbe(p))
  }

  val bus = new SiteBus(p.bus, p.assertions)
  val dram = new DramHome(home)
  val aps = Seq.fill(p.aps)(new ApCore(p.ap))
  val snooper = new Snooper(p.snooper)
  val engine = new CommandEngine
  val message = new MessageUnit(p.message)
  val niuSlave = new NiuSlave(p.slave)
  val sp = new ServiceProcessor(p.sp)
  val localEvents = new LocalEvents(sources = 4, aps = p.aps, pace = 1024, paced = Set(3))

  // Masters and snoopers ------------------------------------------------------------------------------------------------
  for ((ap, i) <- aps.zipWithIndex) {
    bus.io.masters(2 * i) <> ap.io.data
    bus.io.masters(2 * i + 1) <> ap.io.fetch
    bus.io.snoop(i) <> ap.io.snoop
    ap.io.index := i
    ap.io.run := sp.io.apRun(i)
    io.probe.ap(i) := ap.io.probe
  }
  for (i <- 0 until 2) bus.io.masters(p.engineMaster + i) <> engine.io.bus(i)
  bus.io.masters(p.spMaster) <> sp.io.bus
  for (i <- 0 until p.ringMasters) bus.io.masters(p.messageMaster + i) <> message.io.bus(i)
  bus.io.snoop(p.aps) <> snooper.io.snoop
  bus.io.snoop(p.aps + 1) <> niuSlave.io.snoop
  bus.io.claim <> niuSlave.io.claim
  bus.io.memory <> dram.io.bus
  bus.io.wake := snooper.io.wake
  bus.io.refuse := niuSlave.io.refuse
  dram.io.axi <> io.axi

  // NIU -----------------------------------------------------------------------------------------------------------------
  snooper.io.tag <> engine.io.tag
  snooper.io.claimRoom := niuSlave.io.scratchRoom
  if (p.host) new Area {
    val bridge = new PcieClocked(p.pcie)
    val share = new WindowShare
    bridge.io.pcie <> io.pcie
    bridge.io.userClk := io.userClk
    bridge.io.userReset := io.userReset
    bus.io.masters(p.hostMaster) <> bridge.io.loads
    bus.io.masters(p.hostMaster + 1) <> bridge.io.stores
    share.io.aps <> niuSlave.io.window
    share.io.host <> bridge.io.queues
    share.io.unit <> message.io.window
    bridge.io.waiting := message.io.waiting
    val card = bridge.io.card
    val hosts = new HostPortShare
    hosts.io.hosts(0) <> io.host
    hosts.io.hosts(1) <> card.sp
    sp.io.host <> hosts.io.sp
    sp.io.spReset := io.spReset || card.held
    io.place := card.place
    card.site.number := io.siteId
    card.site.sites := io.sites
    card.turn := sp.io.turn
    card.trapped := sp.io.trap.valid
    if (p.wire) {
      val wire = new CardWire(WireParams(), p.macBits)
      wire.io.regs <> card.wireRegs
      card.wireChanged := wire.io.changed
      wire.io.fromSite << message.io.out
      message.io.in << wire.io.toSite
      wire.io.mac <> io.mac
      io.up := wire.io.up
    }
    io.probe.hostAwaits := bridge.io.awaited
  } else {
    niuSlave.io.window <> message.io.window
    sp.io.host <> io.host
    sp.io.spReset := io.spReset
  }
  val dma = p.dma generate new DmaUnit(p.bus)
  if (p.dma) {
    for (i <- 0 until DmaUnit.masters) bus.io.masters(p.dmaMaster + i) <> dma.io.bus(i)
    message.io.sources <> dma.io.sources
    message.io.sinks <> dma.io.sinks
    message.io.faults <> dma.io.fault
    dma.io.unnamed := message.io.unnamed
    dma.io.held := message.io.held
  }
  engine.io.command << sp.io.command
  sp.io.engine := engine.io.status
  message.io.line <> engine.io.line
  message.io.slot(0) <> engine.io.slot
  message.io.slot(1) <> sp.io.slot
  message.io.sp << sp.io.express
  sp.io.txFree.assignFromBits(message.io.txFree)
  if (!p.wire) {
    io.link.out <> message.io.out
    io.link.in <> message.io.in
  }

  // Events --------------------------------------------------------------------------------------------------------------
  sp.io.high << message.io.eventHigh
  sp.io.low << message.io.eventLow
  for ((source, port) <- Seq(snooper.io.event, engine.io.event, message.io.eventRoom, message.io.eventLocal) zip localEvents.io.events) port << source
  for ((ap, port) <- aps zip localEvents.io.storeError) port << ap.io.storeError
  sp.io.local << localEvents.io.local

  // Registers of other units that the sP reaches (contract §5) -----------------------------------------------------------
  private val dmaRegisters = if (p.dma) Seq(RegisterMaps.dma -> dma.io.regs) else Nil
  RegisterRouter(sp.io.regs, RegisterMaps.elsewhere ++ dmaRegisters.flatMap(_._1), staged = true)(
    Seq(RegisterMaps.snooper -> snooper.io.regs, RegisterMaps.niuSlave -> niuSlave.io.regs, RegisterMaps.message -> message.io.regs) ++ dmaRegisters: _*)

  // Pins ----------------------------------------------------------------------------------------------------------------
  message.io.siteId := io.siteId
  niuSlave.io.siteId := io.siteId
  niuSlave.io.sites := io.sites
  niuSlave.io.aps := p.aps
  niuSlave.io.time := CounterFreeRun(BigInt(1) << 64).value
  sp.io.siteId := io.siteId
  sp.io.sites := io.sites
  io.apConsole << niuSlave.io.console
  io.exit << niuSlave.io.exit
  io.mark << niuSlave.io.mark
  io.spConsole << sp.io.console
  io.trap << sp.io.trap
  for (i <- 0 until 3) io.probe.push(i) := sp.io.probe.eventPush(i)
  io.probe.take := sp.io.probe.eventTake
  io.probe.tags << snooper.io.written
  io.probe.spWaiting := sp.io.probe.waiting
}
