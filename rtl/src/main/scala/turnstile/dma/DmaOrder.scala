package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}

/** The ops of the translation's walks, of the receiver and of the planner, first one first, to one bus client; beats and verdicts, which come in the
  * order of ops, to whose they are. An op leaves the cycle after it was given.
  *
  * In-flight references (BZ-36): while `drains` is high, `drained` rises when each engine was seen to hold no line (`held`), and then all ops
  * given until there have their verdict. No engine is stopped for it.
  */
class DmaOrder extends Component {
  val io = new Bundle {
    val walk, receive, plan = slave(Stream(ClientOp()))
    val walked, received = slave(Stream(Bits(128 bits)))
    val op = master(Stream(ClientOp()))
    val write = master(Stream(Bits(128 bits)))
    val done = in(Bool())
    val read = slave(Flow(Fragment(Bits(128 bits))))
    val walks, planned = master(Flow(Bits(128 bits)))

    /** No op of the receiver is without its verdict. */
    val judged = out(Bool())
    val drains = in(Bool())
    val held = in(Bits(2 bits))
    val drained = out(Bool())
  }

  /** Ops given and not over: a line waiting, and one in the pipeline, besides those of the client's masters. */
  private val most = 16
  private val taken = StreamArbiterFactory().lowerFirst.noLock.on(Seq(io.walk, io.receive, io.plan))
  io.op << taken.m2sPipe()
  private val writes = BusOp.writes(taken.op)
  private class Order[T <: Data](kind: HardType[T], pushes: Bool, value: T) extends Area {
    val fifo = StreamFifo(kind, most, latency = 1)
    fifo.io.push.valid := pushes
    fifo.io.push.payload := value
    assert(!pushes || fifo.io.push.ready, "DMA: more ops than it can put in order", FAILURE)
    def next: Stream[T] = fifo.io.pop
  }

  // Whose beats are read
  private val readers = new Order(Bool(), taken.fire && !writes, io.walk.valid)
  readers.next.ready := io.read.valid && io.read.last
  for ((beats, walk) <- Seq(io.walks -> true, io.planned -> false)) {
    beats.valid := io.read.valid && readers.next.payload === Bool(walk)
    beats.payload := io.read.fragment
  }

  // Whose are written, of a line or of a part
  private case class Writer() extends Bundle {
    val walk, line = Bool()
  }
  private val given = Writer()
  given.walk := io.walk.valid
  given.line := taken.op === BusOp.WRITE_BACK
  private val writers = new Order(Writer(), taken.fire && writes, given)
  private val beat = Reg(UInt(2 bits)) init 0
  private val beats = StreamMux(writers.next.payload.walk.asUInt, Seq(io.received, io.walked)).continueWhen(writers.next.valid)
  io.write << beats
  when(io.write.fire && writers.next.payload.line)(beat := beat + 1)
  writers.next.ready := io.write.fire && (!writers.next.payload.line || beat.andR)

  // Verdicts
  private val kinds = new Order(Bool(), taken.fire, io.receive.fire)
  kinds.next.ready := io.done
  private val unjudged, flying = Reg(UInt(log2Up(most + 1) bits)) init 0
  unjudged := unjudged + U(io.receive.fire) - U(io.done && kinds.next.payload)
  flying := flying + U(taken.fire) - U(io.done)
  io.judged := unjudged === 0

  private val passed = Reg(Bits(2 bits)) init 0
  private val counts = RegInit(False)
  private val left = Reg(UInt(log2Up(most + 1) bits))
  io.drained := counts && left === 0
  when(!counts) {
    passed := passed | ~io.held
    counts := passed.andR
    left := flying + U(taken.fire) - U(io.done)
  } elsewhen (io.done && left =/= 0) {
    left := left - 1
  }
  when(!io.drains) {
    passed := 0
    counts := False
  }
}
