package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus._
import turnstile.contract._

/** Performs the sP's commands one by one, in order (contract §5; VY-03, BZ-10, BZ-11, BZ-20).
  *
  * Order of effects: compare (and PEND_DOWN for a GET that changes the tag); line ops; then, when the last verdict is in,
  * the final tag with its approvals. Every access judged by the final tag then meets either data already in place or a line
  * still in flight, which the bus makes it wait for: data before tag (BZ-11) without waiting for the last beat.
  *
  * A GET that leaves copies in caches (READ) starts its first line with the compare instead of after it. The line counts
  * only if the tag command took effect before its first beat: until then the bus keeps others off the line, so it is read
  * as it was under PEND_DOWN. Otherwise (a deferred command) it is read again. READ_EXCLUSIVE is never started early, for a
  * mismatch would lose the only copy.
  *
  * FLUSH, CLEAN and KILL with `set` go through PEND_DOWN as GET does. TAG, PUT, FLUSH, CLEAN, KILL and FREE with `send` end with a
  * message without lines: an ack must not overtake the change it acknowledges.
  *
  * A mismatch changes nothing, sends nothing and gives one event: 98 with bit 0 of META for TAG with `notify`, else 99. A line nobody
  * answers reads as zeros, its write is dropped, and event 104 (arg: the last such line) comes before that of the command.
  *
  * Cycles: docs/design/command-engine.md. No output depends on an input of the same cycle.
  */
class CommandEngine extends Component {
  val io = new Bundle {
    val command = slave(Stream(NiuCommand()))
    val status = out(EngineStatus())
    val tag = master(TagPort())
    /** Two masters, so that two lines are on their way. */
    val bus = Vec(master(BusMasterPort()), 2)
    val line = master(LineTxPort())
    val slot = master(SlotPort())
    val event = master(Stream(SiteEvent()))
  }
  private val queue = StreamFifo(NiuCommand(), 8, latency = 1)
  queue.io.push << io.command
  io.status.free := 8 - queue.io.occupancy
  io.status.busy := queue.io.pop.valid
  private val c = queue.io.pop.payload
  private val active = queue.io.pop.valid

  // What this command consists of ---------------------------------------------------------------------------------------
  private val isGet = c.op === NiuOpcode.GET
  private val isPut = c.op === NiuOpcode.PUT
  private val isTag = c.op === NiuOpcode.TAG
  private val isSend = c.op === NiuOpcode.SEND
  private val isMaintenance = c.op === NiuOpcode.FLUSH || c.op === NiuOpcode.CLEAN || c.op === NiuOpcode.KILL
  private val sends = isGet && c.send
  /** A message without lines when all is done: an ack must not overtake the change it acknowledges. */
  private val acknowledges = c.send && !isGet && !isSend
  private val keepsCopies = !c.set || c.next === Cls.SHARED || c.next === Cls.EXCLUSIVE
  private val retags = (isGet || isMaintenance) && c.set && !(c.check && c.next === c.old)
  private val needsFirst = c.check || isTag || retags
  private val needsLast = (isGet || isMaintenance) && (retags || c.approve) || isPut && (c.set || c.approve)
  private val lineOp = c.op.mux(
    NiuOpcode.GET -> (c.send ? (keepsCopies ? BusOp.READ | BusOp.READ_EXCLUSIVE) | (keepsCopies ? BusOp.CLEAN | BusOp.FLUSH)),
    NiuOpcode.PUT -> BusOp.WRITE_BACK(),
    NiuOpcode.FLUSH -> BusOp.FLUSH(),
    NiuOpcode.CLEAN -> BusOp.CLEAN(),
    default -> BusOp.KILL())
  private val range = UInt(6 bits)
  range := U(1, 6 bits) |<< c.size
  private val lines = UInt(6 bits)
  lines := range
  when(isPut)(lines := c.lines.resized)
  when(isTag || isSend || c.op === NiuOpcode.FREE)(lines := 0)
  private val firstLine = c.address(31 downto 6) & ~((isPut || isSend) ? U(0, 26 bits) | (range - 1).resize(26 bits))

  // How far it is -------------------------------------------------------------------------------------------------------
  private val firstSent, passed, mismatch, lastSent, lastDone, spoiled, failed = RegInit(False)
  private val issued, verdicts = Reg(UInt(6 bits)) init 0
  private val packets = Reg(UInt(5 bits)) init 0
  private val found = Reg(Cls())
  private val failedLine = Reg(UInt(26 bits))
  private val finish = Bool()
  private val go = active && !needsFirst || passed

  // Tags ----------------------------------------------------------------------------------------------------------------
  private val allJudged = go && verdicts === lines && !spoiled
  private val first = active && needsFirst && !firstSent
  private val last = active && needsLast && allJudged && !lastSent
  private val downgrades = c.next =/= Cls.SHARED && c.next =/= Cls.EXCLUSIVE && c.next =/= Cls.FILL
  io.tag.command.valid := first || last
  io.tag.command.address := c.address
  io.tag.command.size := c.size
  io.tag.command.check := first && c.check
  io.tag.command.old := c.old
  io.tag.command.set := first ? (isTag && c.set || retags) | (isPut ? c.set | retags)
  io.tag.command.next := c.next
  when(first && retags)(io.tag.command.next := Cls.PEND_DOWN)
  io.tag.command.approve := c.approve && !(first && !isTag)
  // BZ-33: what was approved completes before its line is taken away.
  io.tag.command.defer := first && (retags || isTag && c.set && downgrades)
  when(io.tag.command.fire) {
    when(first)(firstSent := True) otherwise (lastSent := True)
  }
  when(io.tag.result.valid) {
    when(lastSent)(lastDone := True).otherwise {
      passed := !io.tag.result.mismatch
      mismatch := io.tag.result.mismatch
      found := io.tag.result.found
    }
  }

  // Line ops ------------------------------------------------------------------------------------------------------------
  private val ops = new BusClient(BusClientParams(masters = 2))
  private val outgoing = StreamFifo(Bits(128 bits), 16, latency = 1)
  private val early = sends && keepsCopies && issued === 0
  ops.io.op.valid := active && !mismatch && !spoiled && issued =/= lines && (go || early) &&
    (!sends || outgoing.io.availability >= 12)
  ops.io.op.line(lineOp, (firstLine + issued) @@ U"000000")
  ops.io.abandon := mismatch
  for ((unit, port) <- ops.io.bus zip io.bus) unit <> port
  when(ops.io.op.fire)(issued := issued + 1)
  when(ops.io.done.valid) {
    verdicts := verdicts + 1
    when(ops.io.done.payload) {
      failed := True
      failedLine := firstLine + verdicts
    }
  }
  private val firstBeat = RegNextWhen(ops.io.read.last, ops.io.read.valid) init True
  private val keeping = RegNextWhen(go, firstBeat && ops.io.read.valid)
  private val keep = firstBeat ? go | keeping
  when(ops.io.read.valid && !keep && !mismatch)(spoiled := True)
  when(spoiled && ops.io.idle) {
    spoiled := False
    issued := 0
    verdicts := 0
  }

  // Slots, beats, messages ----------------------------------------------------------------------------------------------
  private val reader = new SlotReader
  private val incoming = StreamFifo(Bits(128 bits), 8, latency = 1)
  reader.io.read := (isPut || isSend) && go
  reader.io.slot := c.slot
  reader.io.lines := c.lines
  reader.io.room := isPut || outgoing.io.availability >= 3
  reader.io.clear := finish
  private val toOut = RegNext(isSend)
  incoming.io.push.valid := reader.io.beat.valid && !toOut
  incoming.io.push.payload := reader.io.beat.payload
  ops.io.write << incoming.io.pop
  outgoing.io.push.valid := ops.io.read.valid && keep || reader.io.beat.valid && toOut
  outgoing.io.push.payload := ops.io.read.valid ? ops.io.read.fragment | reader.io.beat.payload
  for ((fifo, name) <- Seq(outgoing -> "outgoing", incoming -> "incoming"))
    assert(!fifo.io.push.valid || fifo.io.push.ready, s"command engine: $name beat without room", FAILURE)
  StreamWidthAdapter(outgoing.io.pop, io.line.data)

  private val packetCount = (isSend || acknowledges) ? U(1, 5 bits) | (sends ? (range(5 downto 1) | U(c.size === 0, 5 bits)) | U(0, 5 bits))
  private val packetLine = packets @@ U"0"
  private val settled = allJudged && ops.io.idle && (!needsLast || lastDone)
  private val headDue = isSend ? go | (acknowledges ? settled | (sends && go && !spoiled && verdicts > packetLine))
  io.line.head.valid := active && packets =/= packetCount && headDue
  io.line.head.dest := c.dest
  io.line.head.high := c.high
  io.line.head.tag := c.tag
  when(packets =/= packetCount - 1)(io.line.head.tag(0) := True)
  io.line.head.word := c.word
  when(!c.useWord)(io.line.head.word := (isSend || acknowledges) ? c.address.asBits | ((firstLine + packetLine) ## B"000000"))
  io.line.head.lines := Mux(isSend, c.lines, Mux(acknowledges, U(0, 2 bits), Mux(c.size === 0, U(1, 2 bits), U(2, 2 bits))))
  when(io.line.head.fire)(packets := packets + 1)

  // The end -------------------------------------------------------------------------------------------------------------
  private val events = StreamFifo(SiteEvent(), 4, latency = 1)
  private val complete = settled && packets === packetCount &&
    (!(isPut || isSend) || reader.io.finished)
  private val over = active && (complete || mismatch && ops.io.idle)
  private val tells = c.notifies || mismatch
  events.io.push.valid := over && (failed || tells)
  events.io.push.index := (mismatch && !(isTag && c.notifies)) ? U(EventIndex.commandMismatch, 7 bits) | U(EventIndex.commandDone, 7 bits)
  events.io.push.arg := c.address.asBits
  events.io.push.meta := (B(found) ## B"000" ## mismatch).resized
  when(failed) {
    events.io.push.index := EventIndex.busError
    events.io.push.arg := failedLine ## B"000000"
    events.io.push.meta := 0
  }
  io.event << events.io.pop
  when(over && failed && events.io.push.ready)(failed := False)
  finish := over && !failed && (!tells || events.io.push.ready)
  queue.io.pop.ready := finish
  when(finish) {
    Seq(firstSent, passed, mismatch, lastSent, lastDone).foreach(_ := False)
    Seq(issued, verdicts).foreach(_ := 0)
    packets := 0
  }
  io.slot.read << reader.io.port.read
  reader.io.port.data := io.slot.data
  io.slot.free.valid := finish && c.free
  io.slot.free.payload := c.slot
}
