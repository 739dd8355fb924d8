package turnstile.bus

import spinal.core._
import spinal.lib._

/** What a unit wants of the bus: byte `address`, of which line ops ignore [5:0]; `mask`: byte lanes of a partial op. */
case class ClientOp() extends Bundle {
  val op = BusOp()
  val address = UInt(32 bits)
  val mask = Bits(16 bits)

  /** A line op, without byte lanes. */
  def line(op: BusOp.C, address: UInt): Unit = {
    this.op := op
    this.address := address
    mask := 0
  }
}

/** @param masters ops on their way at once, each with a master id of its own, 1 to 4
  * @param bypass  the NIU's own ops: the snooper lets them pass (BZ-11, BZ-14)
  * @param backOff cycles from a retry, that is no conflict, to the next try, 1 to 24
  * @param staged  with one master: a register between `op` and its request, which leaves a cycle later; then `op` is accepted
  *                when all before it is over, from any logic
  * @param mixed   with several masters: ops that read, that write and that do neither may follow each other; else all ops from one `idle` to the
  *                next are of one of these kinds. Without `abandon`
  */
case class BusClientParams(masters: Int = 1, bypass: Boolean = true, backOff: Int = 4, staged: Boolean = false, mixed: Boolean = false) {
  require(!mixed || masters > 1, "bus client: ops of several kinds at once of one master, legal with 2 to 4")
  require(!staged || masters == 1, s"bus client: a register before the request of $masters masters, legal with 1")
  require(masters >= 1 && masters <= 4, s"bus client: $masters masters, legal 1 to 4")
  require(backOff >= 1 && backOff <= 24, s"bus client: back-off of $backOff cycles, legal 1 to 24")
}

/** How a unit uses the Site Bus: gives ops, gets verdicts, moves beats; retry, conflict, wake, order and errors are seen to here.
  *
  *  - `op`: line and partial ops, accepted as a master is free and requested in the same cycle (combinational on `op`; give
  *    it from a register, or see `staged`). A write waits until the op before it is judged, for the bus takes data out in that order.
  *  - `done`: one verdict an op, in the order of the ops: true when nobody answers its address. Never after its first beat, but with `mixed`, where
  *    a read passes a write that is retried: there `failed` says it with each beat.
  *    With one master in the cycle after the bus's verdict, with more a cycle later.
  *  - `judged`: how many ops got their verdict in the cycle before, whoever was first: for who waits for all of them.
  *  - `write`, `read`: four beats a line, one a partial op, in the order of the ops. `read` cannot be stopped. An op with an
  *    error reads zeros and drops what it wrote, so that both streams stay whole.
  *  - `idle`: all ops given are done and all beats moved.
  *  - `abandon`: while it is high an op that was retried is given up: it gets no verdict and moves no beat. Keep it high
  *    until `idle`, then both streams must be empty again.
  *
  * `spread` (cycles) is added to the back-off, so that two masters in step fall out of step; 0 where nothing is in step.
  *
  * Waiting is bounded when the bus's is: with a verdict within R cycles of a request, at most K retries in a row, and beats moved
  * within D cycles of the verdict, an op is over K (R + backOff + 1) + R + D + 1 cycles after it was accepted, at the latest
  * (tests/formal/client_bound proves it for one master, `spread` 0, not `staged`). What bounds R and K: docs/design/bus.md.
  */
class BusClient(p: BusClientParams) extends Component {
  val io = new Bundle {
    val op = slave(Stream(ClientOp()))
    val done = master(Flow(Bool()))
    val judged = out UInt (log2Up(p.masters + 1) bits)
    val idle = out Bool ()
    val abandon = in Bool ()
    val spread = in UInt (3 bits)
    val write = slave(Stream(Bits(128 bits)))
    val read = master(Flow(Fragment(Bits(128 bits))))
    val failed = (p.mixed || p.masters == 1) generate spinal.core.out(Bool())
    val bus = Vec(master(BusMasterPort()), p.masters)
  }
  io.abandon.default(False)
  io.spread.default(0)

  private val units = Seq.fill(p.masters)(new ClientMaster(p))
  io.judged := CountOne(units.map(_.io.done.valid)).resized
  for ((unit, bus) <- units zip io.bus) {
    unit.io.bus <> bus
    unit.io.abandon := io.abandon
    unit.io.spread := io.spread
  }

  if (p.masters == 1) {
    val unit = units.head.io
    val op = if (p.staged) io.op.continueWhen(io.idle).halfPipe() else io.op
    unit.op << op
    unit.write << io.write
    io.done << unit.done
    io.read << unit.read
    io.failed := unit.failed
    io.idle := unit.idle && (if (p.staged) !op.valid else True)
  } else new Area {
    /** The unit whose op, verdict, beats or line of data is next. */
    trait Next extends Area {
      def is(i: Int): Bool
      /** All of its ops are over. */
      def restart(): Unit
      def of[T <: Data](values: Seq[T]): T = values.tail.zipWithIndex.foldLeft(values.head) { case (v, (u, i)) => Mux(is(i + 1), u, v) }
    }
    /** It moves on when that one is through. */
    class Turn(passed: => Bool) extends Next {
      val now = Reg(UInt(log2Up(p.masters) bits)) init 0
      when(passed)(now := Mux(now === p.masters - 1, U(0), now + 1))
      def is(i: Int): Bool = now === i
      def restart(): Unit = now := 0
    }
    /** It is that of the oldest op that moves such data; a unit may have an op on its way and the last one's line waiting. */
    class Order(moves: Bool, passed: => Bool) extends Next {
      val units = StreamFifo(UInt(log2Up(p.masters) bits), 2 * p.masters, latency = 1)
      assert(!units.io.push.valid || units.io.push.ready, "bus client: more ops than it can put in order", FAILURE)
      units.io.push.valid := io.op.fire && moves
      units.io.push.payload := giving.now
      units.io.pop.ready := passed
      def is(i: Int): Bool = units.io.pop.valid && units.io.pop.payload === i
      def restart(): Unit = {} // it is empty then
    }
    def data(moves: BusOp.C => Bool)(passed: => Bool): Next = if (p.mixed) new Order(moves(io.op.op), passed) else new Turn(passed)
    val giving = new Turn(io.op.fire)
    val unjudged = Reg(UInt(log2Up(p.masters + 1) bits)) init 0
    unjudged := unjudged + U(io.op.fire) - io.judged
    val may = !BusOp.writes(io.op.op) || unjudged === 0
    io.op.ready := giving.of(units.map(_.io.op.ready)) && may
    for ((unit, i) <- units.zipWithIndex) {
      unit.io.op.valid := io.op.valid && may && giving.is(i)
      unit.io.op.payload := io.op.payload
    }

    val verdicts = units.map(u => u.io.done.toStream.queueLowLatency(2, latency = 1))
    val judging = new Turn(io.done.valid)
    for ((v, i) <- verdicts.zipWithIndex) v.ready := judging.is(i)
    io.done.valid := judging.of(verdicts.map(_.valid))
    io.done.payload := judging.of(verdicts.map(_.payload))

    // A line a master waits here for its turn.
    val beats = for (u <- units) yield {
      val beat = Flow(Fragment(Bits(128 + p.mixed.toInt bits)))
      beat.valid := u.io.read.valid
      beat.last := u.io.read.last
      beat.fragment := (u.io.failed ## u.io.read.fragment).resized
      beat.toStream.queueLowLatency(4, latency = 0)
    }
    val reading = data(BusOp.reads)(io.read.valid && io.read.last)
    for ((b, i) <- beats.zipWithIndex) b.ready := reading.is(i)
    io.read.valid := reading.of(beats.map(_.valid))
    val beat = reading.of(beats.map(_.payload))
    io.read.last := beat.last
    io.read.fragment := beat.fragment(127 downto 0)
    if (p.mixed) io.failed := beat.fragment.msb

    val writing = data(BusOp.writes)(B(units.map(u => u.io.write.fire && u.io.lastWrite)).orR)
    io.write.ready := writing.of(units.map(_.io.write.ready))
    for ((unit, i) <- units.zipWithIndex) {
      unit.io.write.valid := io.write.valid && writing.is(i)
      unit.io.write.payload := io.write.payload
    }

    // A verdict on its way into the queue counts: an op without data is idle in the cycle of its `done`.
    io.idle := units.map(u => u.io.idle && !u.io.done.valid).andR && !verdicts.map(_.valid).orR && !beats.map(_.valid).orR
    // Between ops all turns are equal, whatever was abandoned half way.
    when(io.idle && !io.op.valid) {
      for (next <- Seq(giving, judging, reading, writing)) next.restart()
      unjudged := 0
    }
  }
}
