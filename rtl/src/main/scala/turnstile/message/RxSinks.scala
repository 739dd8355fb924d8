package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.Vc

/** Packets of the sP as events (VY-28, VY-39): `events` those of its queues, `kept` what no other sink took.
  *
  * The tail's cycle is the push into an event register: valid the next cycle. A tail waits while that register is held, as it was known to be a
  * cycle before: tails of one channel have a header between them.
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
    val room = RegNext(stream.ready) init True
    for (port <- Seq(io.events, io.kept)) {
      port.ready(vc) := !port.packet(vc).tail || room
    }
    assert(!stream.valid || stream.ready, "event sink: a tail while the event before is held", FAILURE)
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
