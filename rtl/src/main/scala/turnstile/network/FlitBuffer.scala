package turnstile.network

import spinal.core._
import spinal.lib._

/** A buffered flit: 64 bits of packet, end of packet, and what the owner of the buffer noted when it arrived. */
case class BufferedFlit(noteWidth: Int) extends Bundle {
  val data = Bits(64 bits)
  val last = Bool()
  val note = Bits(noteWidth bits)
}

/** The receiving end of a link: one FIFO of `bufferFlits` for each virtual channel, and the credits that go back.
  *
  * A flit on the link in cycle t heads its FIFO in cycle t+1, or, `direct`, an empty one in cycle t; the credit of a flit taken in cycle t
  * is on the link in t+1.
  * Data and side bits lie in separate memories (distributed RAM, read asynchronously) so that a simulator sees one machine
  * word. The sender's credits are the only protection from overflow, hence the assertion.
  *
  * @param noteWidth bits stored with each flit from `note`, which accompanies `flit`
  */
class FlitBuffer(params: NetworkParams, noteWidth: Int, direct: Boolean = false) extends Component {
  val io = new Bundle {
    val flit = slave(Flow(LinkFlit()))
    val note = in(Bits(noteWidth bits))
    val credit = out(Bits(Vc.count bits))
    val heads = Vec.fill(Vc.count)(master(Stream(BufferedFlit(noteWidth))))
  }

  private val depth = 1 << log2Up(params.bufferFlits)

  private val fifos = for (vc <- 0 until Vc.count) yield new Area {
    val data = Mem(Bits(64 bits), depth)
    val side = Mem(Bits(1 + noteWidth bits), depth)
    val writePointer, readPointer = Reg(UInt(log2Up(depth) + 1 bits)) init 0
    val push = io.flit.valid && io.flit.vc === vc

    data.write(writePointer.resized, io.flit.data, push)
    side.write(writePointer.resized, io.note ## io.flit.last, push)
    when(push) {
      writePointer := writePointer + 1
      assert(writePointer - readPointer =/= params.bufferFlits, "a flit arrived without credit", FAILURE)
    }

    val head = io.heads(vc)
    val sideHead = side.readAsync(readPointer.resized, writeFirst)
    head.valid := writePointer =/= readPointer
    head.data := data.readAsync(readPointer.resized, writeFirst)
    head.last := sideHead(0)
    head.note := sideHead(noteWidth downto 1)
    if (direct) when(writePointer === readPointer) {
      head.valid := push
      head.data := io.flit.data
      head.last := io.flit.last
      head.note := io.note
    }
    when(head.fire) {
      readPointer := readPointer + 1
    }
    val freed = RegNext(head.fire) init False
  }
  fifos.foreach(_.setName(""))
  io.credit := B(fifos.map(_.freed))
}
