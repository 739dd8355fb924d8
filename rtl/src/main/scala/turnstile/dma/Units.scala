package turnstile.dma

import spinal.core._
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}
import turnstile.message.{MessageParams, MessageUnit}
import turnstile.network.NetworkParams

object Units extends UnitList {
  private def bus(p: Params) = BusParams(masters = 5 + DmaUnit.masters, caches = 1, memory = p.memory)

  val tops = Seq[(String, Params => Component)](
    "DmaAlign" -> (_ => new DmaAlign),
    "DmaUnit" -> (p => new DmaUnit(bus(p))),
    "MessageUnitWithDma" -> (p => new MessageUnitWithDma(bus(p))))
}

/** For benches: what a site has between rings and link. `io_dma` are the masters and `io_grants` the registers of the one, all others' names are
  * those of the message unit.
  */
class MessageUnitWithDma(bus: BusParams) extends Component {
  private val message = new MessageUnit(
    MessageParams(aps = 1, bus = bus, network = NetworkParams(sites = 64), sources = DmaUnit.sources, sinks = DmaUnit.sinks))
  private val dma = new DmaUnit(bus)
  message.io.sources <> dma.io.sources
  message.io.sinks <> dma.io.sinks
  message.io.faults <> dma.io.fault
  dma.io.unnamed := message.io.unnamed
  dma.io.held := message.io.held
  private val of = message.io
  for ((port, name) <- Seq[(Data, String)](of.siteId -> "siteId", of.sp -> "sp", of.txFree -> "txFree", of.window -> "window", of.line -> "line",
      of.slot -> "slot", of.bus -> "bus", of.regs -> "regs", of.eventHigh -> "eventHigh", of.eventLow -> "eventLow",
      of.eventLocal -> "eventLocal", of.eventRoom -> "eventRoom", of.out -> "out", of.in -> "in", dma.io.bus -> "dma", dma.io.regs -> "grants"))
    port.toIo().setName(s"io_$name")
}
