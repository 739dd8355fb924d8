package turnstile.link

import spinal.core._
import spinal.lib._
import turnstile.network.{Link, LinkFlit, Vc}

/** Puts the flits of frames where they belong, whatever order frames come in, and gives them to the site in order and once.
  *
  * Each channel has a ring of places, which its sender's limit keeps from overflowing: a flit has a number, and its number a place. A
  * frame that comes in its turn is passed on at once (to the site's link in the next cycle, if nothing waits); one that comes early waits
  * in its places, and a bit in the map says that it is here. High goes before low.
  *
  * When the wire goes down, what has not been given to the site is lost. A packet of which a part was given gets a tail, so that the
  * routers' channel is free again; its check sum is wrong, so its receiver counts it as damaged.
  */
class ReceiveWindow(params: WireParams) extends Component {
  val io = new Bundle {
    val clear = in(Bool())
    val up = in(Bool())
    val roundTrip = in(UInt(14 bits))
    val seen = slave(Stream(FrameSeen()))
    val body = slave(Stream(Bits(64 bits)))

    /** A frame begins that tells news. */
    val begins = in(Bool())
    val told = out(Told())
    val control = master(Event)
    val map = master(Flow(Fragment(MapWord())))
    val link = master(Link())

    /** A frame that was here; a packet that was cut. */
    val repeated, cut = out(Bool())
  }

  private val channels = 0 until Vc.count
  private val indexBits = log2Up(Wire.frames)
  private def index(number: UInt): UInt = number.resize(indexBits bits)

  private val expected, above = Reg(UInt(16 bits)) init 0
  private val come = Reg(Bits(Wire.frames bits)) init 0
  private val visible, given = Vec.fill(Vc.count)(Reg(UInt(16 bits)) init 0)
  private val ring = Mem(LinkFlit(), Vc.count * params.windowFlits)
  private def address(vc: UInt, number: UInt): UInt = vc @@ number.resize(log2Up(params.windowFlits) bits)

  /** The word of a frame that is taken in this cycle. */
  private val take = new Area {
    val seen = io.seen.payload
    val number = seen.numbers.number
    val isData = seen.kind === Wire.Kind.data
    val position = Reg(UInt(7 bits)) init 0
    val early, known = Reg(Bool())
    val first = position === 0
    val isEarly = first ? (number =/= expected) | early
    val isKnown = first ? (number - expected >= Wire.frames || come(index(number))) | known
    val valid = io.seen.valid && !io.clear
    val last = position === (isData ? seen.foot.count.resize(7 bits) | U(Wire.mapBeats, 7 bits)) - 1
    val puts = valid && isData && !isKnown
    val inTurn = puts && !isEarly
    val at = seen.numbers.start + position
    val flit = LinkFlit()
    flit.data := io.body.payload
    flit.last := seen.lasts(position.resize(6 bits))
    flit.vc := seen.vc

    io.body.ready := !io.clear
    io.seen.ready := last && !io.clear
    when(valid) {
      position := last ? U(0, 7 bits) | position + 1
      early := isEarly
      known := isKnown
    }
    val ends = valid && last && isData
    io.map.valid := valid && !isData
    io.map.bits := io.body.payload
    io.map.above := number
    io.map.last := last
    io.repeated := RegNext(ends && isKnown) init False
  }

  /** Behind a frame that came in its turn those that were early follow, one a cycle. */
  private val turn = new Area {
    case class End() extends Bundle {
      val vc = UInt(1 bits)
      val flit = UInt(16 bits)
    }
    val ends = Mem(End(), Wire.frames)
    val end = End()
    end.vc := take.seen.vc
    end.flit := take.at + 1
    ends.write(index(take.number), end, take.ends && take.puts)
    val found = ends.readAsync(index(expected))
    val follows = come(index(expected)) && !(take.inTurn && !take.first)
    when(take.inTurn) {
      visible(take.seen.vc) := take.at + 1
    }
    when(follows) {
      visible(found.vc) := found.flit
      come(index(expected)) := False
    }
    when(follows || take.ends && take.inTurn)(expected := expected + 1)
    when(take.ends && take.puts) {
      when(take.isEarly)(come(index(take.number)) := True)
      when(take.number - expected >= above - expected)(above := take.number + 1)
    }
  }

  private val give = new Area {
    val credits = Vec.fill(Vc.count)(Reg(UInt(log2Up(params.localFlits + 1) bits)) init params.localFlits)
    val allowed = credits.map(_ =/= 0)
    val open, cuts = Vec.fill(Vc.count)(RegInit(False))
    val waits = B(channels.map(vc => visible(vc) =/= given(vc)))
    val may = B(channels.map(vc => waits(vc) && allowed(vc) && !cuts(vc)))
    val reading = RegInit(False)
    val chosen = may(Vc.high).asUInt
    val reads = may.orR && !io.clear
    val read = ring.readSync(address(chosen, given(chosen)), reads)
    reading := reads

    val direct = take.inTurn && !reading && !reads && !waits(take.seen.vc) && B(allowed)(take.seen.vc) && !cuts(take.seen.vc)
    ring.write(address(take.seen.vc, take.at), take.flit, take.puts && !direct)

    val cutting = B(channels.map(vc => cuts(vc) && allowed(vc)))
    val cut = cutting.orR && !reading && !reads && !direct
    val cutVc = cutting(Vc.high).asUInt
    val flit = LinkFlit()
    flit := reading ? read | take.flit
    when(cut) {
      flit.data := 0
      flit.last := True
      flit.vc := cutVc
    }
    val gives = (reading && !io.clear) || direct || cut
    io.link.flit.valid := RegNext(gives) init False
    io.link.flit.payload := RegNext(flit)
    io.cut := RegNext(cut) init False
    for (vc <- channels) {
      val here = U(vc, 1 bits)
      val moves = reads && chosen === here || direct && take.seen.vc === here
      val uses = moves || cut && cutVc === here
      credits(vc) := credits(vc) + io.link.credit(vc).asUInt - uses.asUInt
      when(moves)(given(vc) := given(vc) + 1)
      when(gives && flit.vc === here)(open(vc) := !flit.last)
      when(cut && cutVc === here)(cuts(vc) := False)
      when(io.clear)(cuts(vc) := open(vc))
    }
  }

  when(io.clear) {
    for (register <- Seq(expected, above) ++ visible ++ given) register := 0
    take.position := 0
    come := 0
  }

  io.told.ack := expected
  io.told.above := above
  io.told.map := come
  for (vc <- channels) io.told.limit(vc) := given(vc) + params.windowFlits

  /** When news cannot wait for a data frame. */
  private val tell = new Area {
    val quiet, since = Reg(UInt(14 bits)) init 0
    val owed, due = RegInit(False)
    val gap = RegNext(expected =/= above) init False
    when(io.begins) {
      quiet := 0
      owed := False
    } otherwise (quiet := quiet + (!quiet.andR).asUInt)
    when(take.ends || give.gives || !io.up)(owed := True)
    since := io.control.fire ? U(0, 14 bits) | since + (!since.andR).asUInt
    due := io.up && since >= ReceiveWindow.quiet && !io.control.fire &&
      (owed && quiet >= ReceiveWindow.quiet || gap && since >= (io.roundTrip >> 2).resize(14 bits) || quiet >= ReceiveWindow.alive)
    io.control.valid := due
  }
}

object ReceiveWindow {

  /** Cycles since a frame began before news are sent alone, more than the longest takes, and least cycles between two CONTROL frames. */
  val quiet = 96

  /** Cycles without a frame after which one is sent to show that this end is there. */
  val alive = 1024
}
