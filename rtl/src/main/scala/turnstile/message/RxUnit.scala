package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.Vc

/** Receive: CRC, residency, and what becomes of a packet by its queue's descriptor (VY-23, VY-28, VY-39, VY-41).
  *
  * Pipeline, tail flit on the link to event 3 cycles: t on the link; t+1 heads the link's buffer and enters the CRC stage;
  * t+2 judged here; t+3 event valid. One flit a cycle in all, high first; a channel that must wait stops only itself. Nothing
  * of a packet is visible before its CRC was right: bodies lie in a slot or staging buffer nobody knows of.
  *
  * What waits: an event while its stream is not ready; a body while no slot is left for its channel; an Express message while
  * its FIFO is full (`waits(0)`, its channel waits, VY-37 by hold is another issue); a Basic packet while both staging buffers
  * of its channel are full. `waits` tells the cycles.
  */
class RxUnit(params: MessageParams) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val packets = Vec.fill(Vc.count)(slave(Stream(Fragment(Bits(64 bits)))))
    val resident = in(Vec.fill(16)(ResidentQueue()))
    val ringOn = in(Bits(8 bits))
    val tagOn = in(Bits(8 bits))
    val events = Vec.fill(Vc.count)(master(Stream(SiteEvent())))
    val slots = new Bundle {
      val next = in(UInt(6 bits))
      val available = in(Bits(Vc.count bits))
      val take = out(Bool())
      val header = out(Bits(64 bits))
      val drop = master(Flow(UInt(6 bits)))
      val write = master(Flow(SlotWrite()))
    }
    val stage = master(Flow(StageWrite()))
    val stageFree = in(Bits(Vc.count bits))
    val commit = Vec.fill(Vc.count)(master(Flow(RingJob())))
    val select = in(UInt(3 bits))
    val head = out(ReceivedExpress())
    val occupied = out(Bits(params.expressQueues bits))
    val pop = slave(Flow(UInt(3 bits)))
    val kept = out(Bool())
    val damaged = master(Flow(Bits(64 bits)))
    val malformed = master(Flow(Bits(64 bits)))
    val waits = out(Bits(4 bits))
  }

  private val fifo = new MultiQueue(HardType(ReceivedExpress()), params.expressQueues, params.expressDepth, 0)
  fifo.io.select := io.select
  io.head := fifo.io.head
  io.occupied := fifo.io.occupied
  fifo.io.pop << io.pop

  private val channels = for (vc <- 0 until Vc.count) yield new RxChannel(params, vc)
  for ((channel, vc) <- channels.zipWithIndex) {
    channel.io.input << io.packets(vc)
    channel.io.siteId := io.siteId
    channel.io.resident := io.resident
    channel.io.ringOn := io.ringOn
    channel.io.tagOn := io.tagOn
    channel.io.slotNext := io.slots.next
    channel.io.slotAvailable := io.slots.available(vc)
    channel.io.stageFree := io.stageFree(vc)
    channel.io.fifoFull := fifo.io.full
    io.events(vc) << channel.io.event.m2sPipe()
    io.commit(vc) << channel.io.commit
  }
  channels(Vc.high).io.grant := True
  channels(Vc.low).io.grant := !channels(Vc.high).io.goes

  // One channel acts a cycle, so what they share is steered by one bit.
  private val high = channels(Vc.high).io.goes
  private def chosen[T <: Data](of: RxChannel => T): T = high ? of(channels(Vc.high)) | of(channels(Vc.low))
  private def anyOf(of: RxChannel => Bool): Bool = channels.map(of).reduce(_ || _)
  io.slots.take := anyOf(_.io.slotTake)
  io.slots.header := chosen(_.io.header)
  io.slots.drop.valid := anyOf(_.io.slotDrop)
  io.slots.drop.payload := chosen(_.io.slot)
  io.slots.write.valid := anyOf(_.io.slotWrite)
  io.slots.write.address := chosen(_.io.slot) @@ chosen(_.io.count).resize(4 bits)
  io.slots.write.data := chosen(_.io.flit)
  io.stage.valid := anyOf(_.io.stageWrite)
  io.stage.vc := high.asUInt
  io.stage.word := chosen(_.io.stageWord)
  io.stage.data := chosen(_.io.flit)
  fifo.io.push.valid := anyOf(_.io.express.valid)
  fifo.io.push.queue := chosen(_.io.express.queue)
  fifo.io.push.entry := chosen(_.io.express.entry)
  io.kept := anyOf(_.io.kept)
  io.damaged.valid := anyOf(_.io.damaged)
  io.damaged.payload := chosen(_.io.header)
  io.malformed.valid := anyOf(_.io.malformed)
  io.malformed.payload := chosen(_.io.header)
  io.waits := channels.map(_.io.waits).reduce(_ | _)
}

/** One resident receive queue: which of the 512 names it holds. */
case class ResidentQueue() extends Bundle {
  val rxq = UInt(9 bits)
  val valid = Bool()
}
