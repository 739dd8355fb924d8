package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract.{EventIndex, FirstOf, SiteEvent}
import turnstile.network.Vc

/** Express packets of aPs into the FIFOs that their loads read (VY-23): an entry is readable the cycle after its tail.
  *
  * Low messages leave `expressReserved` entries of a FIFO alone. One that finds no other waits `patience` cycles, and its channel with it;
  * then it is kept for the sP, and so are all that follow it to this queue, at once and in order (VY-20, VY-37): the queue is *diverted*. The
  * sP puts them behind those in the FIFO by `inject` when it has `room`, and ends the diversion by the number of messages it
  * has put there, which counts only if no other has been kept. So a user who does not read stops nobody but his senders, whom the sP
  * holds. High messages never wait: a queue that is full is closed to them, so that they are kept, too.
  *
  * `event`: number 107, arg a queue of `wanted` that is a quarter full or less.
  */
class ExpressReceive(params: MessageParams, patience: Int = 64) extends Component {
  val io = new Bundle {
    val port = slave(RxPort())

    /** `head` is the first entry of queue `look` of the cycle before. */
    val look = in(UInt(3 bits))
    val head = out(ReceivedExpress())
    val occupied = out(Bits(Queues.express.size bits))
    val pop = slave(Flow(UInt(3 bits)))

    /** A low packet waits here. */
    val waits = in(Bool())

    /** A low packet was kept that this queue had no entry for. */
    val kept = slave(Flow(UInt(3 bits)))
    val inject = slave(Flow(InjectedExpress()))
    val room, diverted = out(Bits(Queues.express.size bits))
    val wanted = slave(Flow(Bits(Queues.express.size bits)))

    /** All that were kept of this queue, so many, are in the FIFO. */
    val caughtUp = slave(Flow(CaughtUp()))
    val keptCounts = out(Vec.fill(Queues.express.size)(UInt(16 bits)))
    val event = master(Stream(SiteEvent()))
  }

  private val fifo = new MultiQueue(HardType(ReceivedExpress()), Queues.express.size, params.expressDepth, params.expressReserved)
  fifo.io.look.push(UIntToOh(io.look, Queues.express.size))
  io.head := fifo.io.head
  io.occupied := fifo.io.occupied
  fifo.io.pop << io.pop

  private val diverted = Reg(Bits(Queues.express.size bits)) init 0
  private val waited = Reg(UInt(log2Up(patience) bits)) init 0
  waited := (io.waits && !waited.andR) ? (waited + 1) | (io.waits ? waited | U(0))
  io.diverted := diverted

  // Between a high packet's header and its tail only low ones can come, and those leave entries.
  io.port.open(Vc.low).setAll()
  io.port.open(Vc.high) := (~fifo.io.full).resized
  for (mask <- io.port.openLines) mask.setAll()
  private val low = io.port.packet(Vc.low)
  private val lowQueue = low.queue(2 downto 0)
  io.port.ready(Vc.high) := True
  io.port.ready(Vc.low) := !low.tail || (fifo.io.room(lowQueue) && !diverted(lowQueue))
  io.port.passesOn(Vc.high) := False
  io.port.passesOn(Vc.low) := io.waits && (waited.andR || diverted(lowQueue))

  // A packet ends once in two cycles at most, so what is injected waits for one cycle, or for an entry that a load frees.
  private val pending = RegInit(False)
  private val injected = RegNextWhen(io.inject.payload, io.inject.valid)
  private val pushes = pending && !io.port.end.valid && fifo.io.room(injected.queue)
  pending := io.inject.valid || (pending && !pushes)
  io.room := fifo.io.room & B(Queues.express.size bits, default -> !pending)

  private val packet = io.port.ended
  private val arrived = ReceivedExpress()
  arrived.data := io.port.end.word
  arrived.source := packet.header.source
  arrived.tag := packet.header.tag
  arrived.high := packet.aux.high
  arrived.rxq := packet.header.rxq
  fifo.io.push.valid := io.port.end.valid || pushes
  fifo.io.push.queue := io.port.end.valid ? packet.queue(2 downto 0) | injected.queue
  fifo.io.push.entry := io.port.end.valid ? arrived | injected.entry

  private val counts = Vec.fill(Queues.express.size)(Reg(UInt(16 bits)) init 0)
  io.keptCounts := counts
  when(io.caughtUp.valid && counts(io.caughtUp.queue) === io.caughtUp.count) {
    diverted(io.caughtUp.queue) := False
  }
  when(io.kept.valid) {
    counts(io.kept.payload) := counts(io.kept.payload) + 1
    diverted(io.kept.payload) := True
  }

  private val wanted = Reg(Bits(Queues.express.size bits)) init 0
  private val emptied = FirstOf(wanted & B(fifo.io.used.map(_ <= params.expressDepth / 4)))
  private val told = Flow(SiteEvent())
  told.valid := emptied.orR && !io.event.valid
  told.index := EventIndex.expressRoom
  told.arg := OHToUInt(emptied).asBits.resize(32 bits)
  told.meta := 0
  io.event << told.toStream.halfPipe()
  wanted := (wanted & ~(told.valid ? emptied | B(0, Queues.express.size bits))) | (io.wanted.valid ? io.wanted.payload | B(0, Queues.express.size bits))
}

/** A message that the sP puts into an Express receive queue. */
case class InjectedExpress() extends Bundle {
  val queue = UInt(3 bits)
  val entry = ReceivedExpress()
}

/** `ExpressReceive.io.caughtUp`. */
case class CaughtUp() extends Bundle {
  val queue = UInt(3 bits)
  val count = UInt(16 bits)
}
