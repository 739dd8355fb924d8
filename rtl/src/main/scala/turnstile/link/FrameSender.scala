package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.{Axi4Stream, Axi4StreamConfig}
import turnstile.network.{Link, LinkFlit, Vc}

/** Takes the site's flits, keeps them until they are acknowledged, and makes the frames (docs/design/wire.md).
  *
  * A frame starts in the cycle in which its first flit comes and ends when no further one is there, so that it never waits and never
  * has a gap: HELLO before CONTROL, what is missing at the other end before new flits, high before low. A frame of low ends early for high.
  * From a flit on the link to its frame's first beat: 1 cycle; to the flit's own beat: 4.
  *
  * While the wire is down the site's packets are taken and dropped, so that nothing behind them waits. Of a packet that had begun the
  * rest is dropped, too.
  */
class FrameSender(params: WireParams) extends Component {
  val io = new Bundle {
    val link = slave(Link())
    val up = in(Bool())

    /** Goes down in this cycle: all is forgotten. */
    val clear = in(Bool())
    val address = in(WireAddress())
    val sessions = in(Sessions())
    val told = in(Told())
    val hello, control = slave(Event)
    val again = slave(Stream(FrameOrder()))

    /** The window has numbers left. */
    val room = in(Bool())
    val limit, released = in(Vec.fill(Vc.count)(UInt(16 bits)))

    /** A data frame is on its way; `count` is that of its flits. */
    val sent = master(Flow(FrameOrder()))

    /** A frame begins that tells news. */
    val begins = out(Bool())
    val next = out(UInt(16 bits))

    /** The last flit of a packet that is dropped. */
    val dropped = out(Bool())
    val frame = master(Axi4Stream(Wire.stream()))
  }

  private val channels = 0 until Vc.count
  private val flit = io.link.flit

  private val intake = new Area {
    val ring = Mem(LinkFlit(), Vc.count * params.windowFlits)
    val write = Vec.fill(Vc.count)(Reg(UInt(16 bits)) init 0)
    val inPacket, skips = Vec.fill(Vc.count)(RegInit(False))
    val takes = io.up && !io.clear && !skips(flit.vc)
    val arrives = B(channels.map(vc => flit.valid && takes && flit.vc === vc))
    ring.write(address(flit.vc, write(flit.vc)), flit.payload, flit.valid && takes)
    for (vc <- channels) {
      val here = flit.valid && flit.vc === vc
      when(here) {
        inPacket(vc) := !flit.last
        when(!takes)(skips(vc) := !flit.last)
      }
      when(arrives(vc))(write(vc) := write(vc) + 1)
      when(io.clear) {
        write(vc) := 0
        skips(vc) := here ? !flit.last | inPacket(vc)
      }
      // A credit goes back when there is a place for the flit that it stands for, beside those of all credits outside.
      val owed = Reg(UInt(log2Up(params.localFlits + 1) bits)) init 0
      val returns = RegNext(owed =/= 0 && write(vc) - io.released(vc) < params.windowFlits - params.localFlits) init False
      val return1 = returns && owed =/= 0
      owed := owed + here.asUInt - return1.asUInt
      io.link.credit(vc) := RegNext(return1) init False
    }
    io.dropped := RegNext(flit.valid && !takes && flit.last) init False
  }
  private def address(vc: UInt, number: UInt): UInt = vc @@ number.resize(log2Up(params.windowFlits) bits)

  private object State extends SpinalEnum { val Idle, Names, Numbers, Body, Foot = newElement() }
  private val state = RegInit(State.Idle)
  private val order = Reg(FrameOrder())
  private val beats = Reg(UInt(7 bits))
  private val over, cleared = RegInit(False)
  private val lasts = Reg(Bits(Wire.frameFlits bits))
  private val isData = order.kind === Wire.Kind.data

  private val beat = Axi4Stream(Wire.stream())
  io.frame << beat.stage()
  private val step = beat.ready

  private val choice = new Area {
    val sentTo = Vec.fill(Vc.count)(Reg(UInt(16 bits)) init 0)
    val next = Reg(UInt(16 bits)) init 0
    val fresh = B(channels.map(vc => (intake.write(vc) =/= sentTo(vc) || intake.arrives(vc)) && sentTo(vc) =/= io.limit(vc)))
    val mayData = io.up && !io.clear
    val free = state === State.Idle && step
    val hello = io.hello.valid
    val control = io.control.valid && mayData && !hello
    val again = io.again.valid && mayData && !hello && !control
    val starts = io.room && mayData && !hello && !control && !again && fresh.orR
    io.hello.ready := free
    io.control.ready := free && control
    io.again.ready := free && again

    val taken = FrameOrder()
    taken := io.again.payload
    when(hello || control) {
      taken.kind := hello ? U(Wire.Kind.hello, 4 bits) | U(Wire.Kind.control, 4 bits)
      taken.number := io.told.above
      taken.vc := 0
      taken.again := False
    } elsewhen (!again) {
      taken.kind := Wire.Kind.data
      taken.number := next
      taken.vc := fresh(Vc.high).asUInt
      taken.start := sentTo(taken.vc)
      taken.again := False
    }
    val any = hello || control || again || starts
    val begins = free && any
    when(begins)(order := taken)
    when(begins && starts)(next := next + 1)
    when(io.clear)(next := 0)
  }
  io.begins := choice.begins && !choice.hello
  io.next := choice.next

  private val body = new Area {
    val cursor = Reg(UInt(16 bits))
    val fetched = Reg(UInt(7 bits))
    val runs = RegInit(False)
    val end = order.again ? order.count.resize(7 bits) | U(Wire.frameFlits, 7 bits)
    val there = order.again || cursor =/= intake.write(order.vc) && cursor =/= io.limit(order.vc)
    val yields = !order.again && order.vc === Vc.low && choice.fresh(Vc.high) && fetched >= 16
    val flits = Stream(LinkFlit())
    val ends = state === State.Body && step && !flits.valid
    val fetch = Stream(UInt(log2Up(Vc.count * params.windowFlits) bits))
    fetch.valid := runs && !ends && there && fetched =/= end && !yields
    fetch.payload := address(order.vc, cursor)
    flits << intake.ring.streamReadSync(fetch)
    flits.ready := over || state === State.Body && step
    when(fetch.fire) {
      cursor := cursor + 1
      fetched := fetched + 1
    }
    when(ends || over)(runs := False)
    when(choice.begins) {
      cursor := choice.taken.start
      fetched := 0
      runs := choice.taken.kind === Wire.Kind.data
    }
    when(io.clear)(runs := False)
  }

  private val words = new Area {
    val isKnown = order.kind === Wire.Kind.hello && io.sessions.known
    val first = io.address.own(15 downto 0) ## io.address.peer
    val second = B(0, 2 bits) ## isKnown ## order.vc ## order.kind ## B(Wire.version, 8 bits) ##
      B(Wire.etherType & 0xff, 8 bits) ## B(Wire.etherType >> 8, 8 bits) ## io.address.own(47 downto 16)
    val third = io.sessions.peer ## io.sessions.own ## order.start ## order.number
    val map = io.told.map.subdivideIn(64 bits)(beats.resize(log2Up(Wire.mapBeats) bits))
    val foot = B(0, 8 bits) ## (isData ? body.fetched.resize(8 bits) | U(0, 8 bits)) ## io.told.ack ## io.told.limit(Vc.high) ## io.told.limit(Vc.low)
  }

  private val shortest = Wire.leastBeats - Wire.headBeats - Wire.footBeats
  beat.valid := choice.any || state =/= State.Idle
  beat.data := words.first
  beat.keep.setAll()
  beat.user.clearAll()
  beat.last := False
  switch(state) {
    is(State.Idle) {
      beats := 0
      over := False
      cleared := False
      lasts := 0
      when(choice.begins)(state := State.Names)
    }
    is(State.Names) {
      beat.data := words.second
      when(step)(state := State.Numbers)
    }
    is(State.Numbers) {
      beat.data := words.third
      when(step)(state := State.Body)
    }
    is(State.Body) {
      val flits = isData && body.flits.valid && !over
      val map = !isData && beats =/= Wire.mapBeats
      val pads = isData && beats < shortest
      beat.data := flits ? body.flits.data | (map ? words.map | (pads ? B(0, 64 bits) | lasts))
      when(step) {
        beats := beats + 1
        when(flits)(lasts(beats.resize(6 bits)) := body.flits.last)
        when(!flits)(over := True)
        when(!flits && !map && !pads)(state := State.Foot)
      }
    }
    is(State.Foot) {
      beat.data := words.foot
      beat.last := True
      when(step)(state := State.Idle)
    }
  }
  when(io.clear) {
    over := True
    cleared := True
  }

  private val ended = state === State.Foot && step && isData && !cleared && !io.clear
  when(ended)(order.count := body.fetched.resized)
  for (vc <- channels) {
    when(ended && !order.again && order.vc === vc)(choice.sentTo(vc) := body.cursor)
    when(io.clear)(choice.sentTo(vc) := 0)
  }
  io.sent.valid := RegNext(ended) init False
  io.sent.payload := order
}
