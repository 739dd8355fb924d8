package turnstile.cache

import spinal.core._
import spinal.lib._

/** A write of the words of `beat` that `lanes` names. */
case class DataWrite(p: DataCacheParams) extends Bundle {
  val lanes = Bits(4 bits)
  val way = UInt(p.wayWidth bits)
  val beat = UInt(p.setWidth + 2 bits)
  val words = Vec(Bits(32 bits), 4)
}

/** Data of all lines, a memory a way and word: one read a cycle, for the CPU or for what is sent, and one write.
  *
  * Latency: a read's beats are out in the next cycle, as they were before a write in the cycle of the read.
  */
class DataMemory(p: DataCacheParams) extends Component {
  val io = new Bundle {

    /** Set and beat of the CPU's access. */
    val cpu = slave(Flow(UInt(p.setWidth + 2 bits)))

    /** Goes before `cpu`. */
    val output = slave(Flow(OutputRead(p)))

    /** The beat of each way, to choose the CPU's. */
    val beats = out Vec (Bits(128 bits), p.ways)

    /** The beat of the way that `output` named. */
    val outputBeat = out Bits (128 bits)
    val write = in(DataWrite(p))
  }

  private val banks = List.fill(p.ways)(List.fill(4)(Mem(Bits(32 bits), p.sets * p.beats)))
  private val beat = Mux(io.output.valid, io.output.beat, io.cpu.payload)
  private val enable = io.output.valid || io.cpu.valid
  io.beats := Vec(banks.map(b => Cat(b.map(_.readSync(beat, enable)))))
  io.outputBeat := p.wayOf(RegNextWhen(io.output.way, io.output.valid), io.beats)

  for ((words, way) <- banks.zipWithIndex; (m, lane) <- words.zipWithIndex) m.write(
    address = io.write.beat, data = io.write.words(lane),
    enable = io.write.lanes(lane) && (if (p.ways == 1) True else io.write.way === way))
}
