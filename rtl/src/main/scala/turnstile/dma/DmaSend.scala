package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.message.{TxFault, TxPort}
import turnstile.network.PacketKind

/** Beats of lines into packets, and packets out (VY-21): lines and parts come in the same order.
  *
  * A packet is offered when its body lies here whole, so its channel never waits for memory. From the first beat of its lines to the offer 4 cycles
  * and one for each flit; packets follow each other without a gap while bodies are here. The transmit engine tells two cycles
  * after it took a packet that its name does not translate: what is left of that transfer is then thrown away here (`spoiled`), and it
  * ends. An end is not sent without its name, either.
  */
class DmaSend extends Component {
  val io = new Bundle {
    val beats = slave(Flow(Bits(128 bits)))

    /** A line more has room: besides `asked` lines on their way. */
    val room = out(Bool())
    val asked = in(Bool())
    val parts = slave(Stream(DmaPart()))
    val port = master(TxPort())

    /** The packet offered two cycles before was not sent. */
    val unnamed = in(Bool())
    val spoiled = out(Bits(8 * Dma.entries bits))
    val awaited = master(Flow(DmaId()))
    val ended = master(Stream(DmaEnd()))
  }
  private val lines = 16
  private val beats = StreamFifo(Bits(128 bits), 4 * lines)
  beats.io.push.valid := io.beats.valid
  beats.io.push.payload := io.beats.payload
  assert(!io.beats.valid || beats.io.push.ready, "DMA: a beat without room", FAILURE)
  // What is asked for has its room, whether it has come or not.
  private val taken = Reg(UInt(log2Up(4 * lines + 1) bits)) init 0
  taken := taken + (io.asked ? U(4, 7 bits) | U(0, 7 bits)) - U(beats.io.pop.fire)
  io.room := RegNext(taken <= 4 * lines - 8) init False

  private val align = new DmaAlign
  align.io.part << io.parts.queue(4)
  StreamWidthAdapter(beats.io.pop, align.io.words)
  private val flits = align.io.flits.queue(128)
  private val made = align.io.made.queue(4)

  private object State extends SpinalEnum {
    val OFFER, DRAW, WAIT, END = newElement()
  }
  private val state = RegInit(State.OFFER)
  private val spoiled = Reg(Bits(8 * Dma.entries bits)) init 0
  io.spoiled := spoiled
  private val part = made.payload
  private val at = part.id.queue @@ part.id.entry
  private val last = part.target(5 downto 0) +^ part.bytes - 1
  private val body = part.end ? U(1, 5 bits) | ((last >> 3) + 1).resized
  private val drops = spoiled(at) || (part.end && part.status === DmaStatus.length)
  private val left = Reg(UInt(5 bits)) init 0
  private val waits = Reg(UInt(2 bits))

  private val mark = DmaMark()
  mark.entry := part.id.entry
  mark.lastByte := last(2 downto 0)
  mark.sequence := part.sequence
  mark.first := part.first
  private val job = io.port.job
  job.valid := state === State.OFFER && made.valid && !drops
  job.payload.queue := U(1, 1 bits) @@ part.id.queue
  job.dest := part.dest
  job.tag := mark.tag
  job.length := mark.length
  job.high := part.end
  job.word := part.target.asBits
  job.kind := PacketKind.DMA
  job.body := body
  job.lines := 0

  io.port.body.valid := state === State.DRAW && (part.end || flits.valid)
  io.port.body.payload := part.end ? (part.status.asBits.resize(32) ## part.cookie) | flits.payload
  flits.ready := (state === State.DRAW && !part.end && io.port.body.ready) || state === State.WAIT
  io.awaited.valid := job.fire && part.end
  io.awaited.payload := part.id
  io.ended.valid := state === State.END
  io.ended.id := part.id
  io.ended.status := spoiled(at) ? DmaStatus(DmaStatus.name) | part.status
  made.ready := False
  switch(state) {
    is(State.OFFER) {
      left := body
      waits := 0
      when(made.valid && drops)(state := part.end ? State.END | State.WAIT)
      when(job.fire)(state := State.DRAW)
    }
    is(State.DRAW) {
      when(!waits.andR)(waits := waits + 1)
      when(io.port.body.fire)(left := left - 1)
      // The row is judged before the packet is over: its body is drained.
      when(left === U(io.port.body.fire) && waits >= 1) {
        state := State.OFFER
        made.ready := True
        when(part.end && (spoiled(at) || io.unnamed && waits === 1)) {
          made.ready := False
          state := State.END
        }
      }
      when(waits === 1 && io.unnamed)(spoiled(at) := True)
    }
    is(State.WAIT) {
      when(flits.fire)(left := left - 1)
      when(flits.fire && left === 1) {
        made.ready := True
        state := State.OFFER
      }
    }
    is(State.END) {
      when(io.ended.ready) {
        made.ready := True
        spoiled(at) := False
        state := State.OFFER
      }
    }
  }
}
