package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract.FirstOf
import turnstile.network.PacketHeader

/** One virtual channel of the receiver: the packet at hand and what its next flit needs. See [[RxUnit]].
  *
  * `present` says there is a flit, which is taken, with `grant`, when nothing keeps it: `goes`. `body`, `end`, `slot*`, `damaged` and `malformed` act in that cycle.
  */
class RxChannel(sinks: Seq[RxSink]) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val input = slave(Stream(Fragment(RxFlit())))
    val resident = in(Vec.fill(Queues.count)(ResidentQueue()))
    val open, openLines = in(Vec.fill(RxChannel.this.sinks.size)(Bits(Queues.count bits)))
    val ready, passesOn = in(Bits(RxChannel.this.sinks.size bits))
    val grant = in(Bool())
    val present, goes = out(Bool())

    val slotNext = in(UInt(6 bits))
    val slotAvailable = in(Bool())
    val slotTake, slotDrop = out(Bool())

    /** The sink of the packet at hand, one hot; none: it is malformed. */
    val route = out(Bits(RxChannel.this.sinks.size bits))
    val packet = out(RxPacket())
    val flit = out(Bits(64 bits))
    val index = out(UInt(5 bits))
    val slot = out(UInt(6 bits))
    val usesSlot = out(Bool())

    /** A body flit; the end of an undamaged packet. */
    val body, end = out(Bool())
    val damaged, malformed = out(Bool())

    /** Waiting for a sink, in the order of their list, or for a slot. */
    val waits = out(Bits(RxChannel.this.sinks.size + 1 bits))
  }

  private val input = io.input
  private val flit = input.fragment.data
  private val first = RegNextWhen(input.last, input.fire) init True
  private val header = Reg(PacketHeader())
  private val route = Reg(Bits(sinks.size bits))
  private val queue = Reg(UInt(4 bits))
  private val slot = Reg(UInt(6 bits))
  private val hasSlot = Reg(Bool())
  private val index = Reg(UInt(5 bits))

  // The header needs nothing but registers: its route is decided while it passes. Each sink finds the queue by itself, so that
  // what it takes need not wait for which of several queues of one name is the first.
  private val arriving = flit.as(PacketHeader())
  private val hits = B(io.resident.map(r => r.valid && r.rxq === arriving.rxq))
  private val payload = arriving.body - (arriving.lines @@ U(0, 3 bits))
  private val sane = arriving.destSite === io.siteId && arriving.lines =/= 3 && arriving.body >= (arriving.lines @@ U(0, 3 bits))
  private def held(sink: RxSink) = hits & B(sink.queues.map(1 << _).sum, Queues.count bits)
  private def takes(i: Int) = {
    val sink = sinks(i)
    val mine = (held(sink) & io.open(i) & (arriving.lines =/= 0).mux(io.openLines(i), ~B(0, Queues.count bits))).orR
    (if (sink.anyName) mine || !hits.orR else mine) && sink.kinds.map(arriving.kind === _).orR &&
    payload <= sink.maxPayload && arriving.body <= sink.maxBody
  }

  private val takers = FirstOf(B(sinks.indices.map(takes)))

  private val tail = input.last && !first
  private val bad = input.fragment.bad
  private def routed(by: RxSink => Boolean) = (route & B(sinks.map(sink => Bool(by(sink))))).orR
  private val usesSlot = routed(_.slot == SlotUse.ALWAYS) || (routed(_.slot == SlotUse.WITH_BODY) && header.body =/= 0)
  private val dropped = tail && bad
  private val takesSlot = usesSlot && !hasSlot && !first && !dropped
  private val slotOk = !takesSlot || io.slotAvailable
  private val missing = dropped ? B(0, sinks.size bits) | (route & ~io.ready)
  private val ok = first || (slotOk && !missing.orR)

  input.ready := ok && io.grant
  io.present := input.valid
  io.goes := input.fire
  private val fires = input.fire
  private val ends = fires && tail

  when(fires) {
    when(first) {
      header := arriving
      queue := MuxOH(takers, sinks.map(sink => OHToUInt(FirstOf(held(sink)))))
      hasSlot := False
      index := 0
      route := sane ? takers | B(0, sinks.size bits)
    } otherwise {
      index := index + 1
      when(takesSlot) {
        hasSlot := True
        slot := io.slotNext
      }
    }
  }

  // Its tail waits, so nothing else of it moves; the last sink takes it from the next cycle on.
  when(!fires && (route & io.passesOn).orR) {
    route := 1 << (sinks.size - 1)
  }

  io.route := route
  io.packet.header := header
  io.packet.queue := queue
  io.packet.tail := tail
  io.flit := flit
  io.index := index
  io.slot := hasSlot ? slot | io.slotNext
  io.usesSlot := usesSlot
  io.slotTake := fires && takesSlot
  io.slotDrop := ends && bad && hasSlot
  io.body := fires && !first && !tail && index < header.body
  io.end := ends && !bad && route.orR
  io.damaged := ends && bad
  io.malformed := ends && !bad && !route.orR
  io.waits := (input.valid && !first) ? (!slotOk ## missing) | B(0, sinks.size + 1 bits)
}
