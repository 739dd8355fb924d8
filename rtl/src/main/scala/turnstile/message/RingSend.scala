package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClientOp}
import turnstile.network.PacketKind

/** Basic messages out of their rings in DRAM (VY-17, VY-19, VY-28).
  *
  * One message at a time, queues in turn: first line of the slot; its second when header and payload pass 64 bytes; tag-on
  * lines at `tagonOffset[15:6]` lines from the queue's tag-on base. Then the job goes to TxU, and TX_SENT moves when the last
  * body flit has left the buffer: from there on a sender may overwrite slot and lines. A malformed slot (length over 88, 3 lines,
  * lines without a base or past its 64 KB) or one at an address that nobody answers is not sent: `fault`, or `failed`.
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

  private object State extends SpinalEnum {
    val CHOOSE, CHECK, FETCH, WAIT, LAUNCH, DRAIN, NEXT = newElement()
  }
  private val state = RegInit(State.CHOOSE)
  private val queue = Reg(UInt(3 bits)) init 0
  private val after = Reg(Bits(8 bits)) init 0
  private val line = Reg(UInt(2 bits))

  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), 16))
  private val header = Reg(Bits(64 bits))
  private val fetches = io.beat.valid && state === State.WAIT
  private val index = Reg(UInt(2 bits)) init 0
  when(fetches) {
    index := index + 1
  }
  for ((lane, i) <- lanes.zipWithIndex) {
    lane.write(line @@ index, io.beat.fragment(64 * i, 64 bits), fetches)
  }
  when(fetches && line === 0 && index === 0) {
    header := io.beat.fragment(63 downto 0)
  }

  private val dest = header(8 downto 0).asUInt
  private val length = header(22 downto 16).asUInt
  private val lines = header(25 downto 24).asUInt
  private val offset = header(47 downto 38).asUInt @@ U(0, 6 bits)
  private val rounded = length +^ 7
  private val payloadWords = rounded(7 downto 3)
  private val malformed = length > 88 || lines === 3 || (lines =/= 0 && !io.view.tagOn) ||
    (lines === 2 && header(47 downto 38).andR)

  io.view.queue := queue
  io.view.advance := state === State.NEXT
  io.checked.valid := False
  io.checked.payload := queue

  io.command.valid := state === State.FETCH && io.view.on
  io.command.line(BusOp.READ(), line(1) ?
    (io.view.tagBase + offset + (line(0) ? U(64, 32 bits) | U(0, 32 bits))) |
    (io.view.slot(io.view.base, io.view.consumer) | (line(0) ? U(64, 32 bits) | U(0, 32 bits))))

  private val job = io.port.job
  private val body = io.port.body
  job.valid := state === State.LAUNCH
  job.payload.queue := U(1, 1 bits) @@ queue
  job.dest := dest
  job.tag := header(30 downto 26)
  job.high := header(23)
  job.word := header(63 downto 32)
  job.kind := PacketKind.BASIC
  job.body := (payloadWords + (lines @@ U(0, 3 bits))).resized
  job.lines := lines
  job.length := length

  io.fault.valid := False
  io.fault.payload.queue := job.payload.queue
  io.fault.dest := dest
  io.fault.tag := header(30 downto 26)
  io.fault.high := header(23)
  io.fault.malformed := True
  io.fault.word := header(63 downto 32)

  // Words 1 to payloadWords, then 16 and up.
  private val word = Reg(UInt(5 bits))
  private val left = Reg(UInt(5 bits))
  private val halves = lanes.map(_.readAsync(word(4 downto 1)))
  body.valid := state === State.DRAIN && left =/= 0
  body.payload := word(0) ? halves(1) | halves(0)

  private val turn = OHMasking.first((io.pending & after).orR ? (io.pending & after) | io.pending)
  switch(state) {
    is(State.CHOOSE) {
      line := 0
      when(io.pending.orR) {
        queue := OHToUInt(turn)
        after := ~(turn | (turn.asUInt - 1).asBits)
        state := State.CHECK
      }
    }
    is(State.CHECK) {
      state := State.FETCH
      when(io.view.producer === io.view.consumer) {
        io.checked.valid := True
        state := State.CHOOSE
      }
    }
    is(State.FETCH) {
      when(!io.view.on) {
        state := State.NEXT
      } elsewhen (io.command.ready) {
        state := State.WAIT
      }
    }
    is(State.WAIT) {
      when(io.done) {
        val slotDone = !line(1) && (line(0) || payloadWords <= 7)
        val tagsDone = line(1) && (line(0) || lines === 1)
        state := State.FETCH
        line := slotDone ? U(2, 2 bits) | (line + 1)
        when((slotDone && lines === 0) || tagsDone) {
          state := State.LAUNCH
        }
        when(io.failed) {
          state := State.NEXT
        } elsewhen (malformed) {
          io.fault.valid := True
          state := State.NEXT
        }
      }
    }
    is(State.LAUNCH) {
      word := (payloadWords === 0) ? U(16, 5 bits) | U(1, 5 bits)
      left := job.body
      when(job.ready) {
        state := State.DRAIN
      }
    }
    is(State.DRAIN) {
      when(body.fire) {
        left := left - 1
        word := (word === payloadWords) ? U(16, 5 bits) | (word + 1)
      }
      when(left === 0) {
        state := State.NEXT
      }
    }
    is(State.NEXT) {
      state := State.CHOOSE
    }
  }
}
