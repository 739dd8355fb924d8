package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.network.Vc

/** Basic packets from the staging buffers into their rings in DRAM (VY-18, VY-19).
  *
  * Two buffers of 32 words for each channel. A packet whose ring is full stays in its buffer for `patience` cycles at least; the other channel goes
  * on. Then it is dropped, and so is what comes for that ring until half of it has been read (`lost`): one who does not read stops
  * nobody but for that while (VY-37). A
  * slot is written as one line, or two when header and payload pass 64 bytes, then its tag-on lines at the same slot of the
  * receive tag-on area; the producer moves when all is taken by the bus. Words that the message does not have are zero: no
  * user reads what another was sent.
  */
class RingReceive(patience: Int = 1024) extends Component {
  val io = new Bundle {
    val port = slave(RxPort())

    /** Rings that are on, and those with a tag-on area. */
    val on, tagOn = in(Bits(Queues.basic.size bits))
    val view = master(RingView())
    val command = master(Stream(ClientOp()))

    /** The beats of each commanded line, from a block RAM. */
    val beat = master(Stream(Bits(128 bits)))
    val done = in(Bool())
    val full = out(Bool())

    /** The ring of this queue stayed full; a packet for it was dropped. */
    val lost = master(Flow(UInt(3 bits)))

    /** How full rings are: of each message that has come, and of all rings in turn while some are `marked` and nothing else is to do. */
    val level = master(Flow(RingLevel()))
    val marked = in(Bool())

    /** A packet was on its way into a ring that is off now. */
    val dropped = out(Bool())
  }

  // A word's address: channel, buffer, word; lanes are the two halves of a beat.
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), Vc.count * 2 * 16).addAttribute("no_rw_check").addAttribute("ram_style", "block"))
  private val writeBuffer = Vec.fill(Vc.count)(RegInit(False))
  private val body = io.port.body
  private val bodyOf = io.port.packet(body.vc)
  // Word 0 is left for the slot's header, 1 to 11 are payload, 16 to 31 tag-on lines.
  private val word = (body.index < bodyOf.payloadWords) ? (body.index + 1) | (body.index - bodyOf.payloadWords + 16)
  for ((lane, i) <- lanes.zipWithIndex) {
    lane.write(
      body.vc @@ writeBuffer(body.vc).asUInt @@ word(4 downto 1),
      body.data,
      body.valid && word(0) === Bool(i == 1)
    )
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

  private val finished = Bool()
  private val channel = Reg(UInt(1 bits)) init 0
  private val jobs = for (vc <- 0 until Vc.count) yield new Area {
    val jobs = Vec.fill(2)(Reg(RingJob()))
    val count = Reg(UInt(2 bits)) init 0
    val readBuffer = RegInit(False)
    val takes = finished && channel === vc
    val comes = end.valid && end.vc === vc
    when(comes) {
      jobs(writeBuffer(vc).asUInt) := ended
      writeBuffer(vc) := !writeBuffer(vc)
    }
    when(takes) {
      readBuffer := !readBuffer
    }
    when(comes =/= takes) {
      count := takes ? (count - 1) | (count + 1)
    }
    val head = jobs(readBuffer.asUInt)
    io.port.ready(vc) := count =/= 2
  }

  private object State extends SpinalEnum {
    val CHOOSE, CHECK, GIVE, SEND, WAIT, LOOK = newElement()
  }
  private val state = RegInit(State.CHOOSE)
  private val job = Reg(RingJob())
  private val buffer = Vec(jobs.map(_.readBuffer))(channel)
  private val waiting = B(jobs.map(_.count =/= 0))
  private val line = Reg(UInt(2 bits))

  io.view.queue := job.queue
  // A ring has 2^12 slots at most, and so far apart are its pointers.
  private val used = io.view.producer(12 downto 0) - io.view.consumer(12 downto 0)
  private val slots = U(1, 13 bits) |<< io.view.log2
  private val ringFull = used >= slots
  io.full := state === State.CHECK && io.view.on && ringFull

  // A look takes two cycles and more.
  private val looks = Vec.fill(Vc.count)(Reg(UInt(log2Up(patience / 2 + 1) bits)) init 0)
  private val lapsed = Reg(Bits(8 bits)) init 0
  private val gives = state === State.GIVE
  when(io.full)(looks(channel) := looks(channel) + 1)
  when(finished)(looks(channel) := looks(0).getZero)
  when(gives)(lapsed(job.queue) := True)
  when(state === State.CHECK && used <= (slots >> 1))(lapsed(job.queue) := False)
  io.view.advance := finished && !gives
  io.lost.valid := gives
  io.lost.payload := job.queue

  // What is told is without the message that comes.
  private val comes = finished && !gives && !io.dropped
  io.level.valid := comes || state === State.CHECK || state === State.LOOK
  io.level.queue := job.queue
  io.level.source := job.source
  io.level.unread := used.resized
  io.level.log2 := io.view.log2
  io.level.came := comes

  // Whoever switches a ring off may move its base anywhere: from then on no line of it is written.
  finished := False
  io.dropped := (state === State.CHECK || state === State.SEND) && !io.view.on
  io.command.valid := state === State.SEND && io.view.on
  // Registered, for the lookup of the ring is long: what a base was in the cycle before, while the ring is on.
  private val lineNext = CombInit(line)
  line := lineNext
  private val address = RegNext(io.view.line(lineNext(1) ? io.view.tagBase | io.view.base, io.view.producer, second = lineNext(0)))
  io.command.line(BusOp.WRITE_BACK(), address)
  // Lines 0 and 1 are the slot, 2 and 3 the tag-on lines.
  private val slotLast = (job.payloadWords > 7).asUInt.resize(2 bits)
  switch(state) {
    is(State.CHOOSE) {
      // The other channel first when it has something: a full ring of one must not hold the other.
      val other = !channel.asBool
      when(waiting.orR) {
        val next = waiting(other.asUInt) ? other.asUInt | channel
        channel := next
        job := Vec(jobs.map(_.head))(next)
        state := State.CHECK
      } elsewhen (io.marked) {
        job.queue := job.queue + 1
        state := State.LOOK
      }
    }
    is(State.CHECK) {
      lineNext := 0
      state := State.SEND
      when(ringFull) {
        state := (looks(channel) === patience / 2 || lapsed(job.queue)) ? State.GIVE | State.CHOOSE
      }
    }
    is(State.LOOK) {
      state := State.CHOOSE
    }
    is(State.SEND) {
      when(io.command.ready) {
        state := State.WAIT
      }
    }
    is(State.WAIT) {
      when(io.done) {
        state := State.SEND
        lineNext := line + 1
        val slotDone = !line(1) && line === slotLast
        val tagsDone = line(1) && (line(0) || job.lines === 1)
        when(slotDone) {
          lineNext := 2
        }
        when((slotDone && job.lines === 0) || tagsDone) {
          finished := True
          state := State.CHOOSE
        }
      }
    }
  }

  when(io.dropped || gives) {
    finished := True
    state := State.CHOOSE
  }

  // The next beat is read while the bus takes this one.
  private val index = Reg(UInt(3 bits)) init 0
  private val asked = Stream(UInt(4 bits))
  asked.valid := (state === State.SEND || state === State.WAIT) && !index.msb
  asked.payload := line @@ index(1 downto 0)
  when(asked.fire) {
    index := index + 1
  }
  when(io.done || io.dropped) {
    index := 0
  }
  private val beat = asked.m2sPipe(flush = io.done || io.dropped)
  private val header = job.word ## B(0, 1 bits) ## job.tag ## job.lines ## job.high ## job.length ## B(0, 7 bits) ## job.source
  private val words = for ((lane, i) <- lanes.zipWithIndex) yield {
    val read = lane.readSync(channel @@ buffer.asUInt @@ asked.payload, asked.fire)
    val at = asked.payload(2 downto 0) @@ U(i, 1 bits)
    val present = RegNextWhen(asked.payload.msb || at <= job.payloadWords, asked.fire)
    val filled = present ? read | B(0, 64 bits)
    if (i == 0) (beat.payload === 0) ? header | filled else filled
  }
  io.beat << beat.translateWith(words(1) ## words(0))
}
