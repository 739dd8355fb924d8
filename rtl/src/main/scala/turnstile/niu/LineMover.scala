package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** Moves the lines of the running command: bus to message unit (GET), slot to bus (PUT), slot to message unit (SEND), or only the
  * bus op of each (FLUSH, CLEAN, KILL).
  *
  * The first op is on the bus port in the first cycle of a command; a beat read from the bus is at `data` the cycle after, as two
  * flits; slot beats take two cycles to either side. An early READ whose first beat came before the compare passed (its cycle plus
  * one) is dropped and read again, with all that followed it.
  */
class LineMover extends Component {
  val io = new Bundle {
    val step = in(CommandStep())
    val progress = out(MoverProgress())
    /** Two masters, so that two lines are on their way. */
    val bus = Vec(master(BusMasterPort()), 2)
    /** Beats of the slots: address, and data a cycle later. */
    val slotRead = master(Flow(UInt(9 bits)))
    val slotData = in(Bits(128 bits))
    val data = master(Stream(Bits(64 bits)))
  }
  private val c = io.step.command
  private val ops = new BusClient(BusClientParams(masters = 2))
  for ((unit, port) <- ops.io.bus zip io.bus) unit <> port
  private val outgoing = StreamFifo(Bits(128 bits), 16, latency = 1)
  private val availability = outgoing.io.availability + U(outgoing.io.pop.fire) - U(outgoing.io.push.fire)
  /** A line behind two others on their way; a beat behind two. */
  private val lineRoom = RegNext(availability >= 12) init False
  private val beatRoom = RegNext(availability >= 3) init False

  // Ops
  private val begun, more, spoiled = RegInit(False)
  private val unasked, judged = Reg(UInt(6 bits)) init 0
  private val line = Reg(UInt(26 bits))
  private val lines = RegNext(c.lines)
  private val fresh = io.step.fresh
  private val lineNow = fresh ? c.firstLine | line
  private val unaskedNow = fresh ? c.lines | unasked
  private val asks = ops.io.op.fire
  private val later = more && !io.step.mismatch && !spoiled && (io.step.go || c.early && !begun)
  ops.io.op.valid := io.step.active && (fresh ? c.begins | later) && (!c.captures || lineRoom)
  ops.io.op.line(c.lineOp, lineNow @@ U"000000")
  ops.io.abandon := io.step.mismatch
  begun := !fresh && begun || asks
  // `asks` knows of the bus's grant: it only chooses between what is ready.
  when(asks || fresh) {
    line := asks ? (lineNow + 1) | lineNow
    unasked := asks ? (unaskedNow - 1) | unaskedNow
    more := asks ? (unaskedNow =/= 1) | c.moves
  }

  // Verdicts
  private val goSeen = RegNext(io.step.go) init False
  private val failed = RegInit(False)
  private val failedLine = Reg(UInt(26 bits))
  // The last tag waits for all verdicts in whatever order, heads of packets for the first ones.
  private val settled = Reg(UInt(6 bits)) init 0
  private val settledNext = settled + ops.io.judged
  settled := settledNext
  private val judgedNext = judged + U(ops.io.done.valid)
  judged := judgedNext
  when(ops.io.done.valid && ops.io.done.payload) {
    failed := True
    failedLine := c.firstLine + judged
  }
  io.progress.judged := (goSeen && !spoiled) ? judgedNext | U(0)
  io.progress.all := goSeen && !spoiled && settledNext === lines
  io.progress.idle := ops.io.idle
  io.progress.failed := failed
  io.progress.failedLine := failedLine
  when(fresh) {
    judged := 0
    settled := 0
    failed := False
  }

  // Beats read: those of an early READ count if the compare had passed when its first came; behind one that is read again, none.
  private val firstBeat = RegNextWhen(ops.io.read.last, ops.io.read.valid) init True
  private val keeping = RegNextWhen(goSeen, firstBeat && ops.io.read.valid)
  private val keep = !spoiled && (firstBeat ? goSeen | keeping)
  when(ops.io.read.valid && !keep)(spoiled := True)
  when(spoiled && ops.io.idle) {
    spoiled := False
    begun := False
    line := c.firstLine
    unasked := c.lines
    more := True
    judged := 0
    settled := 0
  }

  // Slots, and both ways out
  private val reader = new SlotReader
  private val incoming = StreamFifo(Bits(128 bits), 8, latency = 1)
  reader.io.read := (c.puts || c.forwards) && io.step.active && io.step.go
  reader.io.start := fresh
  reader.io.slot := c.slot
  reader.io.lines := c.slotLines
  reader.io.room := c.puts || beatRoom
  io.slotRead << reader.io.address
  reader.io.data := io.slotData
  io.progress.slotRead := reader.io.finished
  private val forwards = RegNext(c.forwards)
  incoming.io.push.valid := reader.io.beat.valid && !forwards
  incoming.io.push.payload := reader.io.beat.payload
  ops.io.write << incoming.io.pop
  outgoing.io.push.valid := ops.io.read.valid && keep && c.captures || reader.io.beat.valid && forwards
  outgoing.io.push.payload := ops.io.read.valid ? ops.io.read.fragment | reader.io.beat.payload
  for ((fifo, name) <- Seq(outgoing -> "outgoing", incoming -> "incoming"))
    assert(!fifo.io.push.valid || fifo.io.push.ready, s"line mover: $name beat without room", FAILURE)
  StreamWidthAdapter(outgoing.io.pop, io.data)
}
