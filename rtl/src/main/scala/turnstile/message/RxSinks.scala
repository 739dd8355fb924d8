package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.Vc

/** Packets of the sP as events (VY-28, VY-39): `events` those of its queues, `kept` what no other sink took.
  *
  * The tail's cycle is the push into an event register: valid the next cycle. A tail waits while that register is held.
  */
class EventSink extends Component {
  val io = new Bundle {
    val events, kept = slave(RxPort())
    val streams = Vec.fill(Vc.count)(master(Stream(SiteEvent())))
  }

  for (port <- Seq(io.events, io.kept)) {
    port.alwaysOpen()
  }
  for (vc <- 0 until Vc.count) {
    val stream = Stream(SiteEvent())
    io.streams(vc) << stream.m2sPipe()
    for (port <- Seq(io.events, io.kept)) {
      port.ready(vc) := !port.packet(vc).tail || stream.ready
    }
    val keeps = io.kept.end.valid
    val end = keeps ? io.kept.end.payload | io.events.end.payload
    val packet = io.events.packet(vc)
    val header = packet.header
    stream.valid := Seq(io.events, io.kept).map(port => port.end.valid && port.end.vc === vc).orR
    val base = (packet.queue === 0) ? U(EventIndex.message, 7 bits) | U(EventIndex.service, 7 bits)
    stream.index := keeps ? U(EventIndex.nonResident, 7 bits) | (base | header.tag.resize(7 bits))
    stream.arg := end.word
    stream.meta := (header.tag ## end.hasSlot ## header.source ## U(vc, 1 bits) ## header.lines ##
      (end.hasSlot ? end.slot | U(0, 6 bits)) ## header.srcSite).resize(32 bits)
  }
}

/** Express packets of aPs into the FIFOs that their loads read (VY-23): an entry is readable the cycle after its tail.
  *
  * Low messages leave `expressReserved` entries of a FIFO alone and wait in their channel. High ones never wait: a queue that is
  * full is closed to them, so that they are kept for the sP and a user who does not read stops no reply of others.
  */
class ExpressReceive(params: MessageParams) extends Component {
  val io = new Bundle {
    val port = slave(RxPort())
    val select = in(UInt(3 bits))
    val head = out(ReceivedExpress())
    val occupied = out(Bits(Queues.express.size bits))
    val pop = slave(Flow(UInt(3 bits)))
  }

  private val fifo = new MultiQueue(HardType(ReceivedExpress()), Queues.express.size, params.expressDepth, params.expressReserved)
  fifo.io.select := io.select
  io.head := fifo.io.head
  io.occupied := fifo.io.occupied
  fifo.io.pop << io.pop

  // Between a high packet's header and its tail only low ones can come, and those leave entries.
  io.port.open(Vc.low).setAll()
  io.port.open(Vc.high) := (~fifo.io.full).resized
  for (mask <- io.port.openLines) mask.setAll()
  for (vc <- 0 until Vc.count) {
    val packet = io.port.packet(vc)
    io.port.ready(vc) := (if (vc == Vc.high) True else !packet.tail || fifo.io.room(packet.queue.resized))
  }
  private val packet = io.port.ended
  fifo.io.push.valid := io.port.end.valid
  fifo.io.push.queue := packet.queue.resized
  fifo.io.push.entry.data := io.port.end.word
  fifo.io.push.entry.source := packet.header.source
  fifo.io.push.entry.tag := packet.header.tag
  fifo.io.push.entry.high := packet.aux.high
  fifo.io.push.entry.rxq := packet.header.rxq
}
