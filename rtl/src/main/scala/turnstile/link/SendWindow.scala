package turnstile.link

import spinal.core._
import spinal.lib._
import turnstile.network.Vc

/** Which data frames are on their way, and which of them are sent again.
  *
  * A table remembers of each frame its flits and when it was last sent. One entry is looked at every two cycles: the oldest is released
  * when it is acknowledged; any other that is old is offered again. Old: `roundTrip` cycles if the other end has seen a later one but not
  * it, twice that if nothing is known of it. So frames that a switch reorders by less than a round trip are not sent twice, and a loss costs one
  * round trip more.
  */
class SendWindow(params: WireParams) extends Component {
  val io = new Bundle {
    val clear = in(Bool())

    /** Cycles from a frame to the news of it, 64 to 16383. */
    val roundTrip = in(UInt(14 bits))
    val next = in(UInt(16 bits))
    val sent = slave(Flow(FrameOrder()))
    val heard = slave(Flow(Heard()))
    val map = slave(Flow(Fragment(MapWord())))
    val again = master(Stream(FrameOrder()))
    val room = out(Bool())

    /** Flits of each channel: how far the other end has places, below which it has all. */
    val limit, released = out(Vec.fill(Vc.count)(UInt(16 bits)))
  }

  private case class Entry() extends Bundle {
    val vc = UInt(1 bits)
    val start = UInt(16 bits)
    val count = UInt(8 bits)
    val at = UInt(16 bits)
  }
  private val indexBits = log2Up(Wire.frames)
  private val table = Mem(Entry(), Wire.frames)
  private val now = Reg(UInt(16 bits)) init 0
  now := now + 1

  private val oldest, stored, acked, above = Reg(UInt(16 bits)) init 0
  private val limits, releases = Vec.fill(Vc.count)(Reg(UInt(16 bits)) init 0)
  io.limit := limits
  io.released := releases
  io.room := RegNext(io.next - oldest < Wire.frames - 2) init False

  private val entry = Entry()
  entry.vc := io.sent.vc
  entry.start := io.sent.start
  entry.count := io.sent.count
  entry.at := now
  table.write(io.sent.number.resize(indexBits bits), entry, io.sent.valid)
  when(io.sent.valid && !io.sent.again)(stored := io.sent.number + 1)

  // What an older frame says is known already: numbers only grow.
  when(io.heard.valid) {
    when(io.heard.ack - oldest <= stored - oldest && io.heard.ack - oldest > acked - oldest)(acked := io.heard.ack)
    for (vc <- 0 until Vc.count) when((io.heard.limit(vc) - limits(vc)).msb === False)(limits(vc) := io.heard.limit(vc))
  }
  private val come = Reg(Bits(Wire.frames bits)) init 0
  private val word = Reg(UInt(log2Up(Wire.mapBeats) bits)) init 0
  when(io.map.valid) {
    word := io.map.last ? U(0) | word + 1
    come.subdivideIn(64 bits)(word) := io.map.bits
    when(io.map.last)(above := io.map.above)
  }

  private val at = Reg(UInt(16 bits)) init 0
  private val judges, offers, waits = RegInit(False)
  private val releasing = RegNext(oldest =/= acked) init False
  private val looked = (oldest =/= acked) ? oldest | at
  private val found = table.readSync(looked.resize(indexBits bits))
  private val number = RegNext(looked)
  private val written = RegNext(stored) // what is written while it is read is not found
  private val order = Reg(FrameOrder())

  private val distance = number - oldest
  private val reported = above - oldest <= Wire.frames && distance < above - oldest
  private val age = now - found.at
  private val old = reported ? (age >= io.roundTrip.resize(16 bits)) | (age >= (io.roundTrip << 1).resize(16 bits))
  judges := !judges
  when(judges) {
    when(releasing) {
      releases(found.vc) := found.start + found.count
      come(oldest.resize(indexBits bits)) := False
      oldest := oldest + 1
    } elsewhen (!waits) {
      val isThere = distance < written - oldest
      at := isThere ? (number + 1) | oldest
      when(isThere && old && !come(number.resize(indexBits bits))) {
        order.kind := Wire.Kind.data
        order.vc := found.vc
        order.number := number
        order.start := found.start
        order.count := found.count
        order.again := True
        offers := True
        waits := True
      }
    }
  }
  io.again.valid := offers
  io.again.payload := order
  // What is acknowledged meanwhile is sent in vain: its flits may have been replaced, but its number is refused.
  when(io.again.fire)(offers := False)
  when(io.sent.valid && io.sent.again)(waits := False)

  when(io.clear) {
    for (register <- Seq(oldest, stored, acked, above, at) ++ limits ++ releases) register := 0
    come := 0
    for (flag <- Seq(judges, offers, waits)) flag := False
  }
}
