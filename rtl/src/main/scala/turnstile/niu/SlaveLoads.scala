package turnstile.niu

import spinal.core._
import spinal.lib._

/** A load to be answered: a word, or a line of it. */
case class SlaveLoad() extends Bundle {
  val line = Bool()
  val word = Bits(32 bits)
}

/** Answers claimed loads in verdict order, the first beat the cycle after `load`: the word in every lane, a line of it four beats
  * long. Eight wait; each master has one op outstanding, so as many masters may be claimed from. */
class SlaveLoads extends Component {
  val io = new Bundle {
    val load = slave(Flow(SlaveLoad()))
    val read = master(Stream(Fragment(Bits(128 bits))))
  }
  private val waiting = new StreamFifo(SlaveLoad(), 8, withAsyncRead = true)
  private val beat = Reg(UInt(2 bits)) init 0
  waiting.io.push.valid := io.load.valid
  waiting.io.push.payload := io.load.payload
  assert(!io.load.valid || waiting.io.push.ready, "more claimed loads than masters", FAILURE)
  io.read.valid := waiting.io.pop.valid
  io.read.last := !waiting.io.pop.line || beat === 3
  io.read.fragment := Seq.fill(4)(waiting.io.pop.word).reduce(_ ## _)
  waiting.io.pop.ready := io.read.ready && io.read.last
  when(io.read.fire && waiting.io.pop.line)(beat := beat + 1)
}
