package turnstile.network

import spinal.core._
import spinal.lib._

/** The receiving end of a link at a site: one link into two streams of packets, `packets(Vc.low)` and `packets(Vc.high)`, and packets that
  * the site sends to itself, `loop`, among them in turn.
  *
  * A site that takes `packets(Vc.high)` without waiting for anything it sends keeps the network free of deadlock (VY-42).
  * `bad(vc)` has a meaning while `packets(vc)` shows a flit with `last`: the packet it ends was damaged (VY-41).
  * Latency 1 cycle, which is that of the register that every output is, one flit a cycle of the link; an empty buffer is passed by.
  */
class LinkRx(params: NetworkParams) extends Component {
  val io = new Bundle {
    val link = slave(Link())
    val loop = Vec.fill(Vc.count)(slave(Stream(Fragment(Bits(64 bits)))))
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

  private val buffer = new FlitBuffer(params, noteWidth = 1, direct = true)
  buffer.io.flit << flit
  buffer.io.note := (state =/= Crc32.residue).asBits
  io.link.credit := buffer.io.credit
  private def judged[T <: Data](source: Stream[T], bad: Bool, data: Bits, last: Bool) = {
    val flit = Fragment(Bits(65 bits))
    flit.last := last
    flit.fragment := bad ## data
    source.translateWith(flit)
  }
  for (vc <- 0 until Vc.count) {
    val (head, own) = (buffer.io.heads(vc), io.loop(vc).s2mPipe())
    val flit = StreamArbiterFactory().roundRobin.fragmentLock.on(
      Seq(judged(head, head.note(0), head.data, head.last), judged(own, False, own.fragment, own.last))).s2mPipe().m2sPipe()
    io.packets(vc).arbitrationFrom(flit)
    io.packets(vc).fragment := flit.fragment(63 downto 0)
    io.packets(vc).last := flit.last
    io.bad(vc) := flit.fragment.msb
  }
}
