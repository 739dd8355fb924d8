package turnstile.network

import spinal.core._
import spinal.lib._

/** The receiving end of a link at a site: one link into two streams of packets, `packets(Vc.low)` and `packets(Vc.high)`.
  *
  * A site that takes `packets(Vc.high)` without waiting for anything it sends keeps the network free of deadlock (VY-42).
  * Latency 1 cycle, one flit a cycle in all; the outputs come from registers and memories.
  */
class LinkRx(params: NetworkParams) extends Component {
  val io = new Bundle {
    val link = slave(Link())
    val packets = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
  }

  private val buffer = new FlitBuffer(params, noteWidth = 0)
  buffer.io.flit << io.link.flit
  buffer.io.note := B(0, 0 bits)
  io.link.credit := buffer.io.credit
  for ((packets, head) <- io.packets zip buffer.io.heads) {
    packets.arbitrationFrom(head)
    packets.fragment := head.data
    packets.last := head.last
  }
}
