package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._
import vexriscv.ip.{InstructionCacheConfig, InstructionCacheMemBus}

/** Instruction lines from the Site Bus: READ, 128 bits a beat. Neither snoops nor heeds `shared`: code is private and not
  * written after it was loaded.
  *
  * Latency: request the cycle after the cache's command; beats pass in their cycle. An error answer fills the line with
  * errors, so that executing it traps.
  *
  * `halt`: the core is in reset. What is on the bus ends there and goes no further; `idle` says that nothing is left of it.
  */
class FetchPort(config: InstructionCacheConfig, backOff: Int) extends Component {
  require(config.memDataWidth == 128 && config.bytePerLine == 64,
    s"fetch port: ${config.bytePerLine} B lines of ${config.memDataWidth} bits, legal 64 B of 128 bits")

  val io = new Bundle {
    val mem = slave(InstructionCacheMemBus(config))
    val bus = master(BusMasterPort())
    val index = in UInt (3 bits)
    val halt = in Bool ()
    val idle = out Bool ()
  }

  private val client = new BusClient(BusClientParams(bypass = false, backOff = backOff, staged = true))
  client.io.bus.head <> io.bus
  client.io.spread := io.index
  client.io.abandon := io.halt
  client.io.write.setIdle()

  client.io.op.arbitrationFrom(io.mem.cmd.haltWhen(io.halt))
  client.io.op.line(BusOp.READ(), io.mem.cmd.address)
  io.idle := client.io.idle

  private val failed = client.io.done.valid ? client.io.done.payload | RegNextWhen(client.io.done.payload, client.io.done.valid)
  io.mem.rsp.valid := client.io.read.valid && !io.halt
  io.mem.rsp.data := client.io.read.fragment
  // Not of the last beat: VexRiscv's cache would keep it for the line after.
  io.mem.rsp.error := failed && !client.io.read.last
}
