package turnstile.bus

import spinal.core._
import spinal.lib._

/** One movement of data on the transfer bus: from `source` to any of memory, NIU and the requesting master. */
case class Transfer(p: BusParams) extends Bundle {

  /** Master id, or `masters` for the NIU's claimed reads. */
  val source = UInt(log2Up(p.masters + 1) bits)
  val toMemory, toClaim, toMaster = Bool()
  val line = Bool()
  val requester = UInt(4 bits)
}

/** The transfer bus: moves the data of write-backs, interventions and claimed ops, in the order of their verdicts.
  *
  * 16 B a cycle. A transfer pushed in cycle 0 (T3) moves its first beat in cycle 1 at the earliest; the beat is at the
  * requesting master, or offered to memory or NIU, in the cycle after it was taken from its source. The queue has an entry
  * a master: a master has at most one op outstanding, so it cannot overrun.
  */
class BusTransfer(p: BusParams) extends Component {
  val io = new Bundle {
    val push = slave(Flow(Transfer(p)))
    val sources = Vec(slave(Stream(Fragment(Bits(128 bits)))), p.masters + 1)

    /** A write command has been given to memory: its beats may follow. */
    val memoryGranted = in Bool ()
    val memory = master(Stream(Fragment(Bits(128 bits))))
    val claim = master(Stream(Fragment(Bits(128 bits))))

    /** Beats to masters: `readTo` is one hot or zero, registered. */
    val read = out(Fragment(Bits(128 bits)))
    val readTo = out Bits (p.masters bits)

    /** The last beat of the op of this master is taken. */
    val ended = out Bits (p.masters bits)

    /** For the assertions: a beat moves, and which; data are awaited; an op had no room. */
    val beat = master(Flow(Fragment(Transfer(p))))
    val busy, overrun = out Bool ()
  }

  private val queue = StreamFifo(Transfer(p), 1 << log2Up(p.masters max 2), latency = 1)
  queue.io.push.valid := io.push.valid
  queue.io.push.payload := io.push.payload
  private val head = queue.io.pop

  // Beats never overtake their command: this bounds the command queue by one entry a master too.
  private val granted = RegInit(U(0, log2Up(p.masters + 1) bits))

  private val memory, claim = Stream(Fragment(Bits(128 bits)))
  io.memory << memory.s2mPipe().m2sPipe()
  io.claim << claim.s2mPipe().m2sPipe()

  private val room = (!head.toMemory || memory.ready && granted =/= 0) && (!head.toClaim || claim.ready)
  for ((s, i) <- io.sources.zipWithIndex) s.ready := head.valid && head.source === i && room
  private val beat = Vec(io.sources.map(_.payload)).read(head.source)
  private val fire = B(io.sources.map(_.fire)).orR
  head.ready := fire && beat.last

  memory.valid := fire && head.toMemory
  memory.payload := beat
  claim.valid := fire && head.toClaim
  claim.payload := beat

  private val spent = fire && beat.last && head.toMemory
  granted := granted + U(io.memoryGranted) - U(spent)

  private val requester = UIntToOh(head.requester, p.masters)
  io.read := RegNextWhen(beat, fire)
  io.readTo := RegNext(requester & B(p.masters bits, default -> (fire && head.toMaster))) init 0
  io.ended := requester & B(p.masters bits, default -> (fire && beat.last))

  io.beat.valid := fire
  io.beat.last := beat.last
  io.beat.fragment := head.payload
  io.busy := head.valid
  io.overrun := queue.io.push.valid && !queue.io.push.ready
}
