package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusMasterPort, BusOp}

/** Two [[LineOps]] in turn, so that the command engine has two lines on their way (a 128 B block costs one trip to memory).
  *
  * The interface is that of one: verdicts and beats come in the order of the ops, whoever was first on the bus. Up to two lines
  * of read beats wait here; `read` cannot be stopped, so an op may be given only when two more lines have room behind it.
  */
class LinePair(backOff: Int = 4) extends Component {
  val io = new Bundle {
    val op = slave(Stream(LineOp()))
    val done = master(Flow(Bool()))
    val idle = out Bool ()
    val abandon = in Bool ()
    val write = slave(Stream(Bits(128 bits)))
    val read = master(Flow(Fragment(Bits(128 bits))))
    val bus = Vec(master(BusMasterPort()), 2)
  }
  private val units = Seq.fill(2)(new LineOps(backOff))
  for ((unit, bus) <- units zip io.bus) {
    unit.io.bus <> bus
    unit.io.abandon := io.abandon
  }

  /** A turn: the unit whose op, verdict, beats or line of data is next; it flips when that one is through. */
  private def turn(passed: => Bool): Bool = {
    val t = RegInit(False)
    t.toggleWhen(passed)
    t
  }
  private def pick[T <: Data](turn: Bool, of: LineOps => T): T = Mux(turn, of(units(1)), of(units(0)))

  private val giving: Bool = turn(io.op.fire)
  // The bus takes data out in the order of verdicts: a write waits until the one before it is judged, so that is our order too.
  private val unjudged = Reg(UInt(2 bits)) init 0
  unjudged := unjudged + U(io.op.fire) - U(io.done.valid)
  private val may = !BusOp.writes(io.op.op) || unjudged === 0
  io.op.ready := pick(giving, _.io.op.ready) && may
  for ((unit, i) <- units.zipWithIndex) {
    unit.io.op.valid := io.op.valid && may && giving === Bool(i == 1)
    unit.io.op.payload := io.op.payload
  }

  private val verdicts = units.map(u => u.io.done.toStream.queueLowLatency(2, latency = 1))
  private val judging: Bool = turn(io.done.valid)
  for ((v, i) <- verdicts.zipWithIndex) v.ready := judging === Bool(i == 1)
  io.done.valid := Mux(judging, verdicts(1).valid, verdicts(0).valid)
  io.done.payload := Mux(judging, verdicts(1).payload, verdicts(0).payload)

  private val beats = units.map(u => u.io.read.toStream.queueLowLatency(4, latency = 0))
  private val reading: Bool = turn(io.read.valid && io.read.last)
  for ((b, i) <- beats.zipWithIndex) b.ready := reading === Bool(i == 1)
  io.read.valid := Mux(reading, beats(1).valid, beats(0).valid)
  io.read.payload := Mux(reading, beats(1).payload, beats(0).payload)

  private val beat = Reg(UInt(2 bits)) init 0
  when(io.write.fire)(beat := beat + 1)
  private val writing: Bool = turn(io.write.fire && beat === 3)
  io.write.ready := pick(writing, _.io.write.ready)
  for ((unit, i) <- units.zipWithIndex) {
    unit.io.write.valid := io.write.valid && writing === Bool(i == 1)
    unit.io.write.payload := io.write.payload
  }

  // A verdict on its way into the queue counts: an op without data is idle in the cycle of its `done`.
  io.idle := units.map(u => u.io.idle && !u.io.done.valid).andR && !verdicts.map(_.valid).orR && !beats.map(_.valid).orR
  // Between commands all turns are equal, whatever was abandoned half way.
  when(io.idle && !io.op.valid) {
    for (t <- Seq(giving, judging, reading, writing)) t := False
    beat := 0
    unjudged := 0
  }
}
