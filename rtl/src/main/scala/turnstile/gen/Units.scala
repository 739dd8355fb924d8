package turnstile.gen

import spinal.core._
import spinal.lib._

/** The example of docs/developer/benches.md: the library's FIFO as a top of its own. */
class FifoExample(width: Int, depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Stream(Bits(width bits)))
    val pop  = master(Stream(Bits(width bits)))
  }
  io.pop << io.push.queue(depth)
}

object Units extends UnitList {
  val tops = Seq[(String, Params => Component)](
    "FifoExample" -> (p => new FifoExample(width = p.int("width", 8), depth = p.int("depth", 4)))
  )
}
