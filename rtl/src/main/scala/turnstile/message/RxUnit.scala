package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.network.Vc

/** Receive engine: residency, and which sink takes a packet (VY-23, VY-28, VY-39, VY-41). It knows sinks by their list alone.
  *
  * Pipeline, tail flit on the link to a sink's `end` 1 cycle: t on the link, its CRC known; t+1 in a register, judged here. One flit a cycle in all, high first; a channel that must wait stops only itself. Nothing of a packet is
  * visible before its CRC was right: bodies lie in a slot or staging buffer nobody knows of. Which channel may go comes from registers: after a
  * cycle in which high could not, it is low's turn.
  *
  * What waits: a body while no slot is left for its channel, `waits(sinks.size)`; a packet while its sink is not ready, `waits` of
  * that sink. Both tell cycles. `stopped` tells a packet of channel high that waits though its sink must never let it.
  */
class RxUnit(sinks: Seq[RxSink]) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val packets = Vec.fill(Vc.count)(slave(Stream(Fragment(RxFlit()))))
    val resident = in(Vec.fill(Queues.count)(ResidentQueue()))
    val sinks = Vec.fill(RxUnit.this.sinks.size)(master(RxPort()))
    val slots = master(SlotTaker())
    val damaged, malformed = master(Flow(Bits(64 bits)))
    val stopped = master(Flow(Bits(64 bits)))
    val waits = out(Bits(RxUnit.this.sinks.size + 1 bits))
  }

  private val channels = for (vc <- 0 until Vc.count) yield new RxChannel(sinks)
  for ((channel, vc) <- channels.zipWithIndex) {
    channel.io.input << io.packets(vc)
    channel.io.siteId := io.siteId
    channel.io.resident := io.resident
    channel.io.slotNext := io.slots.next
    channel.io.slotAvailable := io.slots.available(vc)
    for ((port, i) <- io.sinks.zipWithIndex) {
      channel.io.open(i) := port.open(vc)
      channel.io.openLines(i) := port.openLines(vc)
      channel.io.ready(i) := port.ready(vc)
      channel.io.passesOn(i) := port.passesOn(vc)
      port.packet(vc) := channel.io.packet
    }
  }
  // One channel acts a cycle, so what they share is steered by one bit.
  private val yields = RegInit(False)
  private val high = channels(Vc.high).io.present && !(yields && channels(Vc.low).io.present)
  yields := high && !channels(Vc.high).io.goes
  channels(Vc.high).io.grant := high
  channels(Vc.low).io.grant := !high
  private def chosen[T <: Data](of: RxChannel => T): T = high ? of(channels(Vc.high)) | of(channels(Vc.low))
  private def anyOf(of: RxChannel => Bool): Bool = channels.map(of).reduce(_ || _)
  for ((port, i) <- io.sinks.zipWithIndex) {
    port.body.valid := anyOf(channel => channel.io.body && channel.io.route(i))
    port.body.vc := high.asUInt
    port.body.index := chosen(_.io.index)
    port.body.data := chosen(_.io.flit)
    port.end.valid := anyOf(channel => channel.io.end && channel.io.route(i))
    port.end.vc := high.asUInt
    port.end.word := chosen(_.io.flit)(31 downto 0)
    port.end.slot := chosen(_.io.slot)
    port.end.hasSlot := chosen(_.io.usesSlot)
  }
  io.slots.take := anyOf(_.io.slotTake)
  io.slots.header := chosen(_.io.packet.header.asBits)
  io.slots.drop.valid := anyOf(_.io.slotDrop)
  io.slots.drop.payload := chosen(_.io.slot)
  io.slots.write.valid := anyOf(channel => channel.io.body && channel.io.usesSlot)
  io.slots.write.address := chosen(_.io.slot) @@ chosen(_.io.index).resize(4 bits)
  io.slots.write.data := chosen(_.io.flit)
  for ((flow, of) <- Seq[(Flow[Bits], RxChannel => Bool)](io.damaged -> (_.io.damaged), io.malformed -> (_.io.malformed))) {
    flow.valid := anyOf(of)
    flow.payload := chosen(_.io.packet.header.asBits)
  }
  io.waits := channels.map(_.io.waits).reduce(_ | _)

  // Once for a packet.
  private val channel = channels(Vc.high)
  private val promised = B(sinks.map(sink => Bool(sink.neverStops)))
  private val stands = (channel.io.route & promised).orR && channel.io.waits.orR
  private val told = RegNext(stands) init False
  io.stopped.valid := stands && !told
  io.stopped.payload := channel.io.packet.header.asBits
}

/** One resident receive queue: which of the 512 names it holds. */
case class ResidentQueue() extends Bundle {
  val rxq = UInt(9 bits)
  val valid = Bool()
}
