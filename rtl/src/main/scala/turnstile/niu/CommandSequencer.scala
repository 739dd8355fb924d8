package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Takes the sP's commands one by one and decides when each step of one may happen: compare, line ops, last tag, message, end.
  *
  * A command is decoded in front of the register it runs from, so an empty engine runs it in the cycle after its launch and the next
  * follows an ended one without gap. Seven more wait, decoded. `event` never stops it ([[EngineEvents]]); a slot is freed the cycle
  * after the end. No output depends on an input of the same cycle.
  */
class CommandSequencer extends Component {
  val io = new Bundle {
    val command = slave(Stream(NiuCommand()))
    val status = out(EngineStatus())
    val tag = master(TagPort())
    val step = out(CommandStep())
    val mover = in(MoverProgress())

    /** The message unit took all packets of the command. */
    val told = in(Bool())
    val slotFree = master(Flow(UInt(6 bits)))
    val event = master(Stream(SiteEvent()))
  }
  private val queue = StreamFifo(DecodedCommand(), 7, latency = 0)
  queue.io.push << io.command.translateWith(DecodedCommand(io.command.payload))
  private val head = queue.io.pop.m2sPipe()
  private val c = head.payload
  private val active = head.valid
  private val fresh = RegNext(queue.io.pop.fire) init False
  io.status.free := 8 - queue.io.occupancy - U(active, 4 bits)
  io.status.busy := active

  private val mismatch, judged, lastDone, failureTold, settled = RegInit(False)
  private val found = Reg(Cls())
  private val finish = Bool()
  /** What the running command has left to do and may do, kept beside it: tags and bus ops wait for no decoding. */
  private val first, lastLeft, go = RegInit(False)

  // Tags
  private val lineless = !c.moves
  private val allJudged = lineless ? go | judged
  private val last = lastLeft && allJudged
  private val tag = io.tag.command
  tag.valid := first || last
  tag.address := c.address
  tag.size := c.size
  tag.check := first && c.check
  tag.old := c.old
  tag.set := first ? (c.isTag && c.set || c.retags) | (c.puts ? c.set | c.retags)
  tag.next := c.next
  when(first && c.retags)(tag.next := Cls.PEND_DOWN)
  tag.approve := c.approve && !(first && !c.isTag)
  tag.defer := first && c.defer
  when(tag.fire) {
    first := False
    when(!first)(lastLeft := False)
  }
  private val result = io.tag.result
  private val lastSent = c.last && !lastLeft
  private val passes = result.valid && !lastSent && !result.mismatch
  private val lastEnds = result.valid && lastSent
  when(passes)(go := True)
  when(lastEnds)(lastDone := True)
  when(result.valid && !lastSent) {
    mismatch := result.mismatch
    found := result.found
  }

  // Progress: what the mover tells is of this command from its second cycle on.
  judged := io.mover.all && !fresh && !finish
  settled := active && !finish && (lineless ? (go || passes) | (io.mover.all && !fresh)) && io.mover.idle && (!c.last || lastDone || lastEnds)
  io.step.command := c
  io.step.active := active
  io.step.fresh := fresh
  io.step.go := go
  io.step.mismatch := mismatch
  io.step.settled := settled

  private val waits = EngineWait()
  waits := EngineWait.NOTHING
  when(active && !mismatch) {
    waits := EngineWait.MESSAGE_UNIT
    when(!io.mover.idle)(waits := EngineWait.BEATS)
    when(allJudged && c.last && !lastDone)(waits := EngineWait.LAST_TAG)
    when(go && !allJudged)(waits := EngineWait.VERDICTS)
    when(!go)(waits := EngineWait.COMPARE)
  }
  io.status.op := RegNext(c.op)
  io.status.waits := RegNext(waits) init EngineWait.NOTHING

  // The end
  private val told = fresh ? (c.packets === 0) | io.told
  private val slotRead = fresh ? (c.slotLines === 0) | io.mover.slotRead
  private val complete = allJudged && io.mover.idle && (!c.last || lastDone) && told && (!(c.puts || c.forwards) || slotRead)
  private val over = active && (complete || mismatch && io.mover.idle)
  private val failure = io.mover.failed && !lineless && !mismatch && !failureTold
  private val events = new EngineEvents
  events.io.push.valid := over && (failure || c.notifies || mismatch)
  events.io.push.index := (mismatch && !(c.isTag && c.notifies)) ? U(EventIndex.commandMismatch, 7 bits) | U(EventIndex.commandDone, 7 bits)
  events.io.push.arg := c.address.asBits
  events.io.push.meta := (B(found) ## B"000" ## mismatch).resized
  when(failure) {
    events.io.push.index := EventIndex.busError
    events.io.push.arg := io.mover.failedLine ## B"000000"
    events.io.push.meta := 0
  }
  io.event << events.io.event
  when(over && failure)(failureTold := True)
  finish := over && !failure
  head.ready := finish
  when(finish)(Seq(first, lastLeft, go, mismatch, lastDone, failureTold).foreach(_ := False))
  when(queue.io.pop.fire) {
    first := queue.io.pop.first
    lastLeft := queue.io.pop.last
    go := !queue.io.pop.first
  }
  io.slotFree.valid := RegNext(finish && c.free) init False
  io.slotFree.payload := RegNext(c.slot)
}
