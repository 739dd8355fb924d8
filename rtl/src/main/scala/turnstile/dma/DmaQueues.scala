package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.contract.FirstOf
import turnstile.message.RxPort
import turnstile.network.Vc

/** The transfers of a site: descriptors in their places, four a queue, and what became of them.
  *
  * A descriptor is taken in the cycle of its packet's tail, or refused (`refused`: its queue has no place free, or its message is no
  * descriptor) or dropped (`strayed`: it comes for no queue); so the sink never waits. Transfers of a queue are sent in their order: `head` is its oldest that is
  * not sent. A transfer is over (`ended`) at the answer of the far end, or earlier when none is to come. If it is done and `tells` somebody, a message leaves first,
  * 3 cycles later when its owner's Express queue is not `held`; then `done` is written, and its place is free.
  */
class DmaQueues extends Component {
  val io = new Bundle {
    val port = slave(RxPort())

    /** For each queue, a transfer that is not sent. */
    val unsent = out(Bits(8 bits))

    /** The oldest of `queue`, as of the cycle before. */
    val queue = in(UInt(3 bits))
    val head = out(UInt(log2Up(Dma.entries) bits))
    val descriptor = out(DmaDescriptor())

    /** All of the oldest of that queue is on its way out. */
    val sent = slave(Flow(UInt(3 bits)))
    val ended = slave(Stream(DmaEnd()))

    /** Of the far end; one that nobody waits for is `unasked`. */
    val answer = slave(Flow(DmaEnd()))
    val awaited = slave(Flow(DmaId()))

    /** To be written by [[DmaReceive]], which takes it when it is. */
    val done = master(Stream(DmaWord()))
    val held = in(Bits(8 bits))
    val message = master(Stream(DmaMessage()))
    val refused, failed = master(Flow(UInt(3 bits)))
    val over, strayed, unasked = out(Bool())
  }
  private val places = 8 * Dma.entries
  private def at(id: DmaId): UInt = id.queue @@ id.entry

  // A descriptor comes: four words of a message on channel low
  for (mask <- Seq(io.port.open, io.port.openLines)) {
    mask(Vc.low).setAll()
    mask(Vc.high).clearAll()
  }
  io.port.passesOn := 0
  io.port.ready.setAll()
  private val words = Vec.fill(4)(Reg(Bits(64 bits)))
  private val body = io.port.body
  when(body.valid && body.index < 4)(words(body.index(1 downto 0)) := body.data)
  private val given = words.asBits.as(DmaDescriptor())

  private val used = Reg(Bits(places bits)) init 0
  private val tails, heads = Vec.fill(8)(Reg(UInt(log2Up(Dma.entries) bits)) init 0)
  private val waiting = Vec.fill(8)(Reg(UInt(log2Up(Dma.entries + 1) bits)) init 0)
  private val packet = io.port.ended
  private val comes = io.port.end.valid
  private val asker = packet.header.source
  private val queue = asker(2 downto 0)
  private val owned = (asker >> 4) === 0 && Dma.queues.map(asker(3 downto 0) === _).orR
  private val place = queue @@ tails(queue)
  private val fits = packet.header.body === 4 && packet.header.lines === 0 && !used(place)
  private val takes = comes && owned && fits
  io.refused.valid := comes && owned && !fits
  io.refused.payload := queue
  private val descriptors = Mem(DmaDescriptor(), places)
  descriptors.write(place, given, takes)
  when(takes)(tails(queue) := tails(queue) + 1)
  for (q <- 0 until 8) {
    val more = takes && queue === q
    val less = io.sent.valid && io.sent.payload === q
    when(more =/= less)(waiting(q) := more ? (waiting(q) + 1) | (waiting(q) - 1))
    when(less)(heads(q) := heads(q) + 1)
    io.unsent(q) := waiting(q) =/= 0
  }
  io.head := RegNext(heads(io.queue))
  io.descriptor := RegNext(descriptors.readAsync(io.queue @@ heads(io.queue)))

  // It ends
  private val awaits = Reg(Bits(places bits)) init 0
  private val notices, ends = Reg(Bits(places bits)) init 0
  private val tells = Reg(Bits(places bits))
  private val statuses = Mem(UInt(3 bits), places)
  private val answered = io.answer.valid && awaits(at(io.answer.id))
  io.ended.ready := !io.answer.valid
  private val end = answered ? io.answer.payload | io.ended.payload
  private val ending = answered || io.ended.fire
  statuses.write(at(end.id), end.status, ending)

  // A message says so
  private val due = B((0 until places).map(i => notices(i) && !io.held(i / Dma.entries)))
  private val noticed = Reg(UInt(log2Up(places) bits)) init 0
  private val speaks = RegInit(False)
  private val said = io.message.fire
  private val notice = RegNext(descriptors.readAsync(noticed))
  when(!speaks)(noticed := OHToUInt(FirstOf(due)))
  speaks := speaks ? !said | due.orR
  io.message.valid := speaks && (RegNext(speaks && !said) init False)
  io.message.payload.queue := noticed >> log2Up(Dma.entries)
  io.message.dest := notice.tellDest
  io.message.tag := notice.tellTag
  io.message.word := notice.cookie

  // It is told, one after the other
  private val told = io.done.fire
  private val chosen = Reg(UInt(log2Up(places) bits)) init 0
  private val offers = RegInit(False)
  private val read = RegNext(descriptors.readAsync(chosen))
  private val status = RegNext(statuses.readAsync(chosen))
  private val settled = RegNext(offers && !told) init False
  when(!offers)(chosen := OHToUInt(FirstOf(ends)))
  offers := offers ? !told | ends.orR
  io.done.valid := offers && settled
  io.done.payload.queue := chosen >> log2Up(Dma.entries)
  io.done.address := read.done
  io.done.data := status.asBits.resize(32) ## read.cookie

  for (i <- 0 until places) {
    def is(id: DmaId) = at(id) === i
    when(told && chosen === i) {
      used(i) := False
      ends(i) := False
    }
    when(said && noticed === i) {
      notices(i) := False
      ends(i) := True
    }
    when(takes && place === i) {
      used(i) := True
      tells(i) := given.tells
    }
    when(io.awaited.valid && is(io.awaited.payload))(awaits(i) := True)
    when(ending && is(end.id)) {
      awaits(i) := False
      when(tells(i) && end.status === DmaStatus.done)(notices(i) := True) otherwise (ends(i) := True)
    }
  }
  io.failed.valid := told && status =/= DmaStatus.done
  io.failed.payload := io.done.payload.queue
  io.over := told
  io.strayed := comes && !owned
  io.unasked := io.answer.valid && !answered
}

/** `cookie32 status32` to be written where the owner of `queue` says, 0 nowhere; `data` is as the first flit of an end, `status32 cookie32`. */
case class DmaWord() extends Bundle {
  val queue = UInt(3 bits)
  val address = UInt(32 bits)
  val data = Bits(64 bits)
}
