package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** Takes frames from a MAC and lets through those that came whole, from the peer, of this version and these sessions.
  *
  * A body is kept until its last beat has come; then `seen` tells of it, in the next cycle, and `body` has its words. `seen` and as many words
  * of `body` as the frame has (`count`, or the map) are taken by the other side, which is as fast as the wire. A frame for which no place is left
  * is lost, as on the wire.
  */
class FrameReader extends Component {
  val io = new Bundle {
    val frame = slave(Flow(Axi4Stream.Axi4StreamBundle(Wire.stream())))
    val clear = in(Bool())
    val address = in(WireAddress())
    val sessions = in(Sessions())
    val seen = master(Stream(FrameSeen()))
    val body = master(Stream(Bits(64 bits)))
    val heard = master(Flow(Heard()))
    val hello = master(Flow(Hello()))

    /** One of these a frame: let through; damaged or of no legal form; not of the peer; of another session; no place; of another version. */
    val good, damaged, foreign, stale, noRoom = out(Bool())
    val otherVersion = master(Flow(Bits(8 bits)))
  }

  private val places = 4 * Wire.frameFlits
  private val beat = io.frame
  private val index = Reg(UInt(8 bits)) init 0
  private val ends = beat.valid && beat.last
  when(beat.valid)(index := beat.last ? U(0, 8 bits) | ((index === 255) ? index | index + 1))

  private val head = new Area {
    val isEthernet, isVersion, isPeer, whole, known, forSession = Reg(Bool())
    val kind = Reg(UInt(4 bits))
    val vc = Reg(UInt(1 bits))
    val numbers = Reg(FrameNumbers())
    val version = Reg(Bits(8 bits))
    val own, peer = Reg(UInt(16 bits))
    when(beat.valid) {
      whole := (index === 0 || whole) && beat.keep.andR
      switch(index) {
        is(0) {
          isPeer := beat.data === io.address.peer(15 downto 0) ## io.address.own
        }
        is(1) {
          isPeer := isPeer && beat.data(31 downto 0) === io.address.peer(47 downto 16)
          isEthernet := beat.data(39 downto 32) === Wire.etherType >> 8 && beat.data(47 downto 40) === (Wire.etherType & 0xff)
          version := beat.data(55 downto 48)
          isVersion := beat.data(55 downto 48) === Wire.version
          kind := beat.data(59 downto 56).asUInt
          vc := beat.data(60 downto 60).asUInt
          known := beat.data(61)
        }
        is(2) {
          numbers.number := beat.data(15 downto 0).asUInt
          numbers.start := beat.data(31 downto 16).asUInt
          own := beat.data(47 downto 32).asUInt
          peer := beat.data(63 downto 48).asUInt
          forSession := io.sessions.known && beat.data(63 downto 32) === (io.sessions.own ## io.sessions.peer)
        }
      }
    }
  }

  // The two beats before this one: when the frame ends they are its last word of body and its `last` bits.
  private val before = RegNextWhen(beat.data, beat.valid)
  private val before2 = RegNextWhen(before, beat.valid)
  private val store = new Area {
    val memory = Mem(Bits(64 bits), places)
    val write, start = Reg(UInt(log2Up(places) + 1 bits)) init 0
    val read = Reg(UInt(log2Up(places) + 1 bits)) init 0
    val full = write - read === places
    val overflowed = RegInit(False)
    val puts = beat.valid && index >= Wire.headBeats + Wire.footBeats
    memory.write(write.resized, before2, puts && !full)
    val filled = write - start + (puts && !full).asUInt
    when(puts && !full)(write := write + 1)
    when(beat.valid)(overflowed := !beat.last && (overflowed || puts && full))
    val nextRead = read + io.body.fire.asUInt
    read := nextRead
    io.body.payload := memory.readSync(nextRead.resized)
  }

  private val foot = FrameFoot()
  foot.limit(0) := beat.data(15 downto 0).asUInt
  foot.limit(1) := beat.data(31 downto 16).asUInt
  foot.ack := beat.data(47 downto 32).asUInt
  foot.count := beat.data(55 downto 48).asUInt
  private val isData = head.kind === Wire.Kind.data
  private val isControl = head.kind === Wire.Kind.control
  private val isHello = head.kind === Wire.Kind.hello
  private val words = isData ? foot.count.resize(store.filled.getWidth bits) | U(Wire.mapBeats, store.filled.getWidth bits)
  private val sound = !beat.user.orR && head.whole && beat.keep.andR
  private val lastBeat = Mux(words > Wire.leastBeats - Wire.headBeats - Wire.footBeats, words + (Wire.headBeats + Wire.footBeats - 1), U(Wire.leastBeats - 1))
  private val fits = index === lastBeat && words =/= 0 && foot.count <= Wire.frameFlits && words <= store.filled && (isData || isControl)

  // While the longest frame is taken eight of the shortest may come.
  private val queue = StreamFifo(FrameSeen(), 16, latency = 0)
  private val overflows = store.overflowed || store.puts && store.full || queue.io.availability < 2
  private val from = ends && sound && head.isPeer && head.isEthernet
  private val ours = from && head.isVersion
  private val current = ours && !isHello && head.forSession
  private val lets = current && fits && !overflows && !io.clear
  when(ends) {
    val next = lets ? (store.start + words) | store.start
    store.start := next
    store.write := next
  }
  when(io.clear)(for (pointer <- Seq(store.write, store.start, store.read)) pointer := 0)

  private def told(event: Bool): Bool = RegNext(event) init False
  private val seen = Reg(FrameSeen())
  seen.kind := head.kind
  seen.vc := head.vc
  seen.numbers := head.numbers
  seen.foot := foot
  seen.lasts := before
  queue.io.push.valid := told(lets)
  queue.io.push.payload := seen
  queue.io.flush := io.clear
  io.seen << queue.io.pop
  io.body.valid := io.seen.valid

  io.heard.valid := queue.io.push.valid
  io.heard.ack := seen.foot.ack
  io.heard.limit := seen.foot.limit
  io.hello.valid := told(ours && isHello)
  io.hello.session := RegNext(head.own)
  io.hello.peer := RegNext(head.peer)
  io.hello.known := RegNext(head.known)

  io.good := told(lets || ours && isHello)
  io.damaged := told(ends && !sound || current && !fits)
  io.foreign := told(ends && sound && !(head.isPeer && head.isEthernet))
  io.stale := told(ours && !isHello && !head.forSession)
  io.noRoom := told(current && fits && overflows)
  io.otherVersion.valid := told(from && !head.isVersion)
  io.otherVersion.payload := head.version
}
