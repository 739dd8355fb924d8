package turnstile.message

import spinal.core._
import spinal.lib._

/** Counters of events in one memory with one adder. What has come waits in a few bits of each counter until its turn.
  *
  * `count` is what had come of counter `ask` before this cycle, combinationally. Asked at most every other cycle.
  *
  * @param counts   number of counters, a power of two
  * @param width    bits of each, modulo 2^width
  * @param most     events of one counter in a cycle, at most
  * @param saturate they stay at the highest count instead
  */
class Counters(counts: Int, width: Int, most: Int = 1, saturate: Boolean = false) extends Component {
  require(isPow2(counts), s"Counters: $counts counters, legal a power of two")
  val io = new Bundle {
    val more = in(Vec.fill(counts)(UInt(log2Up(most + 1) bits)))
    val ask = slave(Flow(UInt(log2Up(counts) bits)))
    val count = out(UInt(width bits))
  }

  private val turn = Reg(UInt(log2Up(counts) bits)) init 0
  when(!io.ask.valid)(turn := turn + 1)
  private val at = io.ask.valid ? io.ask.payload | turn

  // Its turn comes in 2 * counts cycles.
  private val waiting = Vec.fill(counts)(Reg(UInt(log2Up(2 * counts * most + 1) bits)) init 0)
  for ((many, i) <- waiting.zipWithIndex) many := ((at === i) ? many.getZero | many) + io.more(i)

  private val memory = Mem(UInt(width bits), counts)
  private val zero = Reg(Bits(counts bits)) init B(counts bits, default -> True)
  private val sum = (zero(at) ? U(0, width bits) | memory.readAsync(at)) +^ waiting(at)
  io.count := sum.resize(width bits)
  if (saturate) when(sum.msb)(io.count.setAll())
  memory.write(at, io.count)
  zero(at) := False
}
