package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.contract._
import turnstile.network.{Link, LinkRx, LinkTx, Vc}

/** The message unit of a site: Express and Basic messages of the sP and the aPs, line messages of the command engine, their
  * translation, packets and reception (VY-16 to VY-28, VY-33, VY-39 to VY-42, VY-45). One engine; what a queue number means is
  * in [[MessageParams.queues]].
  *
  * Latencies: Express entry to first flit 4 cycles ([[TxUnit]]), tail flit to event 3 ([[RxUnit]]), message of the own site 6
  * from entry to event; register and window reads 1. Registers: [[MessageRegs]], [[RingTable]] at `E00`, [[NameTable]] at
  * `4_0000`.
  */
class MessageUnit(params: MessageParams) extends Component {
  val io = new Bundle {
    val siteId = spinal.core.in(UInt(6 bits))
    val sp = slave(Stream(ExpressTx()))

    /** Free entries of queue 0: `high[31:16] low[15:0]`. */
    val txFree = spinal.core.out(Bits(32 bits))
    val window = slave(WindowPort())
    val line = slave(LineTxPort())

    /** Readers of received data: the command engine, the sP. */
    val slot = Vec.fill(2)(slave(SlotPort()))
    val bus = master(BusMasterPort())
    val regs = slave(RegPort(20))
    val eventHigh, eventLow, eventLocal = master(Stream(SiteEvent()))
    val out = master(Link())
    val in = slave(Link())
  }

  private val tx = new TxUnit(params)
  private val rx = new RxUnit(params)
  private val slots = new SlotStore(params)
  private val regs = new MessageRegs(params)
  private val rings = new RingTable
  private val send = new RingSend
  private val receive = new RingReceive
  private val bus = new RingBus
  private val linkTx = new LinkTx(params.network)
  private val linkRx = new LinkRx(params.network)

  tx.io.siteId := io.siteId
  tx.io.sp << io.sp
  tx.io.window << io.window.express
  tx.io.line <> io.line
  tx.io.ring << send.io.job
  tx.io.ringBody << send.io.body
  io.window.room := tx.io.room
  io.txFree := tx.io.free

  linkTx.io.link <> io.out
  linkRx.io.link <> io.in
  rx.io.siteId := io.siteId
  for (vc <- 0 until Vc.count) {
    linkTx.io.packets(vc) << tx.io.packets(vc)
    rx.io.packets(vc) << StreamArbiterFactory().roundRobin.fragmentLock.on(Seq(linkRx.io.packets(vc), tx.io.loop(vc)))
  }

  rx.io.resident := regs.io.resident
  rx.io.ringOn := rings.io.rxOn
  rx.io.tagOn := rings.io.tagRxOn
  rx.io.slots.next := slots.io.next
  rx.io.slots.available := slots.io.high ## slots.io.low
  slots.io.take := rx.io.slots.take
  slots.io.header := rx.io.slots.header
  slots.io.drop << rx.io.slots.drop
  slots.io.write << rx.io.slots.write
  for ((port, outer) <- slots.io.ports zip io.slot) port <> outer
  io.eventLow << rx.io.events(Vc.low)
  io.eventHigh << rx.io.events(Vc.high)

  receive.io.stage << rx.io.stage
  rx.io.stageFree := receive.io.stageFree
  for (vc <- 0 until Vc.count) receive.io.commit(vc) << rx.io.commit(vc)
  receive.io.view <> rings.io.rx
  send.io.view <> rings.io.tx
  send.io.pending := rings.io.pending
  rings.io.checked << send.io.checked
  rings.io.pointer << io.window.pointer

  // One line at a time on the bus; a receiver's line goes before a sender's.
  bus.io.bus <> io.bus
  private val receiving = RegNextWhen(receive.io.command.valid, bus.io.command.fire) init False
  bus.io.command << StreamArbiterFactory().lowerFirst.noLock.on(Seq(receive.io.command, send.io.command))
  receive.io.beatIndex := bus.io.writeIndex
  bus.io.writeBeat := receive.io.beat
  receive.io.done := bus.io.done && receiving
  send.io.done := bus.io.done && !receiving
  send.io.failed := bus.io.failed
  send.io.beat << bus.io.readBeat
  send.io.beatIndex := bus.io.readIndex

  private val query = io.window.query
  rx.io.select := query.queue(2 downto 0)
  rx.io.pop.valid := io.window.pop.valid
  rx.io.pop.payload := io.window.pop.payload(2 downto 0)
  rings.io.query := query.payload
  private val present = !query.basic && !query.queue(3) && rx.io.occupied(query.queue(2 downto 0))
  private val answer = WindowAnswer()
  answer.message := present
  answer.meta := query.basic ? rings.io.answer.asBits | (present ? rx.io.head.meta | regs.io.emptyWord)
  answer.data := rx.io.head.data
  io.window.answer := RegNextWhen(answer, query.valid)

  regs.io.txFault << tx.io.fault
  regs.io.ringFault << send.io.fault
  regs.io.damaged := rx.io.damaged.valid
  regs.io.malformed := rx.io.malformed.valid
  regs.io.busError := bus.io.failed
  regs.io.kept := rx.io.kept
  regs.io.waits := rx.io.waits
  regs.io.ringFull := receive.io.full
  regs.io.freeSlots := slots.io.free
  slots.io.headerSlot := regs.io.headerSlot
  regs.io.header := slots.io.headerRead

  private val command = io.regs.command
  private val inNames = command.address(19 downto 18) === 1
  private val inRings = command.address(19 downto 8) === 0x00e && command.address(7 downto 6) =/= 3
  private val inRegs = command.address(19 downto 12) === 0 && !inRings
  for ((port, here) <- Seq(tx.io.names.command -> inNames, rings.io.regs.command -> inRings, regs.io.regs.command -> inRegs)) {
    port.valid := command.valid && here
    port.write := command.write
    port.address := command.address.resized
    port.data := command.data
  }
  private val from = RegNextWhen(inNames ## inRings, command.valid) init 0
  io.regs.data := from(1) ? tx.io.names.data | (from(0) ? rings.io.regs.data | regs.io.regs.data)

  // Errors: every one is counted; the sP is told of one at a time, later ones of a kind while it has not looked are only counted.
  private def report(index: Int, valid: Bool, arg: Bits, meta: Bits) = {
    val event = Flow(SiteEvent())
    event.valid := valid
    event.index := index
    event.arg := arg
    event.meta := meta
    event.toStream.m2sPipe()
  }
  private def header(flow: Flow[Bits], malformed: Boolean) =
    report(EventIndex.crcError, flow.valid, flow.payload(31 downto 0), Bool(malformed) ## flow.payload(62 downto 32))
  io.eventLocal << StreamArbiterFactory().roundRobin.transactionLock.on(Seq(
    report(EventIndex.translationFault, tx.io.fault.valid, tx.io.fault.word, tx.io.fault.meta),
    report(EventIndex.translationFault, send.io.fault.valid, send.io.fault.word, send.io.fault.meta),
    header(rx.io.damaged, malformed = false),
    header(rx.io.malformed, malformed = true),
    report(EventIndex.busError, bus.io.failed, bus.io.address.asBits, receiving.asBits.resize(32 bits))
  ))
}
