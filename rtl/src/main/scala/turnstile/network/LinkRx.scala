package turnstile.network

import spinal.core._
import spinal.lib._

/** The receiving end of a link at a site: one link into two streams of packets, `packets(Vc.low)` and `packets(Vc.high)`.
  *
  * A site that takes `packets(Vc.high)` without waiting for anything it sends keeps the network free of deadlock (VY-42).
  * `bad(vc)` has a meaning while `packets(vc)` shows a flit with `last`: the packet it ends was damaged (VY-41).
  * Latency 1 cycle, one flit a cycle in all; the outputs come from registers and memories.
  */
class LinkRx(params: NetworkParams) extends Component {
  val io = new Bundle {
    val link = slave(Link())
    val packets = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val bad = out(Bits(Vc.count bits))
  }

  private val flit = io.link.flit
  private val states = Vec.fill(Vc.count)(Reg(Bits(32 bits)))
  private val first = Vec.fill(Vc.count)(RegInit(True))
  private val state = Crc32.next(first(flit.vc) ? Crc32.start | states(flit.vc), flit.data)
  when(flit.valid) {
    states(flit.vc) := state
    first(flit.vc) := flit.last
  }

  private val buffer = new FlitBuffer(params, noteWidth = 1)
  buffer.io.flit << flit
  buffer.io.note := (state =/= Crc32.residue).asBits
  io.link.credit := buffer.io.credit
  for ((packets, head) <- io.packets zip buffer.io.heads) {
    packets.arbitrationFrom(head)
    packets.fragment := head.data
    packets.last := head.last
  }
  io.bad := B(buffer.io.heads.map(_.note(0)))
}
