package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusMasterPort, BusOp}

/** A line to read or write. */
case class LineCommand() extends Bundle {
  val write = Bool()
  val address = UInt(32 bits)
}

/** Whole lines over the Site Bus, one at a time (VY-17, VY-18): reads as READ, so that a modified copy in a cache comes by
  * intervention; writes as WRITE_BACK, which takes the line from every cache.
  *
  * From a read command to the request on the bus 1 cycle. A retried op is issued again after 4 cycles, or at `wake`; the bus
  * itself sees to fairness. `done` pulses after the last beat; `failed` with it when nobody answered `address`.
  */
class RingBus extends Component {
  val io = new Bundle {
    val command = slave(Stream(LineCommand()))
    val readBeat = master(Flow(Fragment(Bits(128 bits))))

    /** Those of the line at hand; what a failed command leaves of them is not taken. */
    val writeBeat = slave(Stream(Bits(128 bits)))
    val done, failed = out(Bool())
    val address = out(UInt(32 bits))
    val bus = master(BusMasterPort())
  }

  private object State extends SpinalEnum {
    val IDLE, REQUEST, ANSWER, BACKOFF, DATA = newElement()
  }
  private val state = RegInit(State.IDLE)
  private val command = RegNextWhen(io.command.payload, io.command.fire)
  private val beat = Reg(UInt(2 bits)) init 0
  private val backoff = Reg(UInt(2 bits)) init 0
  private val failed = RegInit(False)
  private val done = RegInit(False)
  done := False
  failed := False

  io.command.ready := state === State.IDLE
  io.bus.request.valid := state === State.REQUEST
  io.bus.request.op := command.write ? BusOp.WRITE_BACK() | BusOp.READ()
  io.bus.request.address := command.address
  io.bus.request.mask.setAll()
  io.bus.request.bypass := False
  io.bus.write.arbitrationFrom(io.writeBeat.continueWhen(state === State.DATA && command.write))
  io.bus.write.last := beat === 3
  io.bus.write.fragment := io.writeBeat.payload
  io.readBeat.valid := io.bus.read.valid
  io.readBeat.payload := io.bus.read.payload

  private val moved = command.write ? io.bus.write.fire | io.bus.read.valid
  when(moved) {
    beat := beat + 1
  }
  switch(state) {
    is(State.IDLE) {
      beat := 0
      when(io.command.valid) {
        state := State.REQUEST
      }
    }
    is(State.REQUEST) {
      when(io.bus.request.ready) {
        state := State.ANSWER
      }
    }
    is(State.ANSWER) {
      when(io.bus.answer.valid) {
        state := State.DATA
        when(io.bus.answer.retry) {
          state := State.BACKOFF
        } elsewhen (io.bus.answer.error) {
          state := State.IDLE
          done := True
          failed := True
        }
      }
    }
    is(State.BACKOFF) {
      backoff := backoff + 1
      when(backoff === 3 || io.bus.wake) {
        backoff := 0
        state := State.REQUEST
      }
    }
    is(State.DATA) {
      when(moved && beat === 3) {
        state := State.IDLE
        done := True
      }
    }
  }
  io.done := done
  io.failed := failed
  io.address := command.address
}
