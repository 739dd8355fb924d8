package turnstile.network

import spinal.core._
import spinal.lib._

/** Writes the CRC into the tail of each packet passing: bits 63 to 32 of a flit with `last` are replaced by the CRC of all
  * earlier flits and the tail's own low word (VY-40).
  *
  * Latency 1 cycle, one flit a cycle; `ready` and the output come from registers.
  *
  * @param noteWidth bits that accompany each flit of `input`, and then of `output`
  */
class CrcAppend(noteWidth: Int = 0) extends Component {
  val io = new Bundle {
    val input = slave(Stream(Fragment(Bits(64 bits))))
    val note = in(Bits(noteWidth bits))
    val output = master(Stream(Fragment(Bits(64 bits))))
    val noted = out(Bits(noteWidth bits))
  }

  private val staged = io.input.translateWith(TupleBundle(io.input.payload, io.note)).s2mPipe()
  private val sent = staged.m2sPipe()
  private val flit = staged._1
  private val first = RegNextWhen(flit.last, staged.fire) init True
  private val state = Reg(Bits(32 bits))
  private val before = first ? Crc32.start | state
  when(staged.fire) {
    when(flit.last) {
      state := Crc32.next(before, flit.fragment(31 downto 0))
    } otherwise {
      state := Crc32.next(before, flit.fragment)
    }
  }

  // The state register and the output register are loaded together, so a tail finds its own CRC in the state.
  io.output << sent.translateWith(sent._1)
  io.noted := sent._2
  when(sent._1.last) {
    io.output.fragment(63 downto 32) := ~state
  }
}
