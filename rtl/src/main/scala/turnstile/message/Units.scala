package turnstile.message

import spinal.core._
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}
import turnstile.network.{NetworkParams, PacketKind}

object Units extends UnitList {
  private def params(p: Params) = {
    val aps = p.int("aps", 1)
    MessageParams(
      aps = aps,
      bus = BusParams(masters = 2 * aps + 4, caches = aps, memory = p.memory),
      network = NetworkParams(sites = p.int("sites", 4)),
      ringMasters = p.int("ringMasters", 2),
      slots = p.int("slots", 64),
      reservedSlots = p.int("reservedSlots", 16)
    )
  }

  /** What a bench adds to the unit, as a DMA engine would be: it speaks for the services queue with bodies of any length, behind all
    * others, and takes Basic packets of queue 7 into no slot.
    */
  private val guestSource = TxSource("guest", queues = Seq(1), rank = 1)
  private val guestSink =
    RxSink("guest", queues = Seq(7), kinds = Seq(PacketKind.basic), maxPayload = 28, maxBody = 28, neverStops = false)

  val tops = Seq[(String, Params => Component)](
    "MultiQueue" -> (p =>
      new MultiQueue(HardType(Bits(p.int("width", 2) bits)), queues = p.int("queues", 2), depth = p.int("depth", 4), reserve = p.int("reserve", 1))
    ),
    "PacketBuilder" -> (p => new PacketBuilder(vc = p.int("vc", 0))),
    "MessageUnit" -> (p => new MessageUnit(params(p))),
    "MessageUnitWithGuests" -> (p => new MessageUnit(params(p).copy(sources = Seq(guestSource), sinks = Seq(guestSink))))
  )
}
