package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** One line op of the command engine: `address` is that of the line. */
case class LineOp() extends Bundle {
  val op = BusOp()
  val address = UInt(32 bits)
}

/** Drives the engine's Site Bus port: one op at a time, repeated until the bus takes it.
  *
  * `op` is accepted with the request (cycle 0, combinational on `op`); `done` tells the verdict the cycle after the bus
  * gave it; `idle` when the last beat has moved (ops without data: with `done`), and then the next `op` is accepted. A retried op is repeated after `backOff` cycles, at once on `wake`; the bus's elder rule
  * bounds how often. An op with `error` moves no beat: reads give four zero beats, writes drop theirs.
  */
class LineOps(backOff: Int = 4) extends Component {
  val io = new Bundle {
    val op = slave(Stream(LineOp()))
    /** Verdict of the op under way: payload true when nobody answers its address. */
    val done = master(Flow(Bool()))
    val idle = out Bool ()
    /** Give the op up while it waits to be repeated. */
    val abandon = in Bool ()
    val write = slave(Stream(Bits(128 bits)))
    /** Beats of a READ; `last` ends the line. */
    val read = master(Flow(Fragment(Bits(128 bits))))
    val bus = master(BusMasterPort())
  }
  private object Phase extends SpinalEnum { val IDLE, ANSWER, DATA, WAIT, REPEAT, ZERO = newElement() }
  private val phase = RegInit(Phase.IDLE)
  private val held = RegNextWhen(io.op.payload, io.op.fire)
  private val timer = Reg(UInt(log2Up(backOff) bits))
  private val beat = Reg(UInt(2 bits)) init 0
  private val idle = phase === Phase.IDLE
  private val op = idle ? io.op.payload | held
  private val reads = BusOp.reads(held.op)
  private val writes = BusOp.writes(held.op)

  io.idle := idle
  io.bus.request.valid := idle && io.op.valid || phase === Phase.REPEAT
  io.bus.request.op := op.op
  io.bus.request.address := op.address
  io.bus.request.mask := 0
  io.bus.request.bypass := True
  io.op.ready := idle && io.bus.request.ready
  when(io.bus.request.fire)(phase := Phase.ANSWER)

  private val answer = phase === Phase.ANSWER && io.bus.answer.valid
  private val good = answer && !io.bus.answer.retry
  private val moved = io.bus.write.fire && io.bus.write.last || io.bus.read.valid && io.bus.read.last
  when(answer) {
    timer := backOff - 1
    // A line in flight is free within a few cycles: no pause.
    when(io.bus.answer.retry)(phase := Mux(io.abandon, Phase.IDLE(), Mux(io.bus.answer.conflict, Phase.REPEAT(), Phase.WAIT())))
      .elsewhen(io.bus.answer.error && (reads || writes))(phase := Phase.ZERO)
      .elsewhen((reads || writes) && !moved)(phase := Phase.DATA)
      .otherwise(phase := Phase.IDLE)
  }
  when(phase === Phase.DATA && moved)(phase := Phase.IDLE)
  when(phase === Phase.WAIT) {
    timer := timer - 1
    when(timer === 0 || io.bus.wake)(phase := Phase.REPEAT)
    when(io.abandon)(phase := Phase.IDLE)
  }

  io.done.valid := RegNext(good) init False
  io.done.payload := RegNext(io.bus.answer.error)

  // Data: the four beats of an op that nobody answered are made here, so that streams stay whole.
  private val zero = phase === Phase.ZERO
  private val dropped = zero && writes && io.write.valid
  when(io.bus.write.fire || zero && (reads || dropped))(beat := beat + 1)
  when(zero && beat === 3 && (reads || dropped))(phase := Phase.IDLE)
  io.bus.write.valid := io.write.valid && !zero && !idle && writes
  io.bus.write.fragment := io.write.payload
  io.bus.write.last := beat === 3
  io.write.ready := zero ? writes | io.bus.write.ready && !idle && writes
  io.read.valid := io.bus.read.valid || zero && reads
  io.read.fragment := zero ? B(0, 128 bits) | io.bus.read.fragment
  io.read.last := zero ? (beat === 3) | io.bus.read.last
}
