package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.{CrcCheck, PacketHeader, PacketKind}

/** One virtual channel of the receiver: the packet at hand and what its next flit needs. See [[RxUnit]].
  *
  * `goes` says a flit is taken this cycle; only with `grant`. The other outputs act in that cycle.
  */
class RxChannel(params: MessageParams, vc: Int) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val input = slave(Stream(Fragment(Bits(64 bits))))
    val resident = in(Vec.fill(16)(ResidentQueue()))
    val ringOn, tagOn = in(Bits(8 bits))
    val grant = in(Bool())
    val goes = out(Bool())

    val slotNext = in(UInt(6 bits))
    val slotAvailable = in(Bool())
    val stageFree = in(Bool())
    val fifoFull = in(Bits(params.expressQueues bits))

    val event = master(Stream(SiteEvent()))
    val express = master(Flow(MultiQueuePush(HardType(ReceivedExpress()), 3)))
    val commit = master(Flow(RingJob()))
    val slotTake, slotDrop, slotWrite, stageWrite = out(Bool())
    val slot = out(UInt(6 bits))
    val count = out(UInt(5 bits))
    val stageWord = out(UInt(5 bits))
    val header, flit = out(Bits(64 bits))
    val kept, damaged, malformed = out(Bool())

    /** Waiting for: 0 an Express FIFO, 1 a slot, 2 a staging buffer, 3 the event stream. */
    val waits = out(Bits(4 bits))
  }

  private val crc = new CrcCheck
  crc.io.input << io.input
  private val input = crc.io.output

  private val first = RegNextWhen(input.last, input.fire) init True
  private val header = Reg(PacketHeader())
  private val route = Reg(Receive())
  private val queue = Reg(UInt(4 bits))
  private val slot = Reg(UInt(6 bits))
  private val hasSlot = Reg(Bool())
  private val count = Reg(UInt(5 bits))
  private val aux = header.aux.as(HeaderAux())
  private val payloadWords = (header.body - (header.lines @@ U(0, 3 bits))).resize(5 bits)

  // The header needs nothing but registers: its route is decided while it passes.
  private val arriving = input.fragment.as(PacketHeader())
  private val hits = B(io.resident.map(r => r.valid && r.rxq === arriving.rxq))
  private val hit = OHToUInt(OHMasking.first(hits))
  private val kind = Vec(params.queues.map(q => q.receive()))(hit)
  private val fits = arriving.body <= 16
  private val arrivingPayload = arriving.body - (arriving.lines @@ U(0, 3 bits))
  private val isBasic = arriving.kind === PacketKind.BASIC
  private val ringTakes = isBasic && io.ringOn(hit(2 downto 0)) && arrivingPayload <= 11 &&
    (arriving.lines === 0 || io.tagOn(hit(2 downto 0)))
  private val fifoTakes = !isBasic && arriving.body === 0
  private val takes = kind.mux(
    Receive.EVENT -> fits,
    Receive.FIFO -> fifoTakes,
    Receive.RING -> ringTakes,
    default -> False
  )
  private val sane = arriving.destSite === io.siteId && arriving.kind <= 1 && arriving.lines =/= 3 &&
    arriving.body >= (arriving.lines @@ U(0, 3 bits))

  private val tail = input.last && !first
  private val good = !io_bad
  private def io_bad = crc.io.bad
  private val keep = route === Receive.KEPT || (route === Receive.EVENT && header.body =/= 0)
  private val makesEvent = route === Receive.EVENT || route === Receive.KEPT
  private val takesSlot = keep && !hasSlot && !first && !(tail && io_bad)
  private val slotOk = !takesSlot || io.slotAvailable
  private val eventOk = !(tail && good && makesEvent) || io.event.ready
  private val fifoOk = !(tail && good && route === Receive.FIFO) || !io.fifoFull(queue.resized)
  private val stageOk = route =/= Receive.RING || io.stageFree
  private val ok = first || (slotOk && eventOk && fifoOk && stageOk)

  input.ready := ok && io.grant
  io.goes := input.valid && ok
  private val fires = input.fire
  private val ends = fires && tail

  when(fires) {
    when(first) {
      header := arriving
      queue := hit
      hasSlot := False
      count := 0
      route := takes ? kind | Receive.KEPT
      when(!hits.orR) {
        route := Receive.KEPT
      }
      when(!sane || (!fits && !(hits.orR && takes))) {
        route := Receive.DROP
      }
    } otherwise {
      count := count + 1
      when(takesSlot) {
        hasSlot := True
        slot := io.slotNext
      }
    }
  }

  io.header := header.asBits
  io.flit := input.fragment
  io.count := count
  io.slot := hasSlot ? slot | io.slotNext
  io.slotTake := fires && takesSlot
  io.slotWrite := fires && !first && !tail && keep && !count.msb
  io.slotDrop := ends && io_bad && hasSlot
  io.stageWrite := fires && !first && !tail && route === Receive.RING
  io.stageWord := (count < payloadWords) ? (count + 1) | (count - payloadWords + 16)

  private val word = input.fragment(31 downto 0)
  io.event.valid := input.valid && io.grant && tail && good && makesEvent && slotOk
  private val base = Vec(params.queues.map(q => U(q.eventBase, 7 bits)))(queue)
  io.event.index := (route === Receive.KEPT) ? U(EventIndex.nonResident, 7 bits) | (base | header.tag.resize(7 bits))
  io.event.arg := word
  io.event.meta := (header.tag ## keep ## header.source ## U(vc, 1 bits) ## header.lines ##
    (keep ? io.slot | U(0, 6 bits)) ## header.srcSite).resize(32 bits)

  io.express.valid := ends && good && route === Receive.FIFO
  io.express.queue := queue.resized
  io.express.entry.data := word
  io.express.entry.source := header.source
  io.express.entry.tag := header.tag
  io.express.entry.high := aux.high
  io.express.entry.rxq := header.rxq

  io.commit.valid := ends && good && route === Receive.RING
  io.commit.queue := queue.resized
  io.commit.source := header.source
  io.commit.length := aux.length
  io.commit.payloadWords := payloadWords.resized
  io.commit.lines := header.lines
  io.commit.tag := header.tag
  io.commit.high := aux.high
  io.commit.word := word

  io.kept := ends && good && route === Receive.KEPT
  io.damaged := ends && io_bad
  io.malformed := ends && good && route === Receive.DROP
  io.waits := (input.valid && !first) ? (!eventOk ## !stageOk ## !slotOk ## !fifoOk) | B(0, 4 bits)
}
