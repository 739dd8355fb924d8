package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle
import turnstile.network.PacketGate

/** Between a [[WirePort]] and a MAC that has clocks of its own, one to transmit and one that it recovers from what it receives: either may be slower or
  * faster than the site's.
  *
  * A MAC takes a frame without a gap, so that a frame goes to it when it has crossed whole. A MAC does not wait, so that a frame which finds no place is
  * cut, and ends as a damaged one, or is left out, and is counted: the peer sends it again.
  *
  * Latency: to the MAC a frame's length and 5 cycles of its clock; from the MAC 5 cycles of the site's, 6 with 512 bits. Towards both sides a word crosses in one cycle, so that
  * the site's link has its full rate if a MAC's clock is as fast as the site's, or, with 512 bits, an eighth of it.
  *
  * A reset of one of the MAC's clocks empties that direction and no more: frames are lost, as on a wire, and no part of one is taken for a whole
  * one. The site's empties both; the MAC may then see a frame that ends in a gap. A reset lasts 16 cycles of the slower clock, or longer.
  *
  * @param macBits width of the MAC's streams: 64 (10 and 25 Gbit/s) or 512 (100 Gbit/s)
  */
class WireCrossing(macBits: Int = 64) extends Component {
  require(macBits == 64 || macBits == 512, s"WireCrossing.macBits is $macBits; legal: 64, as MACs of 10 and 25 Gbit/s have it, or 512, of 100 Gbit/s")
  val io = new Bundle {
    val fromPort = slave(Stream(Axi4StreamBundle(Wire.stream())))
    val toPort = master(Flow(Axi4StreamBundle(Wire.stream())))

    /** Frames that found no place, or not for all of them, since a reset, modulo 65536. The site's clock. */
    val overruns = out(UInt(16 bits))

    val txClk, txReset, rxClk, rxReset = in(Bool())
    val tx = master(Axi4Stream(Wire.stream(macBits)))
    val rx = slave(Flow(Axi4StreamBundle(Wire.stream(macBits))))
  }
  Wire.named("io_tx", io.tx.valid, Some(io.tx.ready), io.tx.payload)
  Wire.named("io_rx", io.rx.valid, None, io.rx.payload)

  private val site = ClockDomain.current
  private def word = Axi4StreamBundle(Wire.stream(macBits))
  private val lanes = macBits / 64

  /** One direction, and its resets. A reset of the MAC's clock or of the site first closes both ends of the FIFO; an end that knows the other closed is
    * cleared, so that no pointer jumps while somebody follows it.
    */
  private class Side(clock: Bool, reset: Bool) extends Area {
    private val bare = ClockDomain(clock, config = site.config).withoutReset()
    val closedHere, clearHere, closedThere, clearThere = Bool()
    new ClockingArea(site.withoutReset()) {
      closedHere := RegNext(BufferCC(reset) || site.isResetActive)
      clearHere := RegNext(closedHere && BufferCC(closedThere))
    }
    new ClockingArea(bare) {
      closedThere := RegNext(reset || BufferCC(closedHere))
      clearThere := RegNext(closedThere && BufferCC(closedHere))
    }
    /** Of the FIFO's two ends, and of what is beside its end at the MAC. */
    val here = site.copy(reset = clearHere)
    val there = ClockDomain(clock, clearThere, config = site.config)
    val beside = ClockDomain(clock, closedThere, config = site.config)
  }
  private val away = new Side(io.txClk, io.txReset)
  private val back = new Side(io.rxClk, io.rxReset)

  // To the MAC. The longest frame has 69 beats, 9 words of 512 bits. A frame of which a reset took a part goes nowhere.
  private val leaving = new StreamFifoCC(word, 16, away.here, away.there, withPopBufferedReset = false)
  private val begun = RegNextWhen(!io.fromPort.last, io.fromPort.fire) init False
  private val broken = RegInit(False)
  when(away.closedHere)(broken := begun || io.fromPort.valid)
  when(io.fromPort.fire && io.fromPort.last)(broken := False)
  leaving.io.push << packed(io.fromPort.throwWhen(away.closedHere || broken))
  private val sending = new ClockingArea(away.beside) {
    val gate = new PacketGate(word, 128 / lanes)
    gate.io.from << leaving.io.pop.addFragmentLast(leaving.io.pop.last)
    io.tx << gate.io.to.map(_.fragment)
  }

  private def packed(beats: Stream[Axi4StreamBundle]) = if (lanes == 1) beats
  else {
    val packer = new WordPacker(macBits)
    packer.io.clear := away.closedHere
    packer.io.beats << beats
    packer.io.words
  }

  // From the MAC: a frame begins if there is a place for the shortest, and one that has begun always finds a place for its last beat.
  private val places = if (lanes == 1) 128 else 32
  private val coming = new StreamFifoCC(word, places, back.there, back.here, withPopBufferedReset = false)
  private val taking = new ClockingArea(back.beside) {
    val first = RegInit(True)
    val cut, left = RegInit(False)
    val leaves = Mux(first, coming.io.pushOccupancy > places - 1 - Wire.leastBeats / lanes, left)
    val cuts = !leaves && (cut || coming.io.pushOccupancy > places - 2 && !io.rx.last)
    coming.io.push.valid := io.rx.valid && !back.closedThere && !leaves && (!cuts || io.rx.last)
    coming.io.push.payload := io.rx.payload
    when(cuts)(coming.io.push.user.setAll())
    when(io.rx.valid) {
      first := io.rx.last
      left := leaves
      cut := cuts && !io.rx.last
    }
    val overruns = Reg(UInt(16 bits)) init 0
    when(io.rx.valid && io.rx.last && (leaves || cuts))(overruns := overruns + 1)
    val told = RegNext(overruns.asBits ^ (overruns >> 1).asBits.resized) init 0 // Gray: one bit changes
  }
  io.overruns := RegNext(fromGray(BufferCC(taking.told, init = B(0, 16 bits)))) init 0

  // A frame of which a reset took the end is a damaged one.
  private val open = RegInit(False)
  private val beats = if (lanes == 1) coming.io.pop
  else {
    val splitter = new WordSplitter(macBits)
    splitter.io.clear := back.closedHere
    splitter.io.words << coming.io.pop
    splitter.io.beats
  }
  private val come = Flow(Axi4StreamBundle(Wire.stream()))
  beats.ready := !back.closedHere
  come.valid := beats.fire || back.closedHere && open
  come.payload := beats.payload
  when(back.closedHere) {
    come.last := True
    come.user.setAll()
  }
  when(come.valid)(open := !come.last)
  io.toPort << (if (lanes == 1) come else come.stage()) // behind the choice of a lane the port has a cycle as ever
}
