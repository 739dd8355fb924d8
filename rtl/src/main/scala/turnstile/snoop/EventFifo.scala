package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.contract.SiteEvent

/** A FIFO that is told late in a cycle whether what it is offered is pushed: that moves a pointer, the memory is written anyway.
  * Who pushes asks `occupancy` first. An event pushed in one cycle is at `pop` in the next.
  *
  * @param depth a power of two
  */
class EventFifo(depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Flow(SiteEvent()))
    val pop = master(Stream(SiteEvent()))
    val occupancy = out(UInt(log2Up(depth) + 1 bits))
  }
  private val memory = Mem(SiteEvent(), depth)
  private val written, read = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  io.occupancy := written - read
  private val full = io.occupancy === depth
  assert(!(io.push.valid && full), "an event pushed into a full FIFO", FAILURE)

  memory.write(written.resized, io.push.payload, !full)
  when(io.push.valid)(written := written + 1)
  when(io.pop.fire)(read := read + 1)
  io.pop.valid := written =/= read
  io.pop.payload := memory.readAsync(read.resized)
}
