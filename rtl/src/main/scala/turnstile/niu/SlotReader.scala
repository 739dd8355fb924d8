package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.message.SlotPort

/** Reads the lines of a slot as 16 B beats: a 64-bit word a cycle, so a beat every two; the first beat is in the FIFO
  * three cycles after `read` rises. `read` and `slot`, `lines` are held until `finished`; `clear` starts afresh. */
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
  private val word = Reg(UInt(5 bits)) init 0
  private val reading = io.read && !io.finished && io.room
  private val arrives = RegNext(reading) init False
  private val odd = RegNext(word(0))
  private val low = RegNextWhen(io.port.data, arrives)
  io.finished := word === io.lines @@ U"000"
  when(reading)(word := word + 1)
  when(io.clear)(word := 0)
  io.port.read.valid := reading
  io.port.read.payload := io.slot @@ word(3 downto 0)
  io.port.free.valid := False
  io.port.free.payload := io.slot
  io.beat.valid := arrives && odd
  io.beat.payload := io.port.data ## low
}
