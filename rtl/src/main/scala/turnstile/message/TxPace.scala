package turnstile.message

import spinal.core._
import spinal.lib._

/** Keeps users from loading the sPs (VY-37): a transmit queue of aPs that has sent `burst` messages by paced names ahead of one in `cycles`
  * is held until it is not. What had left its queue when it became so passes, and counts.
  *
  * @param burst  1 to 8
  * @param cycles a power of two
  */
class TxPace(burst: Int, cycles: Int) extends Component {
  require(burst >= 1 && burst <= 8, s"TxPace: a burst of $burst, legal 1 to 8")
  require(isPow2(cycles), s"TxPace: one message in $cycles cycles, legal a power of two")
  val io = new Bundle {
    /** The queue of a message that was sent by a paced name. */
    val sent = slave(Flow(UInt(4 bits)))
    val hold = out(Bits(Queues.count bits))
  }
  private val tick = CounterFreeRun(cycles).willOverflow
  io.hold := 0
  for (queue <- Queues.ofAps) {
    val ahead = Reg(UInt(4 bits)) init 0
    val more = io.sent.valid && io.sent.payload === queue && !ahead.andR
    val less = tick && ahead =/= 0
    // A register, for the choice of a source begins with it.
    val hold = RegInit(False)
    when(more =/= less) {
      ahead := more ? (ahead + 1) | (ahead - 1)
      hold := ahead >= (more ? U(burst - 1) | U(burst + 1))
    }
    io.hold(queue) := hold
  }
}
