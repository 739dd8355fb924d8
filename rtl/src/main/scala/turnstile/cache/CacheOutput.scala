package turnstile.cache

import spinal.core._
import spinal.lib._

/** What a verdict promised to send: a line of the data memory, or the word of an uncached store. */
case class OutputJob(p: DataCacheParams) extends Bundle {
  val word = Bool()
  val way = UInt(p.wayWidth bits)
  val set = UInt(p.setWidth bits)

  def line(way: UInt, address: UInt): Unit = {
    word := False
    this.way := way
    set := address(p.setRange)
  }
}

/** A beat that the data memory shall read for it. */
case class OutputRead(p: DataCacheParams) extends Bundle {
  val way = UInt(p.wayWidth bits)
  val beat = UInt(p.setWidth + 2 bits)
}

/** Everything a cache sends, write-backs, interventions, uncached words, in the order of the verdicts (contract §2).
  *
  * Verdict in cycle 0: first memory read in 1, first beat offered in 2, a beat a cycle. The memory's read port is taken from
  * the CPU only in the cycles of `read.valid`. 16 jobs: a bus has 16 masters with one op each, so it cannot overrun.
  */
class CacheOutput(p: DataCacheParams) extends Component {
  val io = new Bundle {
    val job = slave(Flow(OutputJob(p)))
    val read = master(Flow(OutputRead(p)))

    /** Data memory's output, the cycle after `read`. */
    val data = in Bits (128 bits)
    val word = in Bits (32 bits)
    val write = master(Stream(Fragment(Bits(128 bits))))

    /** Something is still to be sent. */
    val busy = out Bool ()

    /** The beat of an uncached store is taken. */
    val wordTaken = out Bool ()
  }

  private case class Beat() extends Bundle {
    val word = Bool()
    val data = Bits(128 bits)
  }

  private val jobs = StreamFifo(OutputJob(p), 16, latency = 1)
  jobs.io.push.valid := io.job.valid
  jobs.io.push.payload := io.job.payload

  private val beats = StreamFifo(Fragment(Beat()), 4, latency = 0)
  private val job = jobs.io.pop
  private val count = Reg(UInt(2 bits)) init 0
  private val issued = RegInit(False)
  private val issue = job.valid && (beats.io.occupancy +^ U(issued)) < 4
  private val last = job.word || count === 3
  when(issue)(count := Mux(last, U(0), count + 1))
  job.ready := issue && last

  io.read.valid := issue && !job.word
  io.read.way := job.way
  io.read.beat := job.set @@ count

  issued := issue
  beats.io.push.valid := issued
  beats.io.push.last := RegNextWhen(last, issue)
  beats.io.push.fragment.word := RegNextWhen(job.word, issue)
  beats.io.push.fragment.data := Mux(beats.io.push.fragment.word, io.word #* 4, io.data)

  io.write.arbitrationFrom(beats.io.pop)
  io.write.last := beats.io.pop.last
  io.write.fragment := beats.io.pop.fragment.data
  io.busy := job.valid || issued || beats.io.pop.valid
  io.wordTaken := io.write.fire && beats.io.pop.fragment.word
}
