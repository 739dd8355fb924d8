package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusClient, BusClientParams, BusMasterPort, BusParams}
import turnstile.contract.RegPort
import turnstile.message._
import turnstile.network.PacketKind
import turnstile.translation.NiTlb

/** DMA from memory to memory at another site or this one (VY-21), beside a message unit that has its sources and sinks ([[DmaUnit.sources]],
  * [[DmaUnit.sinks]]): docs/design/dma.md.
  *
  * From a descriptor's tail to the first packet's header on the link 61 cycles, for three lines of memory that takes 12. Packets of 192 B then leave every
  * 26 cycles, if link and memory give as much. From an end's tail to its answer on the link 27. Four masters, for both directions.
  */
class DmaUnit(bus: BusParams) extends Component {
  val io = new Bundle {
    val sources = Vec.fill(DmaUnit.sources.size)(master(TxPort()))
    val sinks = Vec.fill(DmaUnit.sinks.size)(slave(RxPort()))

    /** A message was not sent, its name has no row; two cycles after it was taken. */
    val unnamed = in(Bool())

    /** Express transmit queues that send nothing now. */
    val held = in(Bits(8 bits))

    /** A transfer of Basic queue 8 + `queue` was refused or failed. */
    val fault = Vec.fill(DmaUnit.sources.size)(master(Flow(RingFault())))
    val bus = Vec.fill(DmaUnit.masters)(master(BusMasterPort()))
    val regs = slave(RegPort(8))
  }
  private val queues = new DmaQueues
  private val plan = new DmaPlan
  private val send = new DmaSend
  private val stage = new DmaStage
  private val receive = new DmaReceive
  private val tlb = new NiTlb(bus, ports = 2)
  private val client = new BusClient(BusClientParams(masters = DmaUnit.masters, bypass = false, mixed = true))
  for ((unit, port) <- client.io.bus zip io.bus) unit <> port

  // Out
  io.sources(0) <> send.io.port
  queues.io.port <> io.sinks(0)
  plan.io.unsent := queues.io.unsent
  plan.io.head := queues.io.head
  plan.io.descriptor := queues.io.descriptor
  queues.io.queue := plan.io.queue
  queues.io.sent << plan.io.sent
  plan.io.spoiled := send.io.spoiled
  plan.io.room := send.io.room
  send.io.asked := plan.io.lines.fire
  send.io.parts << plan.io.parts
  send.io.unnamed := io.unnamed
  queues.io.awaited << send.io.awaited
  queues.io.ended << send.io.ended

  // In
  stage.io.port <> io.sinks(1)
  receive.io.packets << stage.io.packets
  stage.io.read << receive.io.read
  receive.io.beat := stage.io.beat
  stage.io.frees := receive.io.frees
  queues.io.answer << stage.io.answer
  receive.io.done << queues.io.done
  private val answers = receive.io.answer.m2sPipe()
  private val job = io.sources(1).job
  job.arbitrationFrom(answers)
  job.body := 0
  job.lines := 0
  job.length := 0
  job.payload.queue := 8
  job.dest := answers.dest
  job.tag := answers.entry.asBits.resized
  job.high := True
  job.word := answers.status.asBits.resized
  job.kind := PacketKind.DMA
  io.sources(1).body.setIdle()

  // Done
  queues.io.held := io.held
  private val messages = queues.io.message.m2sPipe()
  private val word = io.sources(2).job
  word.arbitrationFrom(messages)
  word.setExpress(tagOn = U(0, 2 bits))
  word.payload.queue := messages.payload.queue.resized
  word.dest := messages.dest
  word.tag := messages.tag
  word.high := False
  word.word := messages.word
  io.sources(2).body.setIdle()

  // Writes first: what comes in holds a channel.
  tlb.io.look(0) <> receive.io.look
  tlb.io.look(1) <> plan.io.look
  private val order = new DmaOrder
  order.io.walk << tlb.io.op
  order.io.receive << receive.io.ops
  order.io.plan << plan.io.lines
  order.io.walked << tlb.io.write
  order.io.received << receive.io.write
  client.io.op << order.io.op
  client.io.write << order.io.write
  order.io.done := client.io.done.valid
  order.io.read << client.io.read
  send.io.beats << order.io.planned
  tlb.io.beat << order.io.walks
  receive.io.judged := order.io.judged
  order.io.drains := tlb.io.drains
  order.io.held := plan.io.holds ## receive.io.holds
  tlb.io.drained := order.io.drained

  // Told
  private val (refused, failed) = (queues.io.refused, queues.io.failed)
  private val none = Flow(UInt(3 bits)).setIdle()
  for ((fault, queue) <- io.fault zip Seq(refused, failed, none)) {
    fault.valid := queue.valid
    fault.queue := queue.payload
    fault.cause := RingCause.dma
  }
  tlb.io.counts(0) := U(queues.io.over).resized
  tlb.io.counts(1) := U(refused.valid) +^ U(failed.valid)
  tlb.io.counts(2) := U(receive.io.foreign).resized
  tlb.io.counts(3) := U(queues.io.strayed) +^ U(queues.io.unasked)
  tlb.io.regs <> io.regs
}

object DmaUnit {
  val masters = 4
  val sources = Seq(TxSource("lines of transfers", Dma.queues, rank = 1), TxSource("answers to transfers", Seq(8)),
    TxSource("messages of transfers that are done", Dma.queues.map(_ - 8), rank = 1))
  val sinks = Seq(
    RxSink("descriptors of transfers", Seq(Dma.descriptors), Seq(PacketKind.basic), maxPayload = 28, maxBody = 28),
    RxSink("lines of transfers", 0 until Queues.count, Seq(PacketKind.dma), maxPayload = 28, maxBody = 28, anyName = true))
}
