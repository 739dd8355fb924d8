package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.translation.{Found, Look, Use}

/** Packets of transfers into memory, and the words that tell of ends (VY-21).
  *
  * A line that a packet covers is one WRITE_BACK, which ends all caches' copies; of another line the bytes that it has, 16 B at a time, are a
  * WRITE_PARTIAL. A packet's first op is on the bus 8 cycles after its tail was on the link, then one in 4 cycles, or as the bus takes them. No one is waited for whom a user could stop:
  * addresses are judged here, a page that is not at hand is looked up in DRAM, and memory outside the heap has no sP that may say wait.
  *
  * What a transfer is at is kept for each of the 512 sources, whose transfers come one after the other: a packet missing, an address that is
  * not open. At its end the flag is written, behind all lines in the order of the bus's verdicts. When that is judged the sender is answered, on
  * channel high: for which the engine waits, but for nothing else of the network.
  */
class DmaReceive extends Component {
  val io = new Bundle {
    val packets = slave(Stream(DmaPacket()))
    val read = master(Flow(UInt(6 bits)))
    val beat = in(Bits(128 bits))
    val frees = out(Bool())

    /** A word of a transfer that is over at its sender; taken when it is written, or has no address that is legal. */
    val done = slave(Stream(DmaWord()))
    val look = master(Look())

    /** Lines found, that are not all written yet. */
    val holds = out(Bool())
    val ops = master(Stream(ClientOp()))
    val write = master(Stream(Bits(128 bits)))

    /** No op is without its verdict. */
    val judged = in(Bool())
    val answer = master(Stream(DmaAnswer()))
    val foreign = out(Bool())
  }
  private object State extends SpinalEnum {
    val CHOOSE, CONTEXT, LOOK, WALK, WRITE, WORD, FREE, SETTLE, ANSWER = newElement()
  }
  private val state = RegInit(State.CHOOSE)
  private val packet = Reg(DmaPacket())

  /** It is a word of this site's own transfer, no packet. */
  private val telling = Reg(Bool())
  private val address = Reg(UInt(32 bits))
  private val lineCount, asked, answered = Reg(UInt(3 bits))
  private val found = Vec.fill(4)(Reg(UInt(26 bits)))
  private val legal = Reg(Bits(4 bits))
  private val line, quarter = Reg(UInt(2 bits))
  private val status = Reg(UInt(3 bits))
  private val later = RegInit(False)

  /** The next packet of a source's transfer, and what became of those before. */
  private case class Context() extends Bundle {
    val next = UInt(6 bits)
    val status = UInt(3 bits)
  }
  private val contexts = Mem(Context(), 512)
  private val context = contexts.readSync(io.packets.source)

  // Bytes that the packet has of its three lines, of the line at hand and its quarter
  private val firstByte = packet.target(5 downto 0)
  private val lastByte = (packet.flits - 1) @@ packet.mark.lastByte
  private val lastLine = lastByte(7 downto 6)
  private val whole = (line =/= 0 || firstByte === 0) && (line =/= lastLine || lastByte(5 downto 0).andR)
  private val bytes = B((0 until 16).map { lane =>
    val at = line @@ quarter @@ U(lane, 4 bits)
    at >= firstByte && at <= lastByte
  })

  io.look.request.valid := state === State.LOOK && asked =/= lineCount
  io.look.request.payload.queue := packet.queue
  io.look.request.use := telling ? Use.TOLD | Use.OPEN
  io.look.request.line := (address >> 6) + asked

  // Beats go out in the order of their ops.
  private case class Beat() extends Bundle {
    val staged, frees = Bool()
    val at = UInt(6 bits)
    val word = Bits(64 bits)
  }
  private val beats = Stream(Beat())
  private val queued = beats.queue(16)
  private val beat = queued.m2sPipe()
  io.read.valid := queued.fire
  io.read.payload := queued.at
  io.write << beat.throwWhen(beat.frees).translateWith(beat.staged ? io.beat | (beat.word ## beat.word))
  io.frees := beat.fire && beat.frees

  io.holds := state === State.LOOK || state === State.WRITE || state === State.WORD
  private val writes = state === State.WRITE && legal(line)
  private val words = state === State.WORD && legal(0)
  private val begins = words || (writes && (whole ? (quarter === 0) | bytes.orR))
  private val brings = words || (writes && (whole || bytes.orR))
  private val moves = (!brings || beats.ready) && (!begins || io.ops.ready)
  io.ops.valid := begins && beats.ready
  io.ops.op := (writes && whole) ? BusOp.WRITE_BACK() | BusOp.WRITE_PARTIAL()
  io.ops.address := found(line) @@ (words ? address(5 downto 3) | ((whole ? U(0, 2 bits) | quarter) @@ U(0, 1 bits))) @@ U(0, 3 bits)
  io.ops.mask := words ? (address(3) ? B(0xff00, 16 bits) | B(0x00ff, 16 bits)) | bytes
  beats.valid := (brings && moves) || state === State.FREE
  beats.staged := writes
  beats.frees := state === State.FREE
  beats.at := packet.place @@ line @@ quarter
  beats.word := packet.word(31 downto 0) ## (telling ? packet.word(63 downto 32) | status.asBits.resize(32))

  io.packets.ready := state === State.CONTEXT
  io.done.ready := state === State.WORD && telling && moves
  io.answer.valid := state === State.ANSWER
  io.answer.dest := packet.source
  io.answer.entry := packet.mark.entry
  io.answer.status := status
  io.foreign := io.answer.fire && (status === DmaStatus.target || status === DmaStatus.lost)
  // Behind an end nothing but a first packet is right.
  private val kept = Context()
  kept.next := packet.mark.sequence + 1
  kept.status := packet.end ? DmaStatus(DmaStatus.lost) | status
  contexts.write(packet.source, kept, state === State.FREE)

  switch(state) {
    is(State.CHOOSE) {
      packet := io.packets.payload
      telling := !io.packets.valid
      address := io.packets.target
      lineCount := 1
      asked := 0
      answered := 0
      later := False
      line := 0
      quarter := 0
      legal := 0
      when(io.packets.valid) {
        state := State.CONTEXT
      } elsewhen (io.done.valid) {
        packet.queue := io.done.payload.queue
        packet.word := io.done.data
        address := io.done.address
        state := (io.done.address(31 downto 3) === 0) ? State.WORD | State.LOOK
      }
    }
    is(State.CONTEXT) {
      val goesOn = context.status === DmaStatus.done || context.status === DmaStatus.target
      val before = packet.mark.first ? DmaStatus(DmaStatus.done) | (goesOn ? context.status | DmaStatus(DmaStatus.lost))
      status := (before === DmaStatus.done && packet.end) ? packet.word(34 downto 32).asUInt | before
      when(packet.mark.sequence =/= (packet.mark.first ? U(0, 6 bits) | context.next))(status := DmaStatus.lost)
      when(!packet.known)(status := DmaStatus.target)
      state := State.LOOK
      when(!packet.end)(lineCount := lastLine +^ 1)
      when(packet.end && address(31 downto 3) === 0)(state := State.WORD)
      when(!packet.known)(state := State.FREE)
    }
    is(State.LOOK) {
      when(io.look.request.fire)(asked := asked + 1)
      when(io.look.answer.valid) {
        answered := answered + 1
        found(answered(1 downto 0)) := io.look.answer.line
        val may = io.look.answer.found === Found.LEGAL
        val waits = later || io.look.answer.found === Found.LATER
        later := waits
        legal(answered(1 downto 0)) := may
        when(!may && io.look.answer.found =/= Found.LATER && !telling)(status := DmaStatus.target)
        when(answered + 1 === lineCount) {
          state := (telling || packet.end) ? State.WORD | State.WRITE
          when(waits)(state := State.WALK)
        }
      }
    }
    is(State.WALK) {
      asked := 0
      answered := 0
      later := False
      when(!io.look.pending)(state := State.LOOK)
    }
    is(State.WRITE) {
      when(moves) {
        quarter := quarter + 1
        when(!legal(line) || quarter === 3) {
          quarter := 0
          line := line + 1
          when(line === lastLine)(state := State.FREE)
        }
      }
    }
    is(State.WORD) {
      when(moves)(state := telling ? State.CHOOSE | State.FREE)
    }
    is(State.FREE) {
      when(beats.ready)(state := packet.end ? State.SETTLE | State.CHOOSE)
    }
    is(State.SETTLE) {
      when(io.judged)(state := State.ANSWER)
    }
    is(State.ANSWER) {
      when(io.answer.ready)(state := State.CHOOSE)
    }
  }
}

/** To the sender of a transfer, by the name under which it came: what became of it. */
case class DmaAnswer() extends Bundle {
  val dest = UInt(9 bits)
  val entry = UInt(log2Up(Dma.entries) bits)
  val status = UInt(3 bits)
}
