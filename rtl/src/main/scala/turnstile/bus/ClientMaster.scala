package turnstile.bus

import spinal.core._
import spinal.lib._

/** One master of a [[BusClient]]: one op at a time, repeated until the bus takes it. See there for what the streams promise.
  *
  * `op` is accepted with its request (combinational on `op`); `done` tells the verdict in the cycle after it; `idle` when the
  * last beat has moved, for ops without data with `done`; the next op is accepted then.
  */
class ClientMaster(p: BusClientParams) extends Component {
  val io = new Bundle {
    val op = slave(Stream(ClientOp()))
    val done = master(Flow(Bool()))
    val idle = out Bool ()
    val abandon = in Bool ()
    val spread = in UInt (3 bits)
    val write = slave(Stream(Bits(128 bits)))
    /** The beat at `write` ends its op. */
    val lastWrite = out Bool ()
    val read = master(Flow(Fragment(Bits(128 bits))))
    /** The beat at `read` is of an op that nobody answered. */
    val failed = out Bool ()
    val bus = master(BusMasterPort())
  }
  private object Phase extends SpinalEnum { val IDLE, ANSWER, DATA, REPEAT, ZERO = newElement() }
  private val phase = RegInit(Phase.IDLE)
  private val held = RegNextWhen(io.op.payload, io.op.fire)
  private val beat = Reg(UInt(2 bits)) init 0
  private val idle = phase === Phase.IDLE
  private val reads = BusOp.reads(held.op)
  private val writes = BusOp.writes(held.op)
  private val last = beat === 3 || BusOp.partial(held.op)

  private val answer = phase === Phase.ANSWER && io.bus.answer.valid
  private val good = answer && !io.bus.answer.retry
  private val policy = new RetryPolicy(io.bus, formed = io.bus.request.fire, retried = answer && io.bus.answer.retry,
    backOff = U(p.backOff, 5 bits) + io.spread)

  io.idle := idle
  io.bus.request.valid := idle && io.op.valid || phase === Phase.REPEAT && policy.free
  io.bus.request.payload.assignSomeByName(idle ? io.op.payload | held)
  io.bus.request.bypass := Bool(p.bypass)
  io.op.ready := idle && io.bus.request.ready
  when(phase === Phase.REPEAT && !policy.free && io.abandon)(phase := Phase.IDLE)
  when(io.bus.request.fire)(phase := Phase.ANSWER)

  private val moved = io.bus.write.fire && io.bus.write.last || io.bus.read.valid && io.bus.read.last
  when(answer) {
    when(io.bus.answer.retry)(phase := Mux(io.abandon, Phase.IDLE(), Phase.REPEAT()))
      .elsewhen(io.bus.answer.error && (reads || writes))(phase := Phase.ZERO)
      .elsewhen((reads || writes) && !moved)(phase := Phase.DATA)
      .otherwise(phase := Phase.IDLE)
  }
  when(phase === Phase.DATA && moved)(phase := Phase.IDLE)
  io.done.valid := RegNext(good) init False
  io.done.payload := RegNext(io.bus.answer.error)

  // The beats of an op that nobody answered are made, or dropped, here, so that streams stay whole. Data out is offered
  // before the verdict and taken after it: no cycle is lost.
  private val zero = phase === Phase.ZERO
  private val made = zero && (reads || io.write.valid)
  when(io.bus.write.fire || made)(beat := last ? U(0) | beat + 1)
  when(made && last)(phase := Phase.IDLE)
  io.bus.write.valid := io.write.valid && !zero && !idle && writes
  io.bus.write.fragment := io.write.payload
  io.bus.write.last := last
  io.lastWrite := last
  io.write.ready := zero ? writes | io.bus.write.ready && !idle && writes
  io.read.valid := io.bus.read.valid || zero && reads
  io.failed := zero
  io.read.fragment := zero ? B(0, 128 bits) | io.bus.read.fragment
  io.read.last := zero ? last | io.bus.read.last
}
