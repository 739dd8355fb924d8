package turnstile.snoop

import spinal.core._
import spinal.lib._

/** Oldest-first order among masters refused because the approval file was full (VY-06).
  *
  * A refused master queues once; only the head may record. It leaves the queue when an op of it is not refused, or when it
  * is the head and was not seen for 3 to 4 `tick`s. So no master waits for more than 15 others. One cycle a change.
  */
class WaitOrder(masters: Int) extends Component {
  val io = new Bundle {
    /** The op judged now, and whether the file refused it. */
    val op = slave(Flow(UInt(4 bits)))
    val refused = in(Bool())
    val tick = in(Bool())
    /** The master of `op` may record, in the same cycle. */
    val turn = out(Bool())
    val waiting = out(Bool())
  }

  private val queued, waits = RegInit(B(0, masters bits))
  private val order = Mem(UInt(4 bits), 16)
  private val push, pop = Reg(UInt(4 bits)) init 0
  private val count = Reg(UInt(5 bits)) init 0
  private val unseen = Reg(UInt(2 bits)) init 0

  private val head = order.readAsync(pop)
  private val headWaits = waits(head.resize(log2Up(masters) max 1))
  private val occupied = count =/= 0
  private val master = io.op.payload.resize(log2Up(masters) max 1)
  private val isHead = occupied && head === io.op.payload

  io.turn := !occupied || isHead
  io.waiting := occupied

  private val enqueue = io.op.valid && io.refused && !queued(master)
  private val dequeue = occupied && (!headWaits || unseen === 3) && !(io.op.valid && isHead)
  order.write(push, io.op.payload, enqueue)
  when(io.tick && occupied && unseen =/= 3)(unseen := unseen + 1)
  when(io.op.valid) {
    waits(master) := io.refused
    when(isHead)(unseen := 0)
  }
  when(enqueue) {
    push := push + 1
    queued(master) := True
  }
  when(dequeue) {
    pop := pop + 1
    queued(head.resize(log2Up(masters) max 1)) := False
    waits(head.resize(log2Up(masters) max 1)) := False
    unseen := 0
  }
  when(enqueue =/= dequeue)(count := enqueue ? (count + 1) | (count - 1))
}
