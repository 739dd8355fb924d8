package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.{CrcAppend, PacketHeader, Vc}

/** Transmit: queues, choice, translation, packet, CRC (VY-24, VY-33, VY-40, VY-42).
  *
  * Pipeline, Express store of the sP to first flit 4 cycles: t pushed; t+1 chosen, row addressed; t+2 header into the CRC stage;
  * t+3 out of it into the link sender; t+4 on the link. A message takes two flits of its virtual channel; the choice is made
  * once a cycle for both, high first, round robin over the queues of a channel, a user's high messages first within their
  * queue. A channel without credits stops no other.
  *
  * `loop` has the packets for the own site, `packets` all others.
  */
class TxUnit(params: MessageParams) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val sp = slave(Stream(ExpressTx()))
    val window = slave(Flow(ExpressTx()))
    val room = out(Bits(2 * params.expressQueues bits))
    val free = out(Bits(32 bits))
    val line = slave(LineTxPort())
    val ring = slave(Stream(TxJob()))
    val ringBody = slave(Stream(Bits(64 bits)))
    val names = slave(RegPort(15))
    val packets = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val loop = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val fault = master(Flow(TxFault()))
  }

  private val queues = params.expressQueues
  private val fifo = new MultiQueue(HardType(ExpressEntry()), 2 * queues, params.expressDepth, params.aps + 1)
  io.room := fifo.io.room

  // One push a cycle: stores of aPs have been accepted on the bus already, so they go first.
  private val sp = io.sp.s2mPipe()
  private val spFifo = sp.payload.queue.resize(log2Up(queues)) @@ sp.high
  private val fromSp = !io.window.valid
  private val builderFault = Bool()
  private val pushed = fromSp ? sp.payload | io.window.payload
  // A queue of aPs keeps its room for their accepted stores; a Basic queue takes no Express message, whoever sends it.
  private val spWrong = sp.payload.queue >= queues
  private val spFits = (sp.payload.queue < 2) ? !fifo.io.full(spFifo) | fifo.io.room(spFifo)
  private val spFault = sp.valid && spWrong && !builderFault
  sp.ready := spWrong ? !builderFault | (fromSp && spFits)
  fifo.io.push.valid := io.window.valid || (sp.fire && !spWrong)
  fifo.io.push.queue := pushed.queue.resize(log2Up(queues)) @@ pushed.high
  fifo.io.push.entry.dest := pushed.dest
  fifo.io.push.entry.tag := pushed.tag
  fifo.io.push.entry.data := pushed.data
  private def freeOf(index: Int) = (U(params.expressDepth) - fifo.io.used(index)).resize(16 bits)
  io.free := freeOf(1) ## freeOf(0)

  private val table = new NameTable
  table.io.regs <> io.names

  private val line = io.line.head.s2mPipe()
  private val ring = io.ring.s2mPipe()
  private val builders = for (vc <- 0 until Vc.count) yield new PacketBuilder(vc)

  // Requests of a channel: the Express queues, then the line message, then the Basic message.
  private val sources = queues + 2
  private val occupied = fifo.io.occupied
  private val ringHigh = ring.high && params.mayHigh(ring.payload.queue)
  private val lineBusy = builders.map(_.io.drawsLine).orR
  private val requests = for (vc <- 0 until Vc.count) yield {
    val express = (0 until queues).map { q =>
      val mayHigh = params.queues(q).mayHigh
      if (vc == Vc.high) occupied(2 * q + 1) && Bool(mayHigh)
      else if (mayHigh) occupied(2 * q)
      else occupied(2 * q) || occupied(2 * q + 1)
    }
    B(express ++ Seq(line.valid && !lineBusy && line.high === Bool(vc == Vc.high), ring.valid && ringHigh === Bool(vc == Vc.high)))
  }
  private val afterWinner = Vec.fill(Vc.count)(Reg(Bits(sources bits)) init 0)
  private val high = requests(Vc.high).orR && builders(Vc.high).io.job.ready
  private val low = requests(Vc.low).orR && builders(Vc.low).io.job.ready
  private val candidates = high ? requests(Vc.high) | requests(Vc.low)
  private val preferred = candidates & afterWinner(high.asUInt)
  private val choice = OHMasking.first(preferred.orR ? preferred | candidates)
  private val choose = high || low
  private val choseLine = choice(queues)
  private val choseRing = choice(queues + 1)

  private val queue = OHToUInt(choice(queues - 1 downto 0))
  private val takesHigh = occupied(queue @@ U(1, 1 bits)) && (high || !B(params.queues.take(queues).map(q => Bool(q.mayHigh)))(queue))
  private val fifoIndex = queue @@ takesHigh
  fifo.io.select := fifoIndex
  fifo.io.pop.valid := choose && !choseLine && !choseRing
  fifo.io.pop.payload := fifoIndex
  line.ready := choose && choseLine
  ring.ready := choose && choseRing

  private val express = TxJob()
  express.queue := queue.resized
  express.dest := fifo.io.head.dest
  express.tag := fifo.io.head.tag
  express.high := takesHigh
  express.word := fifo.io.head.data
  express.kind := 0
  express.body := 0
  express.lines := 0
  express.length := 0
  express.fromRing := False

  // A line message speaks for queue 0.
  private val lineJob = TxJob()
  lineJob.queue := 0
  lineJob.dest := line.dest
  lineJob.tag := line.tag
  lineJob.high := line.high
  lineJob.word := line.word
  lineJob.kind := 0
  lineJob.body := line.lines @@ U(0, 3 bits)
  lineJob.lines := line.lines
  lineJob.length := 0
  lineJob.fromRing := False

  private val job = choseRing ? ring.payload | (choseLine ? lineJob | express)
  table.io.look.valid := choose
  table.io.look.payload := job.queue @@ job.dest
  when(choose) {
    afterWinner(high.asUInt) := ~(choice | (choice.asUInt - 1).asBits)
  }

  // Each source has one message in the making (a ring offers no other, `lineBusy` holds the next line message), so the channel
  // whose job it is takes the body.
  private val lineReady, ringReady = Vec.fill(Vc.count)(Bool())
  for ((builder, vc) <- builders.zipWithIndex) {
    builder.io.siteId := io.siteId
    builder.io.job.valid := (if (vc == Vc.high) high else choose && !high)
    builder.io.job.payload := job
    builder.io.row := table.io.row
    builder.io.line.valid := io.line.data.valid
    builder.io.line.payload := io.line.data.payload
    lineReady(vc) := builder.io.line.ready
    builder.io.ring.valid := io.ringBody.valid
    builder.io.ring.payload := io.ringBody.payload
    ringReady(vc) := builder.io.ring.ready

    val crc = new CrcAppend
    crc.io.input << builder.io.output
    val first = RegNextWhen(crc.io.output.last, crc.io.output.fire) init True
    val held = Reg(Bool())
    val own = first ? (crc.io.output.fragment.as(PacketHeader()).destSite === io.siteId) | held
    held := own
    val ways = StreamDemux(crc.io.output, own.asUInt, 2)
    io.packets(vc) << ways(0)
    io.loop(vc) << ways(1)
  }
  io.line.data.ready := lineReady.orR
  io.ringBody.ready := ringReady.orR

  // The choice starts one job a cycle and a fault follows its choice by one cycle, so both channels never fault at once.
  builderFault := builders.map(_.io.fault.valid).orR
  io.fault.valid := builderFault || spFault
  io.fault.payload := builders(Vc.high).io.fault.valid ? builders(Vc.high).io.fault.payload | builders(Vc.low).io.fault.payload
  when(!builderFault) {
    io.fault.payload.queue := sp.payload.queue
    io.fault.dest := sp.dest
    io.fault.tag := sp.tag
    io.fault.high := sp.high
    io.fault.malformed := True
    io.fault.word := sp.data
  }
}

/** An Express message in its queue. */
case class ExpressEntry() extends Bundle {
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val data = Bits(32 bits)
}
