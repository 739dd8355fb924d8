package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.contract.FirstOf
import turnstile.network.PacketKind

/** Basic messages out of their rings in DRAM (VY-17, VY-19, VY-28).
  *
  * Four messages on their way, queues in turn, each with a place: a buffer for 32 words. Lines are asked for in the order of the messages, as fast
  * as the bus client takes them: the first line of a slot, and when its header has come, three cycles later, the second if header and payload
  * pass 64 bytes and the tag-on lines at `tagonOffset[15:6]` lines from the queue's tag-on base; then the next message. A message is sent while those behind it
  * are fetched, and given to the transmit engine in the cycle after the last body flit of the one before it. TX_SENT moves when the last
  * body flit has left the buffer: from there on a sender may overwrite slot and lines. A malformed slot (length over 88,
  * 3 lines, lines without a base or past its 64 KB) or one at an address that nobody answers is not sent (`fault`, or `failed`) and
  * passed over in its turn.
  */
class RingSend extends Component {
  val io = new Bundle {
    val pending = in(Bits(8 bits))
    val checked = master(Flow(UInt(3 bits)))
    val view = master(RingView())

    /** Lines, and in their order their beats; `spoiled`: nobody answered. */
    val command = master(Stream(ClientOp()))
    val beat = slave(Flow(Fragment(Bits(128 bits))))
    val spoiled = in(Bool())
    val port = master(TxPort())
    val fault = master(Flow(TxFault()))

    /** A message of this queue has a line that could not be read. */
    val failed = master(Flow(UInt(3 bits)))
  }

  private object Ask extends SpinalEnum {
    val CHOOSE, CHECK, LINE, HEADER = newElement()
  }
  private val asker = RegInit(Ask.CHOOSE)
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), RingSend.places * 16).addAttribute("no_rw_check").addAttribute("ram_style", "block"))

  // Places: from the first line asked for to the move of the pointer, in that order ---------------------------------------------
  private val taken = Reg(Bits(RingSend.places bits)) init 0
  private val queues = Vec.fill(RingSend.places)(Reg(UInt(3 bits)))
  private val newest, landing, oldest = Reg(UInt(log2Up(RingSend.places) bits)) init 0

  // The oldest's pointer moves; it does the cycle after, as whose ring is looked up is a register.
  private val moved = Bool()
  private val moves = RegNext(moved) init False
  when(moves) {
    taken(oldest) := False
    oldest := oldest + 1
  }

  // Asked ---------------------------------------------------------------------------------------------------------------------
  private val queue = Reg(UInt(3 bits)) init 0
  private val after = Reg(Bits(8 bits)) init 0
  private val line = Reg(UInt(2 bits))
  private val header = Reg(SlotHeader())
  private val headed = Reg(Bool())
  private val address, tagBase = Reg(UInt(26 bits))
  private val tagOn = Reg(Bool())
  private val looked = CombInit(queue)
  io.view.queue := RegNext(moved ? queues(oldest) | looked) init 0
  io.view.advance := moves
  // A ring has 2^12 slots at most, and so far apart are its pointers.
  private val ahead = CountOne(taken.asBools.zip(queues).map { case (t, q) => t && q === queue })
  private val next = io.view.consumer(12 downto 0) + ahead.resized
  io.checked.valid := asker === Ask.CHECK && !moves && io.view.producer(12 downto 0) === next
  io.checked.payload := queue
  io.command.valid := asker === Ask.LINE
  io.command.line(BusOp.READ(), address @@ U(0, 6 bits))

  private val second = header.payloadWords > 7
  private val malformed = header.length > 88 || header.lines === 3 || (header.lines =/= 0 && !tagOn) || (header.lines === 2 && header.tagLine.andR)
  private val lastLine = line.mux(0 -> False, 1 -> (header.lines === 0), 2 -> (header.lines === 1), 3 -> True)
  /** Of the message whose lines come: it has but one, and is refused. */
  private val single, refused = Reg(Bool())

  private def ask(at: UInt): Unit = {
    line := at
    address := (at === 2) ? (tagBase + header.tagLine) | (address + 1)
    asker := Ask.LINE
  }
  private val turn = FirstOf(io.pending, after)
  switch(asker) {
    is(Ask.CHOOSE) {
      line := 0
      when(io.pending.orR && !taken(newest)) {
        looked := OHToUInt(turn)
        queue := looked
        after := FirstOf.above(turn)
        asker := Ask.CHECK
      }
    }
    is(Ask.CHECK) {
      address := io.view.line(io.view.base, next, second = False) >> 6
      tagBase := io.view.tagBase >> 6
      tagOn := io.view.tagOn
      // The view is the sender's for the cycle in which its pointer moves.
      when(!moves) {
        asker := (io.checked.valid || !io.view.on) ? Ask.CHOOSE | Ask.LINE
      }
    }
    is(Ask.LINE) {
      when(io.command.ready) {
        when(line === 0) {
          taken(newest) := True
          queues(newest) := queue
          newest := newest + 1
          headed := False
          asker := Ask.HEADER
        } elsewhen (lastLine) {
          asker := Ask.CHOOSE
        } otherwise {
          ask((line === 1) ? U(2, 2 bits) | U(3, 2 bits))
        }
      }
    }
    is(Ask.HEADER) {
      when(headed) {
        refused := malformed
        single := malformed || (!second && header.lines === 0)
        asker := Ask.CHOOSE
        when(!malformed && (second || header.lines =/= 0)) {
          ask(second ? U(1, 2 bits) | U(2, 2 bits))
        }
      }
    }
  }

  // Landing -------------------------------------------------------------------------------------------------------------------
  private val lines = StreamFifo(TupleBundle(UInt(2 bits), Bool()), 4, latency = 1)
  private val landed = StreamFifo(FetchedMessage(), RingSend.places, latency = 1)
  private val (ofLine, ofLast) = (lines.io.pop._1, lines.io.pop._2)
  private val index = Reg(UInt(2 bits)) init 0
  private val ends = io.beat.valid && io.beat.last
  lines.io.push.valid := io.command.fire
  lines.io.push.payload := TupleBundle(line, lastLine)
  lines.io.pop.ready := ends
  assert(Seq(lines, landed).map(f => !f.io.push.valid || f.io.push.ready).andR, "ring send: more lines on their way than it keeps count of", FAILURE)
  assert(!ends || lines.io.pop.valid, "ring send: a line that nobody asked for", FAILURE)
  when(io.beat.valid) {
    index := index + 1
  }
  for ((lane, i) <- lanes.zipWithIndex) {
    lane.write(landing @@ ofLine @@ index, io.beat.fragment(64 * i, 64 bits), io.beat.valid)
  }
  when(io.beat.valid && ofLine === 0 && index === 0) {
    header.assignFromBits(io.beat.fragment(63 downto 0))
    headed := True
  }

  private val spoiled = RegInit(False)
  private val failed = spoiled || io.spoiled
  private val lands = ends && ((ofLine === 0) ? single | ofLast)
  when(ends) {
    spoiled := failed && !lands
  }
  assert(!lands || taken(landing), "ring send: a message landed that has no place", FAILURE)
  when(lands) {
    landing := landing + 1
  }
  landed.io.push.valid := lands
  landed.io.push.payload.header := header
  landed.io.push.payload.bad := failed || refused
  io.failed.valid := lands && failed
  io.failed.payload := queues(landing)
  io.fault.valid := lands && refused && !failed
  io.fault.payload.queue := U(1, 1 bits) @@ queues(landing)
  io.fault.dest := header.dest
  io.fault.tag := header.tag
  io.fault.high := header.high
  io.fault.malformed := True
  io.fault.word := header.word

  // Sent: one is given while the words of the one before it leave --------------------------------------------------------------------
  private val job = io.port.job
  private val body = io.port.body
  private val offered = Reg(FetchedMessage())
  private val offeredQueue = Reg(UInt(3 bits))
  private val offers, leaves = RegInit(False)
  private val place = Reg(UInt(log2Up(RingSend.places) bits)) init U(RingSend.places - 1)
  private val wordAt, unread = Reg(UInt(5 bits)) init 0
  private val left = Reg(UInt(5 bits)) init 0
  private val sent = offered.header
  job.valid := offers && !offered.bad && left === 0 && !(leaves && moves)
  job.payload.queue := U(1, 1 bits) @@ offeredQueue
  job.dest := sent.dest
  job.tag := sent.tag
  job.high := sent.high
  job.word := sent.word
  job.kind := PacketKind.BASIC
  job.body := sent.bodyWords
  job.lines := sent.lines
  job.length := sent.length

  // Words 1 to payloadWords, then 16 and up; the first is in the body's register when the packet's header has passed.
  private val word = Stream(UInt(5 bits))
  word.valid := unread =/= 0
  word.payload := wordAt
  private val read = word.m2sPipe()
  private val halves = lanes.map(_.readSync(place @@ word.payload(4 downto 1), word.fire))
  body << read.translateWith(read.payload(0) ? halves(1) | halves(0)).m2sPipe()
  when(word.fire) {
    unread := unread - 1
    wordAt := (wordAt === sent.payloadWords) ? U(16, 5 bits) | (wordAt + 1)
  }
  when(body.fire) {
    left := left - 1
  }

  moved := !moves && Mux(leaves, left === 0, offers && offered.bad)
  when(moved) {
    leaves := False
    when(!leaves)(offers := False)
  }
  when(job.fire) {
    offers := False
    leaves := True
    left := sent.bodyWords
  }
  landed.io.pop.ready := !offers && unread === 0
  when(landed.io.pop.fire) {
    val comes = landed.io.pop.payload.header
    offers := True
    offered := landed.io.pop.payload
    place := place + 1
    offeredQueue := queues(place + 1)
    wordAt := (comes.payloadWords === 0) ? U(16, 5 bits) | U(1, 5 bits)
    unread := landed.io.pop.payload.bad ? U(0, 5 bits) | comes.bodyWords
  }
}

object RingSend {
  val places = 4
}

/** A message whose lines are all in its place; `bad`: it is not sent. */
case class FetchedMessage() extends Bundle {
  val header = SlotHeader()
  val bad = Bool()
}

/** First word of a slot (contract §4). */
case class SlotHeader() extends Bundle {
  val dest = UInt(9 bits)
  val unused = Bits(7 bits)
  val length = UInt(7 bits)
  val high = Bool()
  val lines = UInt(2 bits)
  val tag = Bits(5 bits)
  val spare = Bits(1 bits)
  val word = Bits(32 bits)

  /** First tag-on line. */
  def tagLine: UInt = word(15 downto 6).asUInt
  def payloadWords: UInt = (length +^ 7)(7 downto 3)

  /** Flits of its packet between header and tail. */
  def bodyWords: UInt = (payloadWords + (lines @@ U(0, 3 bits))).resized
}
