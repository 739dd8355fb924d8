package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusClient, BusClientParams, BusMasterPort, ClientOp}
import turnstile.contract._
import turnstile.registers.{MessageBlock, NameBlock, RegisterMaps, RegisterRouter, RingBlock}
import turnstile.network.{Link, LinkRx, LinkTx, PacketKind, Vc}

/** The message unit of a site: Express and Basic messages of the sP and the aPs, line messages of the command engine, their
  * translation, packets and reception (VY-16 to VY-28, VY-33, VY-39 to VY-42, VY-45). One engine; what a queue number means is
  * in [[Queues]], who sends and who receives are two lists below.
  *
  * Latencies: Express entry to first flit 4 cycles ([[ExpressSend]], [[TxUnit]]), tail flit to event 2 ([[RxUnit]], [[EventSink]]), message of the own site 6
  * from entry to event; window and register reads 1. Registers: [[MessageRegs]], [[RingTable]] at `E00`, [[NameTable]] at
  * `4_0000`.
  */
class MessageUnit(params: MessageParams) extends Component {
  val io = new Bundle {
    val siteId = spinal.core.in(UInt(6 bits))
    val sp = slave(Stream(ExpressTx()))

    /** Free entries of queue 0: `high[31:16] low[15:0]`. */
    val txFree = spinal.core.out(Bits(32 bits))
    val window = slave(WindowPort())
    val line = slave(LineMessagePort())

    /** Readers of received data: the command engine, the sP. */
    val slot = Vec.fill(2)(slave(SlotPort()))
    val bus = Vec.fill(params.ringMasters)(master(BusMasterPort()))
    val regs = slave(RegPort(20))
    val eventHigh, eventLow, eventLocal, eventRoom = master(Stream(SiteEvent()))
    val out = master(Link())
    val in = slave(Link())

    /** Ports of `MessageParams.sources` and `MessageParams.sinks`. */
    val sources = Vec.fill(params.sources.size)(slave(TxPort()))
    val sinks = Vec.fill(params.sinks.size)(master(RxPort()))

    /** For these sources: a message that was taken two cycles before has no row, and is not sent. */
    val unnamed = params.sources.nonEmpty generate spinal.core.out(Bool())

    /** For these sources: Express transmit queues that send nothing now. */
    val held = params.sources.nonEmpty generate spinal.core.out(Bits(Queues.express.size bits))

    /** From each of them, for STATUS of a Basic queue: something of it was refused or failed. */
    val faults = Vec.fill(params.sources.size)(slave(Flow(RingFault())))

    /** A bit for each of these queues: a load, or the ring, has a message. */
    val waiting = params.watched.nonEmpty generate spinal.core.out(Bits(params.watched.size bits))
  }

  private val express = new ExpressSend(params)
  private val send = new RingSend
  private val events = new EventSink
  private val fifos = new ExpressReceive(params)
  private val receive = new RingReceive
  private val marks = new RingMarks
  private val slots = new SlotStore(params)
  private val rings = new RingTable(params.bus, reporters = 3 + params.sources.size)
  private val regs = new MessageRegs(params)
  private val pace = new TxPace(burst = 8, cycles = 512)
  private val client = new BusClient(BusClientParams(masters = params.ringMasters, bypass = false, mixed = params.ringMasters > 1))
  private val linkTx = new LinkTx(params.network)
  private val linkRx = new LinkRx(params.network)

  // Who sends ------------------------------------------------------------------------------------------------------------
  private val bodyless = for (job <- express.io.jobs) yield {
    val port = TxPort()
    port.job << job
    port.body.setIdle()
    port
  }
  private val lines = TxPort()
  lines.body << io.line.data
  lines.job << io.line.head.s2mPipe().map { head =>
    val job = TxJob()
    job.setExpress(tagOn = head.lines)
    job.queue := 0
    job.dest := head.dest
    job.tag := head.tag
    job.high := head.high
    job.word := head.word
    job
  }
  private val sources: Seq[(TxSource, TxPort)] = Seq(
    TxSource("Express, channel low", Queues.express) -> bodyless(Vc.low),
    TxSource("Express, channel high", Queues.express) -> bodyless(Vc.high),
    TxSource("lines of the command engine", Seq(0)) -> lines,
    TxSource("rings", Queues.basic) -> send.io.port
  ) ++ (params.sources zip io.sources)

  // Who receives; the first that takes a packet has it -----------------------------------------------------------------------
  private val anyKind = Seq(PacketKind.express, PacketKind.basic)
  private val sinks: Seq[(RxSink, RxPort)] = (params.sinks zip io.sinks) ++ Seq(
    RxSink("events", Queues.ofSp, anyKind, maxPayload = 16, maxBody = 16, slot = SlotUse.WITH_BODY) -> events.io.events,
    RxSink("Express FIFOs", Queues.ofAps, Seq(PacketKind.express), maxPayload = 0, maxBody = 0) -> fifos.io.port,
    RxSink("rings", Queues.basic, Seq(PacketKind.basic), maxPayload = 11, maxBody = 27, neverStops = false) -> receive.io.port,
    RxSink("kept for the sP", 0 until Queues.count, anyKind, maxPayload = 16, maxBody = 16, slot = SlotUse.ALWAYS, anyName = true) ->
      events.io.kept
  )
  private def waits(rx: RxUnit, port: RxPort*) = port.map(p => rx.io.waits(sinks.indexWhere(_._2 eq p))).orR

  private val tx = new TxUnit(sources.map(_._1))
  private val rx = new RxUnit(sinks.map(_._1))
  for ((inner, (_, port)) <- tx.io.sources zip sources) inner <> port
  for ((inner, (_, port)) <- rx.io.sinks zip sinks) inner <> port

  tx.io.siteId := io.siteId
  express.io.sp << io.sp
  express.io.window << io.window.express
  io.window.room := express.io.room
  io.window.occupied := rings.io.unread ## fifos.io.occupied
  io.txFree := express.io.free
  pace.io.sent << tx.io.paced
  private val hold = RegNext(regs.io.hold | pace.io.hold) init 0
  express.io.hold := hold(7 downto 0)
  if (params.sources.nonEmpty) io.held := hold(7 downto 0)

  private def arrived(packets: Stream[Fragment[Bits]], bad: Bool) = {
    val flit = Fragment(RxFlit())
    flit.last := packets.last
    flit.fragment.data := packets.fragment
    flit.fragment.bad := bad
    packets.translateWith(flit)
  }
  linkTx.io.link <> io.out
  linkRx.io.link <> io.in
  rx.io.siteId := io.siteId
  for (vc <- 0 until Vc.count) {
    linkTx.io.packets(vc) << tx.io.packets(vc)
    linkRx.io.loop(vc) << tx.io.loop(vc)
    rx.io.packets(vc) << arrived(linkRx.io.packets(vc), linkRx.io.bad(vc))
  }

  rx.io.resident := regs.io.resident
  slots.io.taker <> rx.io.slots
  for ((port, outer) <- slots.io.ports zip io.slot) port <> outer
  io.eventLow << events.io.streams(Vc.low)
  io.eventHigh << events.io.streams(Vc.high)

  receive.io.on := rings.io.rxOn
  receive.io.tagOn := rings.io.tagRxOn
  receive.io.view <> rings.io.rx
  send.io.view <> rings.io.tx
  send.io.pending := rings.io.pending & ~hold(15 downto 8)
  rings.io.checked << send.io.checked
  rings.io.pointer << io.window.pointer

  private def ringFault(port: Flow[RingFault], valid: Bool, queue: UInt, cause: Int): Unit = {
    port.valid := valid
    port.queue := queue
    port.cause := cause
  }

  // Low Express packets that their FIFO did not take
  private val keptPacket = events.io.kept.ended
  fifos.io.waits := waits(rx, fifos.io.port)
  fifos.io.kept.valid := events.io.kept.end.valid && events.io.kept.end.vc === Vc.low && keptPacket.header.kind === PacketKind.EXPRESS &&
    keptPacket.header.body === 0 && Queues.ofAps.map(keptPacket.queue === _).orR
  fifos.io.kept.payload := keptPacket.queue(2 downto 0)
  fifos.io.inject << regs.io.inject
  fifos.io.wanted << regs.io.wanted
  fifos.io.caughtUp << regs.io.caughtUp
  regs.io.room := fifos.io.room
  regs.io.diverted := fifos.io.diverted
  regs.io.keptCounts := fifos.io.keptCounts
  marks.io.level << receive.io.level
  receive.io.marked := marks.io.marked
  io.eventRoom << StreamArbiterFactory().roundRobin.noLock.on(Seq(fifos.io.event, marks.io.event))

  // Lines of senders and receivers in turn. Given from a register; verdicts come in the order of the ops.
  for ((inner, outer) <- client.io.bus zip io.bus) inner <> outer
  private val line = {
    def from(ops: Stream[ClientOp], receiver: Bool) = ops.translateWith(TupleBundle(ops.payload, receiver))
    StreamArbiterFactory().roundRobin.noLock.on(Seq(from(receive.io.command, True), from(send.io.command, False))).m2sPipe()
  }
  private val judged = StreamFifo(TupleBundle(UInt(26 bits), Bool()), 4, latency = 1)
  judged.io.push.valid := client.io.op.fire
  judged.io.push.payload := TupleBundle(line._1.address >> 6, line._2)
  judged.io.pop.ready := client.io.done.valid
  client.io.op << line.translateWith(line._1)
  client.io.write << receive.io.beat
  send.io.beat << client.io.read
  send.io.spoiled := client.io.failed
  private val nobody = client.io.done.valid && client.io.done.payload
  assert(!client.io.done.valid || judged.io.pop.valid, "message unit: a verdict without its line", FAILURE)

  ringFault(rings.io.fault(0), send.io.fault.valid || send.io.failed.valid, send.io.failed.payload, RingCause.slot)
  ringFault(rings.io.fault(1), tx.io.fault.valid && tx.io.fault.queue.msb, tx.io.fault.queue(2 downto 0), RingCause.name)
  ringFault(rings.io.fault(2), receive.io.lost.valid, receive.io.lost.payload, RingCause.full)
  for ((port, fault) <- rings.io.fault.drop(3) zip io.faults) port << fault
  if (params.sources.nonEmpty) io.unnamed := tx.io.fault.valid

  for ((queue, i) <- params.watched.zipWithIndex) io.waiting(i) := (if (queue < 8) RegNext(fifos.io.occupied(queue)) init False else rings.io.unread(queue - 8))

  private val query = io.window.query
  fifos.io.look := query.queue(2 downto 0)
  fifos.io.pop.valid := io.window.pop.valid
  fifos.io.pop.payload := io.window.pop.payload(2 downto 0)
  rings.io.query := query.payload
  private val present = !query.basic && !query.queue(3) && fifos.io.occupied(query.queue(2 downto 0))
  io.window.answer.message := RegNext(present)
  io.window.answer.meta := io.window.answer.message ? fifos.io.head.meta | RegNext(query.basic ? rings.io.answer.asBits | regs.io.emptyWord)
  io.window.answer.data := fifos.io.head.data

  // Registers ------------------------------------------------------------------------------------------------------------
  private val faults = Seq(tx.io.fault, express.io.fault, send.io.fault)
  for ((port, fault) <- regs.io.faults zip faults) port << fault
  regs.io.damaged := rx.io.damaged.valid
  regs.io.malformed := rx.io.malformed.valid || receive.io.dropped
  regs.io.stopped := rx.io.stopped.valid
  regs.io.refused := rings.io.refused
  regs.io.misplaced := rings.io.misplaced
  regs.io.lost := receive.io.lost.valid
  regs.io.busError := nobody
  regs.io.kept := events.io.kept.end.valid
  regs.io.waits := waits(rx, events.io.events, events.io.kept) ## waits(rx, receive.io.port) ## rx.io.waits.msb ## waits(rx, fifos.io.port)
  regs.io.ringFull := receive.io.full
  regs.io.freeSlots := slots.io.free
  slots.io.headerSlot := regs.io.headerSlot
  regs.io.header := slots.io.headerRead

  RegisterRouter(io.regs, RegisterMaps.message)(
    Seq(MessageBlock) -> regs.io.regs, Seq(RingBlock) -> rings.io.regs, Seq(NameBlock) -> tx.io.names)

  // Errors: every one is counted; the sP is told of one at a time, later ones of a kind while it has not looked are only counted.
  private def report(index: Int, valid: Bool, arg: Bits, meta: Bits) = {
    val event = Flow(SiteEvent())
    event.valid := valid
    event.index := index
    event.arg := arg
    event.meta := meta
    event.toStream.m2sPipe()
  }
  private def header(index: Int, valid: Bool, header: Bits, malformed: Bool) = report(index, valid, header(31 downto 0), malformed ## header(62 downto 32))
  private val reports = faults.map(fault => report(EventIndex.translationFault, fault.valid, fault.word, fault.meta)) ++ Seq(
    header(EventIndex.crcError, rx.io.damaged.valid || rx.io.malformed.valid, rx.io.damaged.payload, rx.io.malformed.valid),
    header(EventIndex.highStopped, rx.io.stopped.valid, rx.io.stopped.payload, False),
    report(EventIndex.busError, nobody, (judged.io.pop._1 @@ U(0, 6 bits)).asBits, judged.io.pop._2.asBits.resize(32 bits)))
  // They come from everywhere: whose turn it is is known, whether it has something to tell or not.
  private val turn = RegInit(B(1, reports.size bits))
  turn := turn.rotateLeft(1)
  private val told = Stream(SiteEvent())
  told.valid := (turn & B(reports.map(_.valid))).orR
  told.payload := MuxOH.or(turn, reports.map(_.payload))
  for ((source, i) <- reports.zipWithIndex) source.ready := turn(i) && told.ready
  io.eventLocal << told.halfPipe()
}
