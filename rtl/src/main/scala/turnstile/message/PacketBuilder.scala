package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.network.PacketHeader

/** One virtual channel's packet in the making: header, body flits as they come, tail.
  *
  * Given a job in cycle t, with the translation row on `row` in t+1, it offers the header in t+1 and a flit a cycle from
  * there; a new job can be given in the cycle the tail leaves. Without a valid row nothing is offered, the body is drained
  * and `fault` pulses in t+2. `row` reaches nothing but the header and the phase: not `job.ready`, on which the next row's
  * address depends.
  */
class PacketBuilder(vc: Int) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val job = slave(Stream(TxJob()))
    val row = in(NameRow())

    /** Of the source whose job is at hand. */
    val body = slave(Stream(Bits(64 bits)))
    val output = master(Stream(Fragment(Bits(64 bits))))

    /** `output` is of a packet for the own site. */
    val own = out(Bool())
    val fault = master(Flow(TxFault()))

    /** Queue of a message that left by a paced name; t+2, as `fault`. */
    val paced = master(Flow(UInt(4 bits)))

    /** Flits of `body` still belong to the job at hand. */
    val draws = out(Bool())
  }

  private object Phase extends SpinalEnum {
    val IDLE, HEAD, BODY, TAIL = newElement()
  }
  private val phase = RegInit(Phase.IDLE)
  private val job = Reg(TxJob())
  private val left = Reg(UInt(5 bits))

  // The row lies on the translation RAM's output for one cycle only.
  private val fresh = RegNext(io.job.fire) init False
  private val saved = RegNextWhen(io.row, fresh)
  private val row = fresh ? io.row | saved
  private val mute = !row.valid
  io.own := row.site === io.siteId

  // Body and tail come after the row was saved.
  private val muted = !saved.valid
  private val advance = muted || io.output.ready
  io.body.ready := phase === Phase.BODY && advance
  io.draws := job.body =/= 0 && (phase === Phase.HEAD || phase === Phase.BODY)

  private val header = PacketHeader()
  header.destSite := row.site
  header.srcSite := io.siteId
  header.vc := vc
  header.kind := job.kind
  header.rxq := row.rxq
  header.source := row.source
  header.tag := job.tag.asUInt
  header.body := job.body
  header.lines := job.lines
  private val aux = HeaderAux()
  aux.length := job.length
  aux.spare := 0
  aux.high := job.high
  header.aux := aux.asBits
  header.spare := 0

  io.output.valid := (phase === Phase.HEAD && !mute) || (!muted && (phase === Phase.TAIL || (phase === Phase.BODY && io.body.valid)))
  io.output.last := phase === Phase.TAIL
  io.output.fragment := io.body.payload
  when(phase === Phase.HEAD) {
    io.output.fragment := header.asBits
  } elsewhen (phase === Phase.TAIL) {
    io.output.fragment := job.word.resize(64 bits)
  }

  io.job.ready := phase === Phase.IDLE || (phase === Phase.TAIL && advance)
  switch(phase) {
    is(Phase.HEAD) {
      left := job.body
      when(mute || io.output.ready) {
        phase := (job.body === 0) ? Phase.TAIL | Phase.BODY
      }
    }
    is(Phase.BODY) {
      when(io.body.fire) {
        left := left - 1
        when(left === 1) {
          phase := Phase.TAIL
        }
      }
    }
    is(Phase.TAIL) {
      when(advance) {
        phase := Phase.IDLE
      }
    }
  }
  when(io.job.fire) {
    job := io.job.payload
    phase := Phase.HEAD
  }

  io.fault.valid := RegNext(phase === Phase.HEAD && mute) init False
  io.paced.valid := RegNext(fresh && row.valid && row.paced) init False
  io.paced.payload := job.queue
  io.fault.queue := job.queue
  io.fault.dest := job.dest
  io.fault.tag := job.tag
  io.fault.high := job.high
  io.fault.malformed := False
  io.fault.word := job.word
}
