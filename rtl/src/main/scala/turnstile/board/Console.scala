package turnstile.board

import spinal.core._
import spinal.lib._
import spinal.lib.com.uart._

/** What the aP and the sP write to their consoles, on a UART line: 8 data bits, no parity, one stop bit.
  *
  * The aP's characters that are no text (stderr, host calls: apps/include/turnstile_call.h) are left out. Each source has a FIFO; the sP
  * goes first, between two characters of the aP if it must. Nobody waits for the line: a character that finds its FIFO full is lost, and
  * `lost` pulses.
  *
  * Latency: a start bit begins within an eighth of a bit of a character that finds the line free, and four cycles.
  *
  * @param clock of this clock domain
  * @param baud  bits a second; the nearest that `clock` gives must be within 2 %
  * @param depth characters of each FIFO, a power of two
  */
class Console(clock: HertzNumber, baud: Int, depth: Int) extends Component {
  val io = new Bundle {
    val ap, sp = slave(Flow(Bits(8 bits)))
    val line = out Bool ()
    val lost = out Bool ()
  }
  private val frame = UartCtrlGenerics()
  private val divider = (clock.toDouble / baud / frame.rxSamplePerBit).round.toInt
  private val given = if (divider > 0) clock.toDouble / divider / frame.rxSamplePerBit else 0
  require((given / baud - 1).abs <= 0.02, f"Console: $baud baud of a clock of ${clock.toDouble / 1e6}%.3f MHz would be $given%.0f, legal within 2 %%")

  private object Code {
    val call = 0x05
    val stderr = 0x0E
    val stdout = 0x0F
    val literal = 0x10
    val all = Seq(call, stderr, stdout, literal)
  }
  private val literal = RegInit(False)
  private def is(code: Int): Bool = io.ap.payload === code
  when(io.ap.valid)(literal := !literal && is(Code.literal))
  private val text = io.ap.takeWhen(literal || !Code.all.map(is).orR)

  private val fifos = for (source <- Seq(io.sp, text)) yield {
    val fifo = StreamFifo(Bits(8 bits), depth)
    fifo.io.push.valid := source.valid
    fifo.io.push.payload := source.payload
    fifo
  }
  io.lost := RegNext(fifos.map(f => f.io.push.valid && !f.io.push.ready).orR) init False

  private val uart = new UartCtrlTx(frame)
  uart.io.configFrame.dataLength := 7
  uart.io.configFrame.parity := UartParityType.NONE
  uart.io.configFrame.stop := UartStopType.ONE
  uart.io.samplingTick := CounterFreeRun(divider).willOverflow
  uart.io.cts := False
  uart.io.break := False
  // The transmitter looks at a character until its last bit.
  uart.io.write << StreamArbiterFactory().lowerFirst.noLock.on(fifos.map(_.io.pop)).stage()
  io.line := RegNext(uart.io.txd) init True
}
