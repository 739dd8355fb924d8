package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.contract.FirstOf
import turnstile.translation.{Found, Look, Use}

/** Cuts transfers into packets, queues in turn, a packet at a time: no transfer, however long, keeps another queue waiting for more than one
  * packet of each.
  *
  * For a packet it asks about all lines its bytes lie in, at most four, then reads them: 9 cycles and one for each line, if nothing makes it
  * wait. `lines` waits for room (`room` lines are free at least), `parts` for the packets before. The lines of a packet are read before the next
  * packet's, and each packet that was asked for is made; one whose lines are not all legal is not asked for, and its transfer ends there. A queue with a
  * line that is looked up LATER is parked meanwhile, and no other.
  */
class DmaPlan extends Component {
  val io = new Bundle {
    val unsent = in(Bits(8 bits))
    val queue = out(UInt(3 bits))
    val head = in(UInt(log2Up(Dma.entries) bits))
    val descriptor = in(DmaDescriptor())
    val sent = master(Flow(UInt(3 bits)))

    /** Of this transfer nothing more is to be sent. */
    val spoiled = in(Bits(8 * Dma.entries bits))
    val look = master(Look())

    /** Lines found, that are not all asked for yet. */
    val holds = out(Bool())
    val room = in(Bool())
    val lines = master(Stream(ClientOp()))
    val parts = master(Stream(DmaPart()))
  }
  private object State extends SpinalEnum {
    val CHOOSE, FETCH, LOAD, CUT, LOOK, READ, GIVE = newElement()
  }
  private val state = RegInit(State.CHOOSE)

  /** How far a queue's oldest transfer is. */
  private case class Progress() extends Bundle {
    val source, target = UInt(32 bits)
    val left = UInt(log2Up(Dma.mostBytes + 1) bits)
    val sequence = UInt(6 bits)
  }
  private val progress = Mem(Progress(), 8)
  private val begun = Reg(Bits(8 bits)) init 0
  private val queue = Reg(UInt(3 bits)) init 0
  private val after = Reg(Bits(8 bits)) init 0
  private val now = Reg(Progress())
  private val part = Reg(DmaPart())
  private val found = Vec.fill(4)(Reg(UInt(26 bits)))
  private val asked, answered, read = Reg(UInt(3 bits))
  private val illegal, later = Reg(Bool())
  private val parked = Reg(Bits(8 bits)) init 0
  io.queue := queue

  private val unsent = io.unsent & ~parked
  private val turn = FirstOf((unsent & after).orR ? (unsent & after) | unsent)
  private val saved = RegNext(progress.readAsync(queue))
  private val d = io.descriptor
  private val wrong = d.length === 0 || d.length > Dma.mostBytes
  private val room = U(Dma.packetLines * 64, 8 bits) - now.target(5 downto 0)
  private val bytes = (now.left < room) ? now.left.resize(8 bits) | room
  private val ends = now.left === 0 || part.status =/= DmaStatus.done

  io.look.request.valid := state === State.LOOK && asked =/= part.lines
  io.look.request.payload.queue := queue
  io.look.request.use := Use.READ
  io.look.request.line := (now.source >> 6) + asked
  io.holds := state === State.LOOK || state === State.READ
  io.lines.valid := state === State.READ && read =/= part.lines && io.room
  io.lines.payload.line(BusOp.READ(), found(read(1 downto 0)) @@ U(0, 6 bits))
  io.parts.valid := state === State.GIVE
  io.parts.payload.end := ends
  io.parts.payload.assignUnassignedByName(part)
  io.sent.valid := io.parts.fire && ends
  io.sent.payload := queue

  when(!io.look.pending)(parked := 0)
  switch(state) {
    is(State.CHOOSE) {
      queue := OHToUInt(turn)
      when(unsent.orR) {
        after := ~(turn | (turn.asUInt - 1).asBits)
        state := State.FETCH
      }
    }
    is(State.FETCH) {
      state := State.LOAD
    }
    is(State.LOAD) {
      part.id.queue := queue
      part.id.entry := io.head
      part.dest := d.dest
      part.cookie := d.cookie
      part.first := !begun(queue)
      part.status := (!begun(queue) && wrong) ? DmaStatus(DmaStatus.length) | DmaStatus(DmaStatus.done)
      now := saved
      when(!begun(queue)) {
        now.source := d.source
        now.target := d.target
        now.left := d.length.resized
        now.sequence := 0
      }
      state := State.CUT
    }
    is(State.CUT) {
      part.source := now.source(5 downto 0)
      part.target := now.target
      part.bytes := bytes
      part.lines := ((now.source(5 downto 0) +^ bytes + 63) >> 6).resized
      part.sequence := now.sequence
      asked := 0
      answered := 0
      read := 0
      illegal := False
      later := False
      state := State.LOOK
      when(ends || io.spoiled(part.id.queue @@ part.id.entry)) {
        part.target := d.flag
        now.left := 0
        state := State.GIVE
      }
    }
    is(State.LOOK) {
      when(io.look.request.fire)(asked := asked + 1)
      when(io.look.answer.valid) {
        found(answered(1 downto 0)) := io.look.answer.line
        answered := answered + 1
        illegal := illegal || io.look.answer.found === Found.REFUSED
        later := later || io.look.answer.found === Found.LATER
      }
      when(answered === part.lines) {
        state := State.READ
        when(later) {
          parked(queue) := True
          state := State.CHOOSE
        }
        when(illegal) {
          part.status := DmaStatus.source
          part.target := d.flag
          state := State.GIVE
        }
      }
    }
    is(State.READ) {
      when(io.lines.fire)(read := read + 1)
      when(read === part.lines)(state := State.GIVE)
    }
    is(State.GIVE) {
      when(io.parts.ready)(state := State.CHOOSE)
    }
  }

  // Of an end nothing is kept; a packet's transfer goes on behind it.
  private val next = Progress()
  next.source := now.source + part.bytes
  next.target := now.target + part.bytes
  next.left := now.left - part.bytes
  next.sequence := now.sequence + 1
  progress.write(queue, next, io.parts.fire)
  when(io.parts.fire)(begun(queue) := !ends)
}
