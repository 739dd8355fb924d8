package turnstile.board

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import turnstile.bus.DramHomeParams
import turnstile.link.MacPins
import turnstile.pcie.PciePins
import turnstile.site.{Site, SiteParams}

/** What a card shows on its LEDs. `beat` changes every 2^24 cycles. up: the wire; trapped: the sP's firmware died, until the next reset. */
case class CardStatus() extends Bundle {
  val up, beat, trapped = Bool()
}

/** A site on a card in a PCI Express slot, with its DRAM behind AXI4 and a MAC beside it. A driver starts it: it says which site this is, writes
  * the firmware, sets the wire ([[turnstile.registers.LoaderBlock]], [[turnstile.registers.WireBlock]]).
  *
  * The host's reset of the slot is the card's: sP and aPs are held after it and the wire is down, so that a host gets a
  * card that hangs back without a reboot. It comes to the site three cycles after `userReset`.
  */
class CardSite(val p: SiteParams) extends Component {
  require(p.host && p.wire && p.held, "CardSite: a site with host, wire and held; they are not to be chosen")
  val io = new Bundle {
    val userClk, userReset = in(Bool())
    val pcie = slave(PciePins()).named()
    val axi = master(Axi4(DramHomeParams(p.bus).axi))
    val mac = slave(MacPins(p.macBits)).named()
    val status = out(CardStatus())
  }
  private val board = ClockDomain.current
  /** Registered: FIFOs of two clocks take it as it comes. */
  private val reset = new ClockingArea(board.withoutReset()) {
    val both = RegNext(BufferCC(io.userReset) || board.isResetActive)
  }
  private val card = new ClockingArea(board.copy(reset = reset.both)) {
    val site = new Site(p)
    val trapped = RegInit(False) setWhen site.io.trap.valid
  }
  private val site = card.site
  site.io.userClk := io.userClk
  site.io.userReset := io.userReset
  site.io.pcie <> io.pcie
  site.io.axi <> io.axi
  site.io.mac <> io.mac
  site.io.siteId := site.io.place.number
  site.io.sites := site.io.place.sites
  site.io.spReset := False
  site.io.host.command.valid := False
  site.io.host.command.payload.clearAll()
  io.status.up := site.io.up
  io.status.beat := CounterFreeRun(1 << 25).value.msb
  io.status.trapped := card.trapped
}
