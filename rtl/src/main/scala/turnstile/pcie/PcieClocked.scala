package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.network.PacketGate

/** A [[PcieBridge]] behind the integrated block's own clock: requests, completions, interrupts and places for reads cross in FIFOs of two clocks.
  *
  * A completion crosses first and is whole then ([[PacketGate]]), whichever clock is faster. Latency beyond the bridge's: requests 4 cycles of
  * the site's clock, completions 4 of the block's and one after their last beat; an interrupt 4 of the block's, one that the host has just disabled may still leave.
  */
class PcieClocked(p: PcieParams) extends Component {
  val io = new Bundle {
    /** The block's clock and, high in step with it, its reset (user_clk, user_reset). */
    val userClk, userReset = in(Bool())
    val pcie = slave(PciePins()).named()
    val queues = master(HostWindowPort())
    val loads, stores = master(BusMasterPort())
    val waiting = in(Bits(p.queues.size bits))
    val card = master(CardPort(p.wire))
    val awaited = out(Bool())
  }
  private val site = ClockDomain.current
  private val block = ClockDomain(io.userClk, io.userReset, config = site.config)
  private val bridge = new PcieBridge(p)
  io.queues <> bridge.io.queues
  io.loads <> bridge.io.loads
  io.stores <> bridge.io.stores

  bridge.io.waiting := io.waiting
  io.card <> bridge.io.card
  io.awaited := bridge.io.awaited

  bridge.io.pcie.cq << io.pcie.cq.queue(16, block, site)

  // The bridge's pulses wait for the crossing.
  private val places = Reg(UInt(log2Up(p.reads + 1) bits)) init 0
  private val place = Stream(Bool())
  place.valid := places =/= 0
  place.payload := True
  places := places + bridge.io.pcie.npRequest(0).asUInt - place.fire.asUInt
  private val given = place.queue(4, site, block)
  given.ready := True

  private val crossed = bridge.io.pcie.cc.queue(16, site, block)
  private val interrupt = bridge.io.interrupt.queue(2, site, block)
  private val gated = new ClockingArea(block) {
    val gate = new PacketGate(PcieBeat(PcieStream.completionUser), 32) // the longest is 18 beats: 3 dwords of descriptor, 128 bytes
    gate.io.from << crossed
    io.pcie.cc << gate.io.to
    io.pcie.npRequest := RegNext(B"0" ## (given.valid && given.payload)) init 0
    val writer = new InterruptWriter
    writer.io.message << interrupt
    io.pcie.rq << writer.io.rq
    val enabled = RegNext(io.pcie.msixEnable(0) && !io.pcie.msixMask(0)) init False
  }
  bridge.io.enabled := BufferCC(gated.enabled, init = False)
}
