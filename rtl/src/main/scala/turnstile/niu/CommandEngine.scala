package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.contract._

/** Performs the sP's commands one by one, in order (contract §5; VY-03, BZ-10, BZ-11, BZ-20): a [[CommandSequencer]] says when, a
  * [[LineMover]] moves lines, a [[PacketSender]] gives the message unit their heads.
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
  * answers reads as zeros, its write is dropped, and event 104 (arg: the last such line) comes before that of the command. Events
  * never stop the engine ([[EngineEvents]]).
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
    val line = master(LineMessagePort())
    val slot = master(SlotPort())
    val event = master(Stream(SiteEvent()))
  }
  private val sequencer = new CommandSequencer
  private val mover = new LineMover
  private val sender = new PacketSender

  sequencer.io.command << io.command
  sequencer.io.tag <> io.tag
  sequencer.io.mover := mover.io.progress
  sequencer.io.told := sender.io.told
  io.status := sequencer.io.status
  io.event << sequencer.io.event
  io.slot.free << sequencer.io.slotFree
  io.slot.asked := 0

  mover.io.step := sequencer.io.step
  for ((port, outer) <- mover.io.bus zip io.bus) port <> outer
  io.slot.read << mover.io.slotRead
  mover.io.slotData := io.slot.data
  io.line.data << mover.io.data

  sender.io.step := sequencer.io.step
  sender.io.judged := mover.io.progress.judged
  io.line.head << sender.io.head
}
