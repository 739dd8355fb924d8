package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.network.Vc

/** Basic packets from the staging buffers into their rings in DRAM (VY-18, VY-19).
  *
  * Four buffers of 32 words for each channel. A packet whose ring is full stays in its buffer for `patience` cycles at least; the other channel goes
  * on. Then it is dropped, and so is what comes for that ring until half of it has been read (`lost`): one who does not read stops
  * nobody but for that while (VY-37). A
  * slot is written as one line, or two when header and payload pass 64 bytes, then its tag-on lines at the same slot of the
  * receive tag-on area; the producer moves when all is taken by the bus. Lines are given as fast as the bus client takes them, those of the next
  * message behind the last one's: of two messages at once. Into a ring of which a quarter is unread one message goes in `pace` cycles, so that the
  * sPs have time to hold its senders ([[RingMarks]]). Words that the message does not have are zero: no
  * user reads what another was sent.
  */
class RingReceive(patience: Int = 1024, pace: Int = 48) extends Component {
  val io = new Bundle {
    val port = slave(RxPort())

    /** Rings that are on, and those with a tag-on area. */
    val on, tagOn = in(Bits(Queues.basic.size bits))
    val view = master(RingView())
    val command = master(Stream(ClientOp()))

    /** The beats of each commanded line, from a block RAM; the bus takes them when the line is judged. */
    val beat = master(Stream(Bits(128 bits)))
    val full = out(Bool())

    /** The ring of this queue stayed full; a packet for it was dropped. */
    val lost = master(Flow(UInt(3 bits)))

    /** How full rings are: of each message that has come, and of all rings in turn while some are `marked` and nothing else is to do. */
    val level = master(Flow(RingLevel()))
    val marked = in(Bool())

    /** A packet was on its way into a ring that is off now. */
    val dropped = out(Bool())
  }

  private val placeWidth = log2Up(RingReceive.buffers)
  private def places(init: Int = 0) = Vec.fill(Vc.count)(Reg(UInt(placeWidth bits)) init init)

  // Staged: a word's address is channel, buffer, word; lanes are the two halves of a beat -----------------------------------------
  private val lanes =
    Seq.fill(2)(Mem(Bits(64 bits), Vc.count * RingReceive.buffers * 16).addAttribute("no_rw_check").addAttribute("ram_style", "block"))
  private val jobs = Mem(RingJob(), Vc.count * RingReceive.buffers)
  private val writeBuffer, askBuffer = places()
  private val body = io.port.body
  private val bodyOf = io.port.packet(body.vc)
  // Word 0 is left for the slot's header, 1 to 11 are payload, 16 to 31 tag-on lines.
  private val word = (body.index < bodyOf.payloadWords) ? (body.index + 1) | (body.index - bodyOf.payloadWords + 16)
  for ((lane, i) <- lanes.zipWithIndex) {
    lane.write(body.vc @@ writeBuffer(body.vc) @@ word(4 downto 1), body.data, body.valid && word(0) === Bool(i == 1))
  }
  io.port.passesOn := 0
  for (mask <- io.port.open) mask := io.on ## B(0, 8 bits)
  for (mask <- io.port.openLines) mask := io.tagOn ## B(0, 8 bits)

  private val end = io.port.end
  private val ended = RingJob()
  ended.queue := io.port.ended.queue.resized
  ended.source := io.port.ended.header.source
  ended.length := io.port.ended.aux.length
  ended.payloadWords := io.port.ended.payloadWords.resized
  ended.lines := io.port.ended.header.lines
  ended.tag := io.port.ended.header.tag
  ended.high := io.port.ended.aux.high
  ended.word := end.word
  jobs.write(end.vc @@ writeBuffer(end.vc), ended, end.valid)

  /** Of a packet all lines were asked for, or none will be; it is in its ring, or lost. */
  private val passed, freed = Flow(UInt(1 bits))
  private def count(up: UInt => Bool, down: Flow[UInt]) = for (vc <- 0 until Vc.count) yield {
    val value = Reg(UInt(placeWidth + 1 bits)) init 0
    val (more, less) = (up(vc), down.valid && down.payload === vc)
    when(more =/= less)(value := less ? (value - 1) | (value + 1))
    value
  }
  private def comes(vc: UInt) = end.valid && end.vc === vc
  private val held = count(comes, freed)
  private val unasked = count(comes, passed)
  for (vc <- 0 until Vc.count) io.port.ready(vc) := held(vc) =/= RingReceive.buffers
  when(end.valid)(writeBuffer(end.vc) := writeBuffer(end.vc) + 1)
  when(passed.valid)(askBuffer(passed.payload) := askBuffer(passed.payload) + 1)

  // On their way: all lines asked for, not all taken by the bus; two messages, in order -----------------------------------------------------------
  private val moving = Vec.fill(2)(Reg(RingMove()))
  private val onWay = Reg(Bits(2 bits)) init 0
  private val youngest, eldest = Reg(UInt(1 bits)) init 0
  private val written = Bool()
  private val moves = RegNext(written) init False
  private val move = moving(eldest)

  private object State extends SpinalEnum {
    val CHOOSE, CHECK, PLACE, SEND, GIVE, DROP, LOOK = newElement()
  }
  private val state = RegInit(State.CHOOSE)
  private val job = Reg(RingJob())
  private val channel = Reg(UInt(1 bits)) init 0
  private val waiting = B(unasked.map(_ =/= 0))
  private val line = Reg(UInt(2 bits))
  private val on = io.on(job.queue)

  // The view is for the cycle of a pointer's move that ring's.
  io.view.queue := moves ? move.queue | job.queue
  io.view.advance := moves
  // A ring has 2^12 slots at most, and so far apart are its pointers.
  private val used = io.view.producer(12 downto 0) - io.view.consumer(12 downto 0)
  private val slots = U(1, 13 bits) |<< io.view.log2
  private val ahead = CountOne(onWay.asBools.zip(moving).map { case (o, m) => o && m.queue === job.queue })
  private val ringFull = used + ahead.resized >= slots
  private val checks = state === State.CHECK && !moves
  private val pause = Reg(UInt(log2Up(pace) bits)) init 0
  when(pause =/= 0)(pause := pause - 1)
  when(passed.valid)(pause := pace - 1)
  private val early = pause =/= 0 && (used << 2) >= slots
  io.full := checks && on && ringFull

  // A look takes two cycles and more.
  private val looks = Vec.fill(Vc.count)(Reg(UInt(log2Up(patience / 2 + 1) bits)) init 0)
  private val lapsed = Reg(Bits(8 bits)) init 0
  when(checks && used <= (slots >> 1))(lapsed(job.queue) := False)

  // What is told is without the message that comes.
  io.level.valid := moves || checks || state === State.LOOK
  io.level.queue := io.view.queue
  io.level.source := moves ? move.source | job.source
  io.level.unread := used.resized
  io.level.log2 := io.view.log2
  io.level.came := moves

  // Whoever switches a ring off may move its base anywhere: from then on no line of it is asked for.
  private val lines = StreamFifo(RingLine(placeWidth), 4, latency = 1)
  private val still = !onWay.orR && !lines.io.pop.valid
  private val position = Reg(UInt(12 bits))
  private val address = Reg(UInt(32 bits))
  private val lastLine = line.mux(
    0 -> (job.payloadWords <= 7 && job.lines === 0), 1 -> (job.lines === 0), 2 -> (job.lines === 1), 3 -> True)
  io.command.valid := state === State.SEND && on
  io.command.line(BusOp.WRITE_BACK(), address)
  io.lost.valid := state === State.GIVE && still
  io.lost.payload := job.queue
  io.dropped := state === State.DROP && still
  passed.valid := io.command.fire && lastLine || io.lost.valid || io.dropped
  passed.payload := channel
  freed.valid := moves || io.lost.valid || io.dropped
  freed.payload := moves ? move.channel | channel
  switch(state) {
    is(State.CHOOSE) {
      // The other channel first when it has something: a full ring of one must not hold the other.
      val other = ~channel
      val next = waiting(other) ? other | channel
      when(waiting.orR && !onWay(youngest)) {
        channel := next
        job := jobs.readAsync(next @@ askBuffer(next))
        state := State.CHECK
      } elsewhen (io.marked && still) {
        job.queue := job.queue + 1
        state := State.LOOK
      }
    }
    is(State.CHECK) {
      line := 0
      position := io.view.producer(11 downto 0) + ahead.resized
      when(!on) {
        state := State.DROP
      } elsewhen (!moves) {
        looks(channel) := looks(0).getZero
        state := State.PLACE
        when(ringFull) {
          looks(channel) := looks(channel) + 1
          state := (looks(channel) === patience / 2 || lapsed(job.queue)) ? State.GIVE | State.CHOOSE
        } elsewhen (early) {
          state := State.CHOOSE
        }
      }
    }
    is(State.PLACE) {
      address := io.view.line(line(1) ? io.view.tagBase | io.view.base, position, second = line(0))
      when(!moves) {
        state := State.SEND
      }
    }
    is(State.SEND) {
      when(!on) {
        state := State.DROP
      } elsewhen (io.command.ready) {
        line := line + 1
        address := address + 64
        when(!line(1) && (line(0) || job.payloadWords <= 7)) {
          line := 2
          state := State.PLACE
        }
        when(lastLine) {
          moving(youngest).queue := job.queue
          moving(youngest).source := job.source
          moving(youngest).channel := channel
          onWay(youngest) := True
          youngest := youngest + 1
          state := State.CHOOSE
        }
      }
    }
    is(State.GIVE) {
      when(still) {
        lapsed(job.queue) := True
        looks(channel) := looks(0).getZero
        state := State.CHOOSE
      }
    }
    is(State.DROP) {
      // The lines that it was asked for before end; none was the last.
      when(still)(state := State.CHOOSE)
    }
    is(State.LOOK) {
      state := State.CHOOSE
    }
  }
  when(moves) {
    onWay(eldest) := False
    eldest := eldest + 1
  }

  // Beats: the next is read while the bus takes this one --------------------------------------------------------------------------
  private val given = lines.io.pop.payload
  private val index = Reg(UInt(2 bits)) init 0
  lines.io.push.valid := io.command.fire
  lines.io.push.buffer := channel @@ askBuffer(channel)
  lines.io.push.line := line
  lines.io.push.last := lastLine
  assert(!lines.io.push.valid || lines.io.push.ready, "ring receive: more lines on their way than it keeps count of", FAILURE)
  private val asked = Stream(UInt(2 bits))
  asked.valid := lines.io.pop.valid
  asked.payload := index
  lines.io.pop.ready := asked.ready && index === 3
  when(asked.fire) {
    index := index + 1
  }
  private val beat = asked.m2sPipe()
  private def late[T <: Data](value: T): T = RegNextWhen(value, asked.fire)
  private val of = jobs.readAsync(given.buffer)
  private val header = late(of.word ## B(0, 1 bits) ## of.tag ## of.lines ## of.high ## of.length ## B(0, 7 bits) ## of.source)
  private val headed = late(given.line === 0 && index === 0)
  private val ends = late(given.last && index === 3)
  private val words = for ((lane, i) <- lanes.zipWithIndex) yield {
    val read = lane.readSync(given.buffer @@ given.line @@ index, asked.fire)
    val at = given.line(0).asUInt @@ index @@ U(i, 1 bits)
    val filled = late(given.line(1) || at <= of.payloadWords) ? read | B(0, 64 bits)
    if (i == 0) headed ? header | filled else filled
  }
  io.beat << beat.translateWith(words(1) ## words(0))
  written := io.beat.fire && ends
}

object RingReceive {
  /** A channel's. */
  val buffers = 4
}

/** A message whose lines are on their way into the ring of `queue`. */
case class RingMove() extends Bundle {
  val queue = UInt(3 bits)
  val source = UInt(9 bits)
  val channel = UInt(1 bits)
}

/** A line of the message in `buffer`; `last` of it. */
case class RingLine(placeWidth: Int) extends Bundle {
  val buffer = UInt(placeWidth + 1 bits)
  val line = UInt(2 bits)
  val last = Bool()
}
