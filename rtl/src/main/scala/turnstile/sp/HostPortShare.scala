package turnstile.sp

import spinal.core._
import spinal.lib._

/** Two hosts at one host port, in turns. Latency: none; a read's answer goes to who asked, in order. */
class HostPortShare extends Component {
  val io = new Bundle {
    val hosts = Vec(slave(HostPort()), 2)
    val sp = master(HostPort())
  }
  private val turns = StreamArbiterFactory().roundRobin.transactionLock.build(HostCommand(), 2)
  for ((input, host) <- turns.io.inputs zip io.hosts) input << host.command
  /** Who asked, of the reads that are not answered. */
  private val asking = StreamFifo(UInt(1 bits), 8)
  private val (command, asks) = StreamFork2(turns.io.output, synchronous = true)
  io.sp.command << command
  asking.io.push << asks.throwWhen(asks.write).translateWith(turns.io.chosen)
  asking.io.pop.ready := io.sp.response.valid
  for ((host, i) <- io.hosts.zipWithIndex) {
    host.response.valid := io.sp.response.valid && asking.io.pop.payload === i
    host.response.payload := io.sp.response.payload
  }
}
