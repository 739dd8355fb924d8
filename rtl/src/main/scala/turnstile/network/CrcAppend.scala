package turnstile.network

import spinal.core._
import spinal.lib._

/** Writes the CRC into the tail of each packet passing: bits 63 to 32 of a flit with `last` are replaced by the CRC of all
  * earlier flits and the tail's own low word (VY-40).
  *
  * Latency 1 cycle, one flit a cycle; `ready` and the output come from registers.
  */
class CrcAppend extends Component {
  val io = new Bundle {
    val input = slave(Stream(Fragment(Bits(64 bits))))
    val output = master(Stream(Fragment(Bits(64 bits))))
  }

  private val staged = io.input.s2mPipe()
  private val sent = staged.m2sPipe()
  private val first = RegNextWhen(staged.last, staged.fire) init True
  private val state = Reg(Bits(32 bits))
  private val before = first ? Crc32.start | state
  when(staged.fire) {
    when(staged.last) {
      state := Crc32.next(before, staged.fragment(31 downto 0))
    } otherwise {
      state := Crc32.next(before, staged.fragment)
    }
  }

  // The state register and the output register are loaded together, so a tail finds its own CRC in the state.
  io.output << sent
  when(sent.last) {
    io.output.fragment(63 downto 32) := ~state
  }
}
