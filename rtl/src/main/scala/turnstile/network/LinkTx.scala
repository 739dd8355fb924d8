package turnstile.network

import spinal.core._
import spinal.lib._

/** Credits the sender of a link holds for one virtual channel: `bufferFlits` after reset, one less for each flit sent, one
  * more for each pulse of `returned`.
  */
case class Credits(params: NetworkParams, sent: Bool, returned: Bool) extends Area {
  private val count = Reg(UInt(log2Up(params.bufferFlits + 1) bits)) init params.bufferFlits
  when(sent =/= returned) {
    count := returned ? (count + 1) | (count - 1)
  }
  val available = count =/= 0
}

/** The sending end of a link: two streams of packets, `packets(Vc.low)` and `packets(Vc.high)`, onto one link.
  *
  * The CRC goes into bits 63 to 32 of each tail: that of all earlier flits of the packet and the tail's own low word (VY-40).
  * Every flit needs a credit. High goes strictly before low: replies free what requests wait for, never the reverse (VY-42,
  * T19), so low may wait for as long as high keeps the link full. Latency 1 cycle, one flit a cycle; `ready` and the link
  * come from registers.
  */
class LinkTx(params: NetworkParams) extends Component {
  val io = new Bundle {
    val packets = Vec.fill(Vc.count)(slave(Stream(Fragment(Bits(64 bits)))))
    val link = master(Link())
  }

  private val staged = io.packets.map(_.s2mPipe())
  private val sends = Vec.fill(Vc.count)(Bool())
  private val ready = for (vc <- 0 until Vc.count) yield {
    val credits = Credits(params, sends(vc), io.link.credit(vc)).setName(s"credits_$vc")
    staged(vc).ready := sends(vc)
    staged(vc).valid && credits.available
  }
  sends(Vc.high) := ready(Vc.high)
  sends(Vc.low) := ready(Vc.low) && !ready(Vc.high)

  private val flit = LinkFlit()
  private val data = sends(Vc.high) ? staged(Vc.high).fragment | staged(Vc.low).fragment
  flit.last := sends(Vc.high) ? staged(Vc.high).last | staged(Vc.low).last
  flit.vc := sends(Vc.high).asUInt

  private val states = Vec.fill(Vc.count)(Reg(Bits(32 bits)))
  private val first = Vec.fill(Vc.count)(RegInit(True))
  private val crc = Crc32.next(first(flit.vc) ? Crc32.start | states(flit.vc), data, flit.last)
  when(sends.orR) {
    states(flit.vc) := crc
    first(flit.vc) := flit.last
  }
  flit.data := (flit.last ? ~crc | data(63 downto 32)) ## data(31 downto 0)
  io.link.flit.valid := RegNext(sends.orR) init False
  io.link.flit.payload := RegNextWhen(flit, sends.orR)
}
