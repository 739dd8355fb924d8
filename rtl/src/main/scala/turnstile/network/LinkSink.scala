package turnstile.network

import spinal.core._
import spinal.lib._

/** Stands where a pruned tree has no site: takes what a wrong or damaged destination sends there, so that it blocks nobody,
  * and shows the header of every packet taken (`dropped`, 2 cycles after the header flit).
  */
class LinkSink extends Component {
  val io = new Bundle {
    val link = slave(Link())
    val dropped = master(Flow(Bits(64 bits)))
  }

  private val flit = io.link.flit
  private val first = Vec.fill(Vc.count)(Reg(Bool()) init True)
  when(flit.valid) {
    first(flit.vc) := flit.last
  }
  io.link.credit := RegNext(B((0 until Vc.count).map(vc => flit.valid && flit.vc === vc))) init 0
  io.dropped.valid := RegNext(flit.valid && first(flit.vc)) init False
  io.dropped.payload := RegNextWhen(flit.data, flit.valid)
}
