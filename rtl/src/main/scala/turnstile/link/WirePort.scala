package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import turnstile.network.Link

/** What a port has counted since reset; 32 bits, from all ones back to 0. */
case class WireCounters() extends Bundle {
  /** Frames let through, and those not: damaged or of no legal form; not of the peer; of another version; of another session; no place for
    * them; here already. */
  val good, damaged, foreign, otherVersion, stale, noRoom, repeated = UInt(32 bits)
  /** Frames sent again; times gone down; packets dropped because the wire was down; packets cut when it went down. */
  val again, downs, dropped, cut = UInt(32 bits)
}

/** A link between two sites over a wire that damages, loses, repeats, reorders and delays frames: nothing is lost, nothing comes twice,
  * order is kept, as on a [[turnstile.network.Link]] (architecture: the link layer). Both ends are this port.
  *
  * Latency: a flit on `fromSite` is the fourth beat of a frame that begins in the next cycle; a frame whose last beat comes in cycle t is on
  * `toSite` from t+2. A packet of two flits takes 10 cycles from `fromSite` to `toSite` if the MACs take none.
  */
class WirePort(params: WireParams) extends Component {
  val io = new Bundle {
    val fromSite = slave(Link())
    val toSite = master(Link())
    val address = in(WireAddress())
    val seed = in(UInt(16 bits))
    val silence = in(UInt(8 bits))
    val roundTrip = in(UInt(14 bits))

    /** To the MAC, which may not be ready; from it, which does not wait. */
    val tx = master(Axi4Stream(Wire.stream()))
    val rx = slave(Flow(Axi4Stream.Axi4StreamBundle(Wire.stream())))
    val up = out(Bool())
    val peerVersion = out(Bits(8 bits))
    val counters = out(WireCounters())
  }
  Wire.named("io_tx", io.tx.valid, Some(io.tx.ready), io.tx.payload)
  Wire.named("io_rx", io.rx.valid, None, io.rx.payload)

  private val training = new Training
  private val sender = new FrameSender(params)
  private val sent = new SendWindow(params)
  private val reader = new FrameReader
  private val received = new ReceiveWindow(params)
  private val clear = training.io.clear

  training.io.seed := io.seed
  training.io.silence := io.silence
  training.io.hello << reader.io.hello
  training.io.heard := reader.io.heard.valid
  io.up := training.io.up

  sender.io.link << io.fromSite
  sender.io.up := training.io.up
  sender.io.clear := clear
  sender.io.address := io.address
  sender.io.sessions := training.io.sessions
  sender.io.told := received.io.told
  sender.io.hello << training.io.say
  sender.io.control << received.io.control
  sender.io.again << sent.io.again
  sender.io.room := sent.io.room
  sender.io.limit := sent.io.limit
  sender.io.released := sent.io.released
  io.tx << sender.io.frame

  sent.io.clear := clear
  sent.io.roundTrip := io.roundTrip
  sent.io.next := sender.io.next
  sent.io.sent << sender.io.sent
  sent.io.heard << reader.io.heard
  sent.io.map << received.io.map

  reader.io.frame << io.rx
  reader.io.clear := clear
  reader.io.address := io.address
  reader.io.sessions := training.io.sessions

  received.io.clear := clear
  received.io.up := training.io.up
  received.io.roundTrip := io.roundTrip
  received.io.seen << reader.io.seen
  received.io.body << reader.io.body
  received.io.begins := sender.io.begins
  io.toSite.flit << received.io.link.flit
  received.io.link.credit := io.toSite.credit

  private def counted(event: Bool): UInt = {
    val count = Reg(UInt(32 bits)) init 0
    count := count + event.asUInt
    count
  }
  io.counters.good := counted(reader.io.good)
  io.counters.damaged := counted(reader.io.damaged)
  io.counters.foreign := counted(reader.io.foreign)
  io.counters.otherVersion := counted(reader.io.otherVersion.valid)
  io.counters.stale := counted(reader.io.stale)
  io.counters.noRoom := counted(reader.io.noRoom)
  io.counters.repeated := counted(received.io.repeated)
  io.counters.again := counted(sent.io.again.fire)
  io.counters.downs := counted(clear)
  io.counters.dropped := counted(sender.io.dropped)
  io.counters.cut := counted(received.io.cut)
  io.peerVersion := RegNextWhen(reader.io.otherVersion.payload, reader.io.otherVersion.valid) init 0
}
