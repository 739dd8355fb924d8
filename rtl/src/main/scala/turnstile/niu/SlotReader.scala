package turnstile.niu

import spinal.core._
import spinal.lib._

/** Reads the lines of a slot, a beat of 16 B a cycle; the first address leaves in the cycle of `start`, its beat comes a cycle
  * later. `slot` and `lines` are held from `start` to `finished`, which is of this slot from the cycle after `start` on. */
class SlotReader extends Component {
  val io = new Bundle {
    val start = in Bool ()
    val read = in Bool ()
    val slot = in UInt (6 bits)
    val lines = in UInt (2 bits)
    /** Room for the beat begun and one more. */
    val room = in Bool ()
    val finished = out Bool ()
    val address = master(Flow(UInt(9 bits)))
    val data = in Bits (128 bits)
    val beat = master(Flow(Bits(128 bits)))
  }
  private val next = Reg(UInt(4 bits)) init 0
  private val at = io.start ? U(0, 4 bits) | next
  private val end = io.lines @@ U"00"
  private val reading = io.read && at =/= end && io.room
  next := at + U(reading)
  io.finished := next === end
  io.address.valid := reading
  io.address.payload := io.slot @@ at(2 downto 0)
  io.beat.valid := RegNext(reading) init False
  io.beat.payload := io.data
}
