package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.contract.FirstOf
import turnstile.network.PacketKind

/** Basic messages out of their rings in DRAM (VY-17, VY-19, VY-28).
  *
  * Two messages on their way, queues in turn: one is fetched while the one before it is sent, each in a buffer of its own. Fetched are the first
  * line of the slot; its second when header and payload pass 64 bytes; tag-on lines at `tagonOffset[15:6]` lines from the queue's tag-on
  * base. TX_SENT moves when the last body flit has left the buffer: from there on a sender may overwrite slot and lines. A malformed slot (length over 88,
  * 3 lines, lines without a base or past its 64 KB) or one at an address that nobody answers is not sent (`fault`, or `failed`) and
  * passed over in its turn.
  */
class RingSend extends Component {
  val io = new Bundle {
    val pending = in(Bits(8 bits))
    val checked = master(Flow(UInt(3 bits)))
    val view = master(RingView())
    val command = master(Stream(ClientOp()))
    val beat = slave(Flow(Fragment(Bits(128 bits))))
    val done, failed = in(Bool())
    val port = master(TxPort())
    val fault = master(Flow(TxFault()))
  }

  private object Fetch extends SpinalEnum {
    val CHOOSE, CHECK, ASK, WAIT, GIVE = newElement()
  }
  private object Send extends SpinalEnum {
    val IDLE, LAUNCH, DRAIN, SENT = newElement()
  }
  private val fetcher = RegInit(Fetch.CHOOSE)
  private val sender = RegInit(Send.IDLE)
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), 2 * 16).addAttribute("no_rw_check").addAttribute("ram_style", "block"))

  // Fetched: the message after the one that is sent ---------------------------------------------------------------------------
  private val queue = Reg(UInt(3 bits)) init 0
  private val after = Reg(Bits(8 bits)) init 0
  private val buffer = RegInit(False)
  private val line = Reg(UInt(2 bits))
  private val header = Reg(SlotHeader())
  private val fetches = io.beat.valid && fetcher === Fetch.WAIT
  private val index = Reg(UInt(2 bits)) init 0
  when(fetches) {
    index := index + 1
  }
  for ((lane, i) <- lanes.zipWithIndex) {
    lane.write(buffer.asUInt @@ line @@ index, io.beat.fragment(64 * i, 64 bits), fetches)
  }
  when(fetches && line === 0 && index === 0) {
    header.assignFromBits(io.beat.fragment(63 downto 0))
  }

  private val sendQueue = Reg(UInt(3 bits))
  private val free = sender === Send.IDLE || sender === Send.SENT
  private val ahead = sender =/= Send.IDLE && sendQueue === queue
  // The pointer moves the cycle after: whose ring is looked up is a register.
  private val moves = RegNext(sender === Send.SENT) init False
  private val looked = CombInit(queue)
  io.view.queue := RegNext((sender === Send.SENT) ? sendQueue | looked) init 0
  io.view.advance := moves
  // A ring has 2^12 slots at most, and so far apart are its pointers.
  private val next = io.view.consumer(12 downto 0) + ahead.asUInt.resized
  private val address, tagBase = Reg(UInt(26 bits))
  private val tagOn = Reg(Bool())
  private val malformed = header.length > 88 || header.lines === 3 || (header.lines =/= 0 && !tagOn) || (header.lines === 2 && header.tagLine.andR)

  io.checked.valid := fetcher === Fetch.CHECK && !moves && io.view.producer(12 downto 0) === next
  io.checked.payload := queue
  // The view is the sender's for the cycle in which its pointer moves.
  io.command.valid := fetcher === Fetch.ASK && !moves && io.view.on
  io.command.line(BusOp.READ(), address @@ U(0, 6 bits))

  private val finished, spoiled = False
  private val gives = free && (finished || fetcher === Fetch.GIVE)
  private val bad = Reg(Bool())
  io.fault.valid := False
  io.fault.payload.queue := U(1, 1 bits) @@ queue
  io.fault.dest := header.dest
  io.fault.tag := header.tag
  io.fault.high := header.high
  io.fault.malformed := True
  io.fault.word := header.word

  private val turn = FirstOf(io.pending, after)
  switch(fetcher) {
    is(Fetch.CHOOSE) {
      line := 0
      when(io.pending.orR) {
        looked := OHToUInt(turn)
        queue := looked
        after := FirstOf.above(turn)
        fetcher := Fetch.CHECK
      }
    }
    is(Fetch.CHECK) {
      address := io.view.line(io.view.base, next, second = False) >> 6
      tagBase := io.view.tagBase >> 6
      tagOn := io.view.tagOn
      when(!moves) {
        fetcher := io.checked.valid ? Fetch.CHOOSE | Fetch.ASK
      }
    }
    is(Fetch.ASK) {
      when(!moves) {
        when(!io.view.on) {
          bad := True
          fetcher := Fetch.GIVE
        } elsewhen (io.command.ready) {
          fetcher := Fetch.WAIT
        }
      }
    }
    is(Fetch.WAIT) {
      when(io.done) {
        val slotDone = !line(1) && (line(0) || header.payloadWords <= 7)
        val tagsDone = line(1) && (line(0) || header.lines === 1)
        fetcher := Fetch.ASK
        line := slotDone ? U(2, 2 bits) | (line + 1)
        address := (slotDone ? tagBase | address) + (slotDone ? header.tagLine | U(1, 10 bits))
        spoiled := io.failed || malformed
        finished := spoiled || (slotDone && header.lines === 0) || tagsDone
        io.fault.valid := malformed && !io.failed
      }
    }
  }
  when(finished) {
    bad := spoiled
    fetcher := Fetch.GIVE
  }
  when(gives) {
    fetcher := Fetch.CHOOSE
    buffer := !buffer
  }

  // Sent ----------------------------------------------------------------------------------------------------------------
  private val sent = Reg(SlotHeader())
  private val sentBuffer = Reg(Bool())
  private val job = io.port.job
  private val body = io.port.body
  job.valid := sender === Send.LAUNCH
  job.payload.queue := U(1, 1 bits) @@ sendQueue
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
  private val wordAt = Reg(UInt(5 bits))
  private val unread, left = Reg(UInt(5 bits))
  word.valid := sender =/= Send.IDLE && unread =/= 0
  word.payload := wordAt
  private val read = word.m2sPipe()
  private val halves = lanes.map(_.readSync(sentBuffer.asUInt @@ word.payload(4 downto 1), word.fire))
  body << read.translateWith(read.payload(0) ? halves(1) | halves(0)).m2sPipe()
  when(word.fire) {
    unread := unread - 1
    wordAt := (wordAt === sent.payloadWords) ? U(16, 5 bits) | (wordAt + 1)
  }
  when(body.fire) {
    left := left - 1
  }
  switch(sender) {
    is(Send.LAUNCH) {
      when(job.ready) {
        sender := Send.DRAIN
      }
    }
    is(Send.DRAIN) {
      when(left === 0) {
        sender := Send.SENT
      }
    }
    is(Send.SENT) {
      sender := Send.IDLE
    }
  }
  when(gives) {
    sent := header
    sentBuffer := buffer
    sendQueue := queue
    wordAt := (header.payloadWords === 0) ? U(16, 5 bits) | U(1, 5 bits)
    left := header.bodyWords
    unread := (finished ? spoiled | bad) ? U(0, 5 bits) | header.bodyWords
    sender := (finished ? spoiled | bad) ? Send.SENT | Send.LAUNCH
  }
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
