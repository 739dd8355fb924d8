package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Reads the lines of a slot, a beat of 16 B a cycle; the first is in the FIFO two cycles after `read` rises. `read` and
  * `slot`, `lines` are held until `finished`; `clear` starts afresh. */
class SlotReader extends Component {
  val io = new Bundle {
    val read = in Bool ()
    val slot = in UInt (6 bits)
    val lines = in UInt (2 bits)
    /** Room for the beat begun and one more. */
    val room = in Bool ()
    val finished = out Bool ()
    val clear = in Bool ()
    val port = master(SlotPort())
    val beat = master(Flow(Bits(128 bits)))
  }
  private val next = Reg(UInt(4 bits)) init 0
  private val reading = io.read && !io.finished && io.room
  private val arrives = RegNext(reading) init False
  io.finished := next === io.lines @@ U"00"
  when(reading)(next := next + 1)
  when(io.clear)(next := 0)
  io.port.read.valid := reading
  io.port.read.payload := io.slot @@ next(2 downto 0)
  io.port.free.valid := False
  io.port.free.payload := io.slot
  io.beat.valid := arrives
  io.beat.payload := io.port.data
}
