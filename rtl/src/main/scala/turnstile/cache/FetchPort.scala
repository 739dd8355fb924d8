package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._
import vexriscv.ip.{InstructionCacheConfig, InstructionCacheMemBus}

/** Instruction lines from the Site Bus: READ, 128 bits a beat. Neither snoops nor heeds `shared`: code is private and not
  * written after it was loaded.
  *
  * Latency: request the cycle after the cache's command; beats pass in their cycle. An error answer fills the line with
  * errors, so that executing it traps. Retries wait as the data cache's do.
  */
class FetchPort(config: InstructionCacheConfig, backOff: Int) extends Component {
  require(config.memDataWidth == 128 && config.bytePerLine == 64,
    s"fetch port: ${config.bytePerLine} B lines of ${config.memDataWidth} bits, legal 64 B of 128 bits")

  val io = new Bundle {
    val mem = slave(InstructionCacheMemBus(config))
    val bus = master(BusMasterPort())
    val index = in UInt (3 bits)
  }

  private object Step extends SpinalEnum {
    val IDLE, REQUEST, ANSWER, FILL, ERROR = newElement()
  }
  private val step = RegInit(Step.IDLE)
  private val address = RegNextWhen(io.mem.cmd.address, io.mem.cmd.fire)
  private val pause = Reg(UInt(5 bits)) init 0
  private val woken = Reg(Bool())
  private val count = Reg(UInt(2 bits))

  io.mem.cmd.ready := step === Step.IDLE
  io.mem.rsp.valid := io.bus.read.valid || step === Step.ERROR
  io.mem.rsp.data := io.bus.read.fragment
  io.mem.rsp.error := step === Step.ERROR

  io.bus.request.valid := step === Step.REQUEST && pause === 0
  io.bus.request.op := BusOp.READ
  io.bus.request.address := address
  io.bus.request.mask := 0
  io.bus.request.bypass := False
  io.bus.write.valid := False
  io.bus.write.payload.assignDontCare()

  pause := Mux(pause === 0, pause, pause - 1)
  when(io.bus.wake) {
    pause := 0
    woken := True
  }
  switch(step) {
    is(Step.IDLE) {
      when(io.mem.cmd.valid)(step := Step.REQUEST)
    }
    is(Step.REQUEST) {
      when(io.bus.request.fire) {
        step := Step.ANSWER
        woken := False
      }
    }
    is(Step.ANSWER) {
      count := 0
      when(io.bus.answer.valid) {
        step := Step.FILL
        when(io.bus.answer.error)(step := Step.ERROR)
        when(io.bus.answer.retry) {
          step := Step.REQUEST
          when(!woken && !io.bus.wake)(pause := io.index + U(backOff, 5 bits))
        }
      }
    }
    is(Step.FILL) {
      when(io.bus.read.valid && io.bus.read.last)(step := Step.IDLE)
    }
    is(Step.ERROR) {
      count := count + 1
      when(count === 3)(step := Step.IDLE)
    }
  }
}
