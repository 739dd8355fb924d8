package turnstile.link

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort
import turnstile.registers.{Register, RegisterBank, WireBlock}

/** What a driver says to the wire and sees of it ([[turnstile.registers.WireBlock]]). Latency: 1, as of any register port. */
class WireRegisters extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val enable = out(Bool())
    val address = out(WireAddress())
    val silence = out(UInt(8 bits))
    val roundTrip = out(UInt(14 bits))
    val up = in(Bool())
    val peerVersion = in(Bits(8 bits))
    val counters = in(WireCounters())
    val overruns = in(UInt(16 bits))

    /** The wire went up or down since the driver last cleared it. */
    val changed = out(Bool())
  }
  private val bank = new RegisterBank(io.regs, WireBlock)
  private val data = io.regs.command.data
  private def kept(register: Register, width: Int, reset: Int, legal: Bool = True): Bits = {
    val value = Reg(Bits(width bits)) init reset
    when(bank.stores(register) && legal)(value := data.resized)
    bank.read(register)(value)
    value
  }
  io.enable := kept(WireBlock.control, 1, 0)(0)
  io.address.own := kept(WireBlock.ownHigh, 16, 0) ## kept(WireBlock.own, 32, 0)
  io.address.peer := kept(WireBlock.peerHigh, 16, 0) ## kept(WireBlock.peer, 32, 0)
  io.roundTrip := kept(WireBlock.roundTrip, 14, WireBlock.resetRoundTrip).asUInt
  io.silence := kept(WireBlock.silence, 8, WireBlock.resetSilence, data.asUInt >= 8 && data.asUInt <= 255).asUInt

  private val changed = RegInit(False) clearWhen bank.stores(WireBlock.status) setWhen (io.up ^ (RegNext(io.up) init False))
  io.changed := changed
  bank.read(WireBlock.status)(B(0, 16 bits) ## io.peerVersion ## B(0, 6 bits) ## changed ## io.up)
  private val counters = io.counters.elements.map(_._2.asInstanceOf[UInt]) :+ io.overruns
  require(counters.size == WireBlock.counters.size, s"WireRegisters: ${counters.size} counters for ${WireBlock.counters.size} registers")
  for ((register, value) <- WireBlock.counters zip counters) bank.read(register)(value.asBits.resize(32))
}
