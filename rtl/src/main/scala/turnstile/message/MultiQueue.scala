package turnstile.message

import spinal.core._
import spinal.lib._

/** Many FIFOs in one memory: the queue engine of both directions.
  *
  * An entry pushed in cycle t can be looked at in t+1: `head` is the first entry of the queue whose bit `look` has, from the next cycle to the
  * next look (block RAM); `pop` takes that of its own queue. The user never pushes into a full FIFO nor pops an empty one (asserted).
  *
  * @param queues  number of FIFOs, 2 to 32
  * @param depth   entries of each, a power of two
  * @param reserve `room` is set while more than this many entries are free
  */
class MultiQueue[T <: Data](entry: HardType[T], queues: Int, depth: Int, reserve: Int) extends Component {
  require(isPow2(depth), s"MultiQueue.depth is $depth; legal: a power of two")
  require(reserve < depth, s"MultiQueue.reserve is $reserve; legal: below the depth, $depth")
  private val selectWidth = log2Up(queues)

  val io = new Bundle {
    val push = slave(Flow(MultiQueuePush(entry, selectWidth)))
    val look = slave(Flow(Bits(queues bits)))
    val head = out(entry())
    val pop = slave(Flow(UInt(selectWidth bits)))
    val occupied = out(Bits(queues bits))
    val full = out(Bits(queues bits))
    val room = out(Bits(queues bits))
    val used = out(Vec.fill(queues)(UInt(log2Up(depth + 1) bits)))
  }

  // What is written while it is read is the entry of an empty FIFO, which nobody uses.
  private val memory = Mem(entry(), queues * depth).addAttribute("no_rw_check").addAttribute("ram_style", "block")
  private val writeAt, readAt = Vec.fill(queues)(Reg(UInt(log2Up(depth) bits)) init 0)

  memory.write(io.push.queue @@ writeAt(io.push.queue), io.push.entry, io.push.valid)
  io.head := memory.readSync(MuxOH.or(io.look.payload, readAt.zipWithIndex.map { case (at, i) => U(i, selectWidth bits) @@ at }), io.look.valid)
  when(io.push.valid) {
    writeAt(io.push.queue) := writeAt(io.push.queue) + 1
    assert(!io.full(io.push.queue), "a push into a full queue", FAILURE)
  }
  when(io.pop.valid) {
    readAt(io.pop.payload) := readAt(io.pop.payload) + 1
    assert(io.occupied(io.pop.payload), "a pop of an empty queue", FAILURE)
  }

  for (queue <- 0 until queues) {
    val used = Reg(UInt(log2Up(depth + 1) bits)) init 0
    val more = io.push.valid && io.push.queue === queue
    val less = io.pop.valid && io.pop.payload === queue
    // Registers, for whoever chooses among the queues begins with them.
    val occupied, full = RegInit(False)
    val room = RegInit(True)
    when(more =/= less) {
      used := more ? (used + 1) | (used - 1)
      occupied := more || used =/= 1
      full := more && used === depth - 1
      room := used < (more ? U(depth - reserve - 1) | U(depth - reserve + 1))
    }
    io.used(queue) := used
    io.occupied(queue) := occupied
    io.full(queue) := full
    io.room(queue) := room
  }
}

/** An entry and the FIFO it goes to. */
case class MultiQueuePush[T <: Data](entryType: HardType[T], selectWidth: Int) extends Bundle {
  val queue = UInt(selectWidth bits)
  val entry = entryType()
}
