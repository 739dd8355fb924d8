package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import turnstile.contract.RegPort
import turnstile.network.Link

/** A wire as a card has it: a [[WirePort]] whose driver sets and sees it ([[WireRegisters]]), and a MAC with clocks of its own ([[WireCrossing]]).
  *
  * Until the driver enables it no frame goes or is taken, so that the wire is down. Latency: that of port and crossing.
  *
  * @param macBits width of the MAC's streams, 64 or 512
  */
class CardWire(params: WireParams, macBits: Int = 64) extends Component {
  val io = new Bundle {
    val fromSite = slave(Link())
    val toSite = master(Link())
    val regs = slave(RegPort(12))
    val up, changed = out(Bool())
    val mac = slave(MacPins(macBits)).named()
  }
  private val port = new WirePort(params)
  private val crossing = new WireCrossing(macBits)
  private val registers = new WireRegisters

  port.io.fromSite << io.fromSite
  io.toSite.flit << port.io.toSite.flit
  port.io.toSite.credit := io.toSite.credit
  port.io.address := registers.io.address
  port.io.silence := registers.io.silence
  port.io.roundTrip := registers.io.roundTrip

  /** Counts on through every reset, so that two sessions begin with different numbers. */
  private val seed = new ClockingArea(ClockDomain.current.withBootReset()) {
    val count = Reg(UInt(16 bits)) init 0
    count := count + 1
  }
  port.io.seed := seed.count

  // Enabled and disabled between frames.
  private def between(enable: Bool, beats: Bool, last: Bool): Bool = {
    val within, open = RegInit(False)
    when(beats)(within := !last)
    when(beats ? last | !within)(open := enable)
    open
  }
  private val sends = between(registers.io.enable, port.io.tx.valid, port.io.tx.last && port.io.tx.ready)
  crossing.io.fromPort << port.io.tx.throwWhen(!sends)
  private val takes = between(registers.io.enable, crossing.io.toPort.valid, crossing.io.toPort.last)
  port.io.rx << crossing.io.toPort.throwWhen(!takes)
  crossing.io.txClk := io.mac.txClk
  crossing.io.txReset := io.mac.txReset
  crossing.io.rxClk := io.mac.rxClk
  crossing.io.rxReset := io.mac.rxReset
  io.mac.tx << crossing.io.tx
  crossing.io.rx << io.mac.rx

  io.regs <> registers.io.regs
  registers.io.up := port.io.up
  registers.io.peerVersion := port.io.peerVersion
  registers.io.counters := port.io.counters
  registers.io.overruns := crossing.io.overruns
  io.changed := registers.io.changed
  io.up := port.io.up
}

/** A MAC's pins, streams of `bits`, each way with a clock and, in step with it, a reset of its own. master = the MAC. */
case class MacPins(bits: Int) extends Bundle with IMasterSlave {
  val txClk, txReset, rxClk, rxReset = Bool()
  val tx = Axi4Stream(Wire.stream(bits))
  val rx = Flow(Axi4Stream.Axi4StreamBundle(Wire.stream(bits)))

  override def asMaster(): Unit = {
    out(txClk, txReset, rxClk, rxReset)
    slave(tx)
    master(rx)
  }

  /** Names of a top's pins. */
  def named(): this.type = {
    for ((pin, name) <- Seq(txClk -> "txClk", txReset -> "txReset", rxClk -> "rxClk", rxReset -> "rxReset")) pin.setName(s"io_$name")
    Wire.named("io_tx", tx.valid, Some(tx.ready), tx.payload)
    Wire.named("io_rx", rx.valid, None, rx.payload)
    this
  }
}
