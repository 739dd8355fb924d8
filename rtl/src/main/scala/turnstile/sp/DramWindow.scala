package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** The sP's loads and stores to DRAM: READ_PARTIAL and WRITE_PARTIAL with bypass (BZ-11), one at a time.
  *
  * A store is accepted at once and done behind the sP's back; the next access waits. A load answers two cycles after its
  * beat. Cycles from `access.fire` (0): request 1, verdict of the Site Bus 5, beat of memory with latency L about 6 + L.
  * A retried op is repeated after `backOff` cycles; the bus's elder rule bounds how often.
  */
class DramWindow(backOff: Int = 4) extends Component {
  val io = new Bundle {
    val access = slave(Stream(SpAccess()))
    val reply = master(Flow(SpReply()))
    val bus = master(BusMasterPort())
    /** An op runs. */
    val busy = out Bool ()
    /** A store that nobody took: its address. */
    val storeError = master(Flow(UInt(32 bits)))
  }
  private object Phase extends SpinalEnum { val IDLE, REQUEST, ANSWER, DATA, WAIT = newElement() }
  private val phase = RegInit(Phase.IDLE)
  private val access = Reg(SpAccess())
  private val timer = Reg(UInt(log2Up(backOff) bits))

  io.access.ready := phase === Phase.IDLE
  io.busy := phase =/= Phase.IDLE
  when(io.access.fire) {
    access := io.access.payload
    phase := Phase.REQUEST
  }

  io.bus.request.valid := phase === Phase.REQUEST
  io.bus.request.op := access.write ? BusOp.WRITE_PARTIAL | BusOp.READ_PARTIAL
  io.bus.request.address := access.address
  io.bus.request.mask := (access.mask << (access.address(3 downto 2) @@ U"00")).resized
  io.bus.request.bypass := True
  when(io.bus.request.fire)(phase := Phase.ANSWER)

  // Offered before the verdict, taken after it: no cycle lost.
  io.bus.write.valid := access.write && (phase === Phase.ANSWER || phase === Phase.DATA)
  io.bus.write.fragment := access.data #* 4
  io.bus.write.last := True

  private val failed = phase === Phase.ANSWER && io.bus.answer.valid && !io.bus.answer.retry && io.bus.answer.error
  when(phase === Phase.ANSWER && io.bus.answer.valid) {
    phase := Phase.DATA
    timer := backOff - 1
    when(io.bus.answer.retry)(phase := Phase.WAIT)
  }
  private val done = failed || io.bus.write.fire || phase =/= Phase.IDLE && io.bus.read.valid
  when(phase === Phase.WAIT) {
    timer := timer - 1
    when(timer === 0 || io.bus.wake)(phase := Phase.REQUEST)
  }
  when(done)(phase := Phase.IDLE)

  // Registered: a reply frees the sP's pipeline in the same cycle and must not reach from the bus into its outputs.
  private val word = io.bus.read.fragment.subdivideIn(32 bits)(access.address(3 downto 2))
  io.reply.valid := RegNext(done && !access.write) init False
  io.reply.error := RegNext(failed)
  io.reply.data := RegNextWhen(word, io.bus.read.valid)
  io.storeError.valid := RegNext(failed && access.write) init False
  io.storeError.payload := access.address
}
