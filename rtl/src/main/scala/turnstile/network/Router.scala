package turnstile.network

import spinal.core._
import spinal.lib._

/** 4x4 packet switch with two virtual channels, virtual cut-through (VY-42, VY-48).
  *
  * Latency 2 cycles from flit on `from` to flit on `to`: in cycle t the flit is routed and written to its input FIFO, in
  * t+1 it heads the FIFO, wins its output and is registered onto the link of t+2. One flit a cycle on every link.
  *
  *  - A flit goes when the next buffer has a credit for it. Buffers hold the longest packet, so a packet that is stopped
  *    ends up in buffers it has already entered, and links stay free for the other virtual channel.
  *  - An output belongs to one packet of each virtual channel at a time; between packets inputs take turns.
  *  - Packets with the same input, output and virtual channel stay in order. The two virtual channels share nothing but
  *    the link register: one that is stopped never stops the other. High goes first.
  *  - The CRC of every packet passing is checked as it arrives; a damaged packet goes on to its end, where RxU judges it
  *    again (VY-41). `crcError(i)` pulses 2 cycles after the tail on input i; `crcErrors(i)` counts the pulses, a cycle
  *    later, and stays at 65535.
  */
class Router(params: NetworkParams) extends Component {
  val io = new Bundle {
    val position = in(RouterPosition())
    val from = Vec.fill(Router.ports)(slave(Link()))
    val to = Vec.fill(Router.ports)(master(Link()))
    val crcError = out(Bits(Router.ports bits))
    val crcErrors = out(Vec.fill(Router.ports)(UInt(16 bits)))
  }

  private val inputs = for (port <- 0 until Router.ports) yield new Area {
    val link = io.from(port)

    // Only a header names a destination: its port is held for the rest of the packet, so every buffered flit knows its own.
    val first = Vec.fill(Vc.count)(Reg(Bool()) init True)
    val held = Vec.fill(Vc.count)(Reg(UInt(2 bits)))
    val routed = Routing.port(io.position, port >= Router.firstUp, PacketHeader.destSite(link.flit.data))
    val output = first(link.flit.vc) ? routed | held(link.flit.vc)
    when(link.flit.valid) {
      first(link.flit.vc) := link.flit.last
      held(link.flit.vc) := output
    }

    val buffer = new FlitBuffer(params, noteWidth = 2)
    buffer.io.flit << link.flit
    buffer.io.note := output.asBits
    link.credit := buffer.io.credit

    val monitor = CrcMonitor(link.flit)
    val errors = Reg(UInt(16 bits)) init 0
    when(monitor.error && !errors.andR) {
      errors := errors + 1
    }
    io.crcError(port) := monitor.error
    io.crcErrors(port) := errors
  }

  private val heads = inputs.map(_.buffer.io.heads)
  private val outputs = for (port <- 0 until Router.ports) yield RouterOutput(params, port, heads, io.to(port))
  for (input <- 0 until Router.ports; vc <- 0 until Vc.count) {
    heads(input)(vc).ready := outputs.map(_.takes(input)(vc)).orR
  }
}

object Router {
  val ports = 4

  /** Ports from here on lead up, except at a root. */
  val firstUp = 2
}
