package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.cpu.FloatStore

/** Between a core with an FPU and its data cache: the core's loads and stores, and those of write-back ([[turnstile.cpu.FloatMemoryPlugin]]), in
  * one stream; one of 64 bits as two of a word, the lower address first.
  *
  * So the cache is that of a core without. The manual promises no more than words with XLEN 32; that they take effect one behind the
  * other, each sequentially consistent, is what gcc's two instructions for a `double` do without FPU.
  *
  * Latency: none for a word; a cycle more for 64 bits. An error of one of the words is the access's.
  */
class FloatPort(atomics: Boolean) extends Component {
  val io = new Bundle {
    val core = slave(CpuPort(atomics))

    /** With `core.cmd`: it loads 64 bits from `address`, to be aligned to 4 as the rest. */
    val double = in Bool ()

    /** With `core.rsp`: the upper word. */
    val high = out Bits (32 bits)

    /** `core` takes no answer in this cycle. */
    val waits = in Bool ()

    /** Never with `core.cmd`. */
    val store = slave(Stream(FloatStore()))
    val cache = master(CpuPort(atomics))
  }

  // Commands -----------------------------------------------------------------------------------------------------------
  private val first = CpuCommand(atomics)
  first := io.core.cmd.payload
  when(io.store.valid) {
    first.wr := True
    first.size := 2
    first.address := io.store.address
    first.data := io.store.data(31 downto 0)
    if (atomics) first.atomic := turnstile.cpu.AtomicOp.NONE
  }
  private val valid = io.store.valid || io.core.cmd.valid
  private val double = io.store.valid ? io.store.double | io.double
  private val second = RegInit(False)
  private val kept = RegNextWhen(first, !second)
  private val upper = RegNextWhen(io.store.data(63 downto 32), !second)

  io.cache.cmd.valid := valid || second
  io.cache.cmd.payload := second ? kept | first
  when(second) {
    io.cache.cmd.address := kept.address + 4
    io.cache.cmd.data := upper
  }
  io.core.cmd.ready := io.cache.cmd.ready && !second
  io.store.ready := io.cache.cmd.ready && !second
  when(io.cache.cmd.ready)(second := !second && valid && double)
  assert(!(io.store.valid && io.core.cmd.valid), "a store of write-back beside an access of execute", FAILURE)

  // Answers ------------------------------------------------------------------------------------------------------------
  private val low = Reg(CpuResponse())
  private val lowComes, pair = RegInit(False)
  when(lowComes && io.cache.rsp.valid) {
    lowComes := False
    low := io.cache.rsp.payload
  }
  when(io.core.cmd.fire) {
    pair := io.double
    lowComes := io.double && !io.core.cmd.wr
  }
  private val whole = FloatPort.Answer()
  whole.word := pair ? low.data | io.cache.rsp.data
  whole.high := io.cache.rsp.data
  whole.error := io.cache.rsp.error || pair && low.error
  private val done = io.cache.rsp.valid && !lowComes
  private val holds = RegInit(False)
  private val held = RegNextWhen(whole, done)
  private val answer = holds ? held | whole
  holds := (done || holds) && io.waits
  io.core.rsp.valid := (done || holds) && !io.waits
  io.core.rsp.data := answer.word
  io.core.rsp.error := answer.error
  io.high := answer.high
}

private object FloatPort {
  case class Answer() extends Bundle {
    val word, high = Bits(32 bits)
    val error = Bool()
  }
}
