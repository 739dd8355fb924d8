package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, ClaimPort, Responder, SnoopPort, SnoopRequest}
import turnstile.contract._

/** The NIU as a slave of the Site Bus: the `0xF...` windows of aPs (contract §1, §4), and the sink of what the NIU's snooper
  * claims (VY-02, VY-04, VY-22, VY-23, VY-26, VY-30).
  *
  * Timing of a load: T1 decoded and looked up, T2 `claim` answered, T3 verdict, T4 data offered. A store: T3 verdict, data as
  * the bus brings it (T4 at the earliest), at the message unit one cycle later. Only whole words of the registers listed are
  * claimed, so anything else gets the bus's error. Loads look up before their verdict and act at it; the bus keeps a second op
  * on the line away until the first is done, so no message is taken twice (VY-27).
  *
  * An Express store to a queue without room is retried, not accepted: the message unit's `room` keeps an entry for each aP, and
  * an aP has one op outstanding, so an accepted store always fits. With the scratch nearly full every write of an aP
  * to DRAM is retried until the sP has read it: a write-back is never lost (VY-10).
  */
class NiuSlave(params: NiuSlaveParams) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val sites = in(UInt(7 bits))
    val aps = in(UInt(3 bits))

    /** Cycles since reset, the site's one clock. */
    val time = in(UInt(64 bits))
    val snoop = slave(SnoopPort())
    val claim = slave(ClaimPort())
    val window = master(WindowPort())
    val console = master(Flow(ApValue(8)))
    val exit, mark = master(Flow(ApValue(32)))

    /** Event 103 with meta bit 20: an aP stored to a queue of the sP (arg: the word; meta: `queue4[12:9] ap2[22:21]`). */
    val event = master(Stream(SiteEvent()))

    /** The scratch, see [[NiuSlaveScratch]]. */
    val regs = slave(RegPort(8))
  }

  private def apOf(master: UInt) = master(2 downto 1)
  private def queueOf(target: SlaveTarget.C, a: UInt) =
    (target === SlaveTarget.EXPRESS_SEND) ? a(20 downto 17) | a(15 downto 12)

  private def decode(a: UInt): SlaveTarget.C = {
    val target = SlaveTarget()
    target := SlaveTarget.SCRATCH
    when(a(31 downto 12) === 0xf0000)(target := SlaveTarget.REGISTER)
    when(a(31 downto 21) === 0xf02 >> 1)(target := SlaveTarget.EXPRESS_SEND)
    when(a(31 downto 16) === 0xf040)(target := SlaveTarget.EXPRESS_RECEIVE)
    when(a(31 downto 16) === 0xf050)(target := SlaveTarget.BASIC)
    target
  }

  // T1: decode, look up.
  private val seen = RegNext(io.snoop.request.valid) init False
  private val request = RegNextWhen(io.snoop.request.payload, io.snoop.request.valid)
  private val address = request.address
  private val target = decode(address)
  private val loads = request.op === BusOp.READ_PARTIAL
  private val stores = request.op === BusOp.WRITE_PARTIAL
  private val fromAp = !request.bypass && !request.master(0) && request.master < 2 * params.aps
  private val word = request.mask.subdivideIn(4 bits)(address(3 downto 2)).andR
  private val at = address(11 downto 2) @@ U(0, 2 bits)
  private val legal = target.mux(
    SlaveTarget.REGISTER -> Mux(loads, at <= 0x14, stores && (at === 0x20 || at === 0x24 || at === 0x28)),
    SlaveTarget.EXPRESS_SEND -> stores,
    SlaveTarget.EXPRESS_RECEIVE -> (loads && at <= 4),
    SlaveTarget.BASIC -> (Mux(loads, at === 0x08 || at === 0x0c || at === 0x18 || at === 0x1c,
      stores && (at === 0x08 || at === 0x1c)) && address(15)),
    default -> False
  )
  private val mine = seen && fromAp && legal && (loads || word)
  private val roomless = target === SlaveTarget.EXPRESS_SEND && !address(20) && !io.window.room(address(19 downto 17) @@ address(2))
  private val scratch = new NiuSlaveScratch(params)
  private val writesMemory = seen && fromAp && target === SlaveTarget.SCRATCH && BusOp.writes(request.op)
  private val answer = RegNext(mine) init False
  private val retry = RegNext((mine && roomless) || (writesMemory && !scratch.io.room)) init False
  io.snoop.answer.claim := answer
  io.snoop.answer.retry := retry
  io.snoop.answer.shared := False
  io.snoop.answer.intervene := False
  io.window.query.valid := mine && loads
  io.window.query.basic := target === SlaveTarget.BASIC
  io.window.query.queue := address(15 downto 12)
  io.window.query.word := address(4 downto 2)

  // T2: the word a load will get.
  private val at2 = RegNextWhen(address, mine)
  private val ap2 = RegNextWhen(apOf(request.master), mine)
  private val target2 = RegNextWhen(target, mine)
  private val latchedData, latchedTime = Vec.fill(4)(Reg(Bits(32 bits)) init 0)
  private val register = at2(4 downto 2).mux(
    0 -> io.siteId.asBits.resize(32 bits),
    1 -> io.sites.asBits.resize(32 bits),
    2 -> ap2.asBits.resize(32 bits),
    3 -> io.aps.asBits.resize(32 bits),
    4 -> io.time(31 downto 0).asBits,
    default -> latchedTime(ap2)
  )
  private val found = target2.mux(
    SlaveTarget.REGISTER -> register,
    SlaveTarget.EXPRESS_RECEIVE -> (at2(2) ? io.window.answer.meta | latchedData(ap2)),
    default -> io.window.answer.meta
  )

  // T3: the verdict decides. A conflicting request was never seen here.
  private val at3 = RegNextWhen(at2, answer)
  private val target3 = RegNextWhen(target2, answer)
  private val mine3 = RegNext(answer) init False
  private val found3 = RegNextWhen(found, answer)
  private val takes3 = RegNextWhen(target2 === SlaveTarget.EXPRESS_RECEIVE && at2(2), answer)
  private val message3 = RegNextWhen(io.window.answer.message, answer)
  private val data3 = RegNextWhen(io.window.answer.data, answer)
  private val high3 = RegNextWhen(io.time(63 downto 32).asBits, answer)
  private val verdict = io.snoop.verdict
  private val commits = verdict.valid && !verdict.conflict && !verdict.retry && !verdict.error && verdict.responder === Responder.NIU
  private val op = verdict.request
  private val ap3 = apOf(op.master)

  private val takes = commits && mine3 && takes3 && op.op === BusOp.READ_PARTIAL
  when(takes) {
    latchedData(ap3) := message3 ? data3 | B(0, 32 bits)
  }
  when(commits && mine3 && target3 === SlaveTarget.REGISTER && at3(4 downto 2) === 4) {
    latchedTime(ap3) := high3
  }
  io.window.pop.valid := RegNext(takes && message3) init False
  io.window.pop.payload := RegNext(at3(15 downto 12))

  // Loads: the word in every lane. What the snooper claimed has no data here: a pattern, so that the master goes on.
  private val reads = new StreamFifo(SlaveRead(), 8, withAsyncRead = true)
  reads.io.push.valid := commits && BusOp.reads(op.op)
  reads.io.push.line := !BusOp.partial(op.op)
  reads.io.push.word := mine3 ? found3 | B(0xbad0bad0L, 32 bits)
  private val readBeat = Reg(UInt(2 bits)) init 0
  io.claim.read.valid := reads.io.pop.valid
  io.claim.read.last := !reads.io.pop.line || readBeat === 3
  io.claim.read.fragment := Seq.fill(4)(reads.io.pop.word).reduce(_ ## _)
  reads.io.pop.ready := io.claim.read.ready && io.claim.read.last
  when(io.claim.read.fire && reads.io.pop.line) {
    readBeat := readBeat + 1
  }

  // Stores wait here for their data, in verdict order as the data comes.
  private val writes = new StreamFifo(SnoopRequest(), 8, withAsyncRead = true)
  writes.io.push.valid := commits && BusOp.writes(op.op)
  writes.io.push.payload := op
  assert(!(writes.io.push.valid && !writes.io.push.ready), "more claimed stores than masters", FAILURE)
  private val store = writes.io.pop.payload
  private val beat = io.claim.write
  private val fires = beat.valid && writes.io.pop.valid
  beat.ready := writes.io.pop.valid
  writes.io.pop.ready := fires && beat.last

  private val goal = decode(store.address)
  private val value = beat.fragment.subdivideIn(32 bits)(store.address(3 downto 2))
  private val queue = queueOf(goal, store.address)
  private val toQueue = goal === SlaveTarget.EXPRESS_SEND || goal === SlaveTarget.BASIC
  private val forbidden = (goal === SlaveTarget.EXPRESS_SEND) ? (queue < 2 || queue >= 8) | (queue === 8)
  private def when2(condition: Bool) = RegNext(fires && condition) init False
  private val ap = RegNext(apOf(store.master))
  private val stored = RegNext(value)
  private val storeAt = RegNext(store.address)
  private val storeQueue = RegNext(queue)

  io.window.express.valid := when2(goal === SlaveTarget.EXPRESS_SEND && !forbidden)
  io.window.express.payload.queue := storeQueue
  io.window.express.tag := storeAt(16 downto 12).asBits
  io.window.express.dest := storeAt(11 downto 3)
  io.window.express.high := storeAt(2)
  io.window.express.data := stored
  io.window.pointer.valid := when2(goal === SlaveTarget.BASIC && !forbidden)
  io.window.pointer.payload.queue := storeQueue
  io.window.pointer.consumer := storeAt(4)
  io.window.pointer.value := stored.asUInt

  private def value(port: Flow[ApValue], offset: Int): Unit = {
    port.valid := when2(goal === SlaveTarget.REGISTER && store.address(11 downto 0) === offset)
    port.ap := ap
    port.value := stored.resized
  }
  value(io.console, 0x20)
  value(io.exit, 0x24)
  value(io.mark, 0x28)

  private val refused = when2(toQueue && forbidden)
  private val refusals = Reg(UInt(32 bits)) init 0
  when(refused) {
    refusals := refusals + 1
  }
  private val event = Flow(SiteEvent())
  event.valid := refused
  event.index := EventIndex.translationFault
  event.arg := stored
  event.meta := (ap ## True ## B(0, 7 bits) ## storeQueue ## B(0, 9 bits)).resized
  io.event << event.toStream.m2sPipe()

  // Everything else is kept for the sP.
  private val beatIndex = Reg(UInt(2 bits)) init 0
  private val keeps = fires && goal === SlaveTarget.SCRATCH
  when(keeps) {
    beatIndex := beat.last ? U(0, 2 bits) | (beatIndex + 1)
  }
  private val partial = BusOp.partial(store.op)
  scratch.io.begin := keeps
  scratch.io.address := store.address
  scratch.io.info := (partial ? store.mask | B(0xffff, 16 bits)) ## B(0, 8 bits) ## store.op.asBits.resize(4 bits) ## store.master
  scratch.io.beat.valid := keeps
  scratch.io.beat.payload := beat.payload
  scratch.io.beatIndex := partial ? store.address(5 downto 4) | beatIndex
  scratch.io.forbidden := refusals
  scratch.io.regs <> io.regs
}

/** A load to be answered: a word, or a line of it. */
case class SlaveRead() extends Bundle {
  val line = Bool()
  val word = Bits(32 bits)
}
