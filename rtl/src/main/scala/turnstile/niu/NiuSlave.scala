package turnstile.niu

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._
import turnstile.bus.{BusOp, ClaimPort, Responder, SnoopPort}
import turnstile.contract._
import turnstile.registers.{ApBlock, BasicPage, ExpressReceivePage, GuardBlock, LoadDecode, OnePollBlock, RegisterDecode, RegisterMaps, RegisterRouter, ScratchBlock, WordFormat}

/** The NIU as a slave of the Site Bus: the `0xF...` windows of aPs (contract §1, §4), and the sink of what the NIU's snooper
  * claims (VY-02, VY-04, VY-22, VY-23, VY-26, VY-30 to VY-32).
  *
  * Stages of an op: `lookup` (T1) decoded, the queue known, of a OnePoll by [[OnePoll]]; `answer` (T2) `claim`, `retry`, load looked up; `verdict` (T3) it
  * counts or not. A load's data is offered at T4; a store's comes as the bus brings it (T4 at the earliest) and is at the message unit one cycle
  * later. Only whole words of the registers listed are claimed, and of queues those that
  * the aP owns, so anything else gets the bus's error: a load traps, a store is event 104. `refuse` gives the same to an aP's read of a
  * line that is not its own and not shared ([[ApGuard]]; VY-34, VY-37); what its cache holds it may write back. Loads look up before their
  * verdict and act at it, T4 for others to see; until then a second load that may take from the same queue, by its page or a group, is retried, so no
  * message is taken twice (VY-27). Only who shares a queue can be retried so.
  *
  * An Express store to a queue without room is retried, not accepted: the message unit's `room` keeps an entry for each aP, and
  * an aP has one op outstanding, so an accepted store always fits. `scratchRoom` keeps a line for each aP by the same rule: the
  * snooper retries what it would claim without it (VY-10), and nothing else waits for the sP to read the scratch.
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

    /** T2: the op gets an error, whoever would have answered it. */
    val refuse = out(Bool())

    /** The snooper may claim writes. */
    val scratchRoom = out(Bool())

    /** [[turnstile.registers.ScratchBlock]], [[turnstile.registers.GuardBlock]], [[turnstile.registers.OnePollBlock]]; latency 1. */
    val regs = slave(RegPort(8))
  }
  private val lookup, answer, verdict = Node()
  private val ADDRESS = Payload(UInt(32 bits))
  private val AP = Payload(UInt(2 bits))
  private val TARGET = Payload(SlaveTarget())

  /** The queue of a load, 0 of a group where none has anything; another may take from it now. */
  private val QUEUE = Payload(UInt(4 bits))
  private val LOADS, HELD = Payload(Bool())

  /** What a load gets, of a window (`ASKS`) or else, of a group whose first queue is a Basic one (`STATUS`); what it changes when it counts. */
  private val WORD, HIGH = Payload(Bits(32 bits))
  private val ASKS, STATUS, TAKES, LATCHES = Payload(Bool())

  private val seen = RegNext(io.snoop.request.valid) init False
  private val request = RegNextWhen(io.snoop.request.payload, io.snoop.request.valid)
  private val ofAp = seen && !request.bypass && request.master < 2 * params.aps
  private val target = SlaveWindows.target(request.address)
  private val guard = new ApGuard(params)
  guard.io.request := request
  guard.io.queue := SlaveWindows.queue(target, request.address)
  guard.io.sends := target === SlaveTarget.EXPRESS_SEND
  guard.io.coming := SlaveWindows.ap(io.snoop.request.master)
  private val onePoll = new OnePoll(params)
  private val polls = target === SlaveTarget.ONE_POLL
  onePoll.io.page := io.snoop.request.address(17 downto 12)
  onePoll.io.ap := guard.io.coming
  onePoll.io.occupied := io.window.occupied
  onePoll.io.owned := guard.io.owned
  private val legal = ofAp && !request.master(0) && SlaveWindows.legal(request, target)
  private val owned = target === SlaveTarget.REGISTER || (polls ? onePoll.io.may | guard.io.owns)
  private val strays = ofAp && (request.op === BusOp.READ || request.op === BusOp.READ_EXCLUSIVE) && !guard.io.reaches
  guard.io.queueRefused := RegNext(legal && !owned) init False
  io.refuse := RegNext(strays) init False
  private val roomless = target === SlaveTarget.EXPRESS_SEND && !request.address(20) &&
    !io.window.room(request.address(19 downto 17) @@ request.address(2))
  lookup.valid := legal && owned
  lookup(ADDRESS) := request.address
  lookup(AP) := SlaveWindows.ap(request.master)
  lookup(TARGET) := target
  lookup(QUEUE) := polls ? onePoll.io.winner | request.address(15 downto 12)
  lookup(LOADS) := request.op === BusOp.READ_PARTIAL

  private val mayTake = polls ? guard.io.owned | UIntToOh(request.address(15 downto 12), 16)
  private val taking = for (stage <- Seq(answer, verdict)) yield {
    val flow = Flow(UInt(4 bits))
    flow.valid := stage.valid && stage(TAKES) && !stage(STATUS)
    flow.payload := stage(QUEUE)
    flow
  }
  lookup(HELD) := (polls || target === SlaveTarget.EXPRESS_RECEIVE) && RegisterDecode.has(request.address(2 downto 0), Seq(ExpressReceivePage.meta)) &&
    (taking :+ taking.last.stage()).map(other => other.valid && mayTake(other.payload)).orR

  io.window.query.valid := answer.valid && answer(LOADS)
  io.window.query.basic := answer(TARGET) === SlaveTarget.BASIC || answer(STATUS)
  io.window.query.queue := answer(QUEUE)
  io.window.query.word := answer(STATUS) ? U(BasicPage.rxStatus.offset / 4, 3 bits) | answer(ADDRESS)(4 downto 2)

  io.snoop.answer.claim := answer.valid
  io.snoop.answer.retry := RegNext(lookup.valid && (roomless || lookup(HELD))) init False
  io.snoop.answer.shared := False
  io.snoop.answer.intervene := False
  private val latchedData, latchedTime = Vec.fill(4)(Reg(Bits(32 bits)) init 0)
  // The claim was legal: few bits of the address are left to tell registers apart.
  private val page = new LoadDecode(answer(ADDRESS)(5 downto 0), ApBlock)
  private val asksTime = page.reads(ApBlock.timeLo)
  private val register = Seq(
    page.reads(ApBlock.siteId) -> io.siteId.asBits, page.reads(ApBlock.sites) -> io.sites.asBits,
    page.reads(ApBlock.apId) -> answer(AP).asBits, page.reads(ApBlock.aps) -> io.aps.asBits,
    asksTime -> io.time(31 downto 0).asBits, page.reads(ApBlock.timeHi) -> latchedTime(answer(AP))
  ).map { case (here, value) => here ? value.resize(32) | B(0, 32 bits) }.reduce(_ | _)
  private val express = new LoadDecode(answer(ADDRESS)(2 downto 0), ExpressReceivePage)
  private val asksMeta = express.reads(ExpressReceivePage.meta)
  private val receives = answer(TARGET) === SlaveTarget.EXPRESS_RECEIVE || answer(TARGET) === SlaveTarget.ONE_POLL
  private val asksData = receives && express.reads(ExpressReceivePage.data)
  private val ofBasic = WordFormat.expressMeta.field("QUEUE")
  answer(STATUS) := answer(TARGET) === SlaveTarget.ONE_POLL && answer(QUEUE).msb
  answer(ASKS) := answer(TARGET) =/= SlaveTarget.REGISTER && !asksData && !answer(STATUS)
  answer(WORD) := asksData.mux(latchedData(answer(AP)), answer(STATUS).mux((answer(QUEUE) << ofBasic.lsb).asBits.resize(32) | B(2, 32 bits), register))
  answer(TAKES) := receives && asksMeta && !answer(HELD)
  answer(LATCHES) := answer(TARGET) === SlaveTarget.REGISTER && asksTime
  answer(HIGH) := io.time(63 downto 32).asBits

  // A conflicting request was never seen here.
  private val judged = io.snoop.verdict
  private val op = judged.request
  guard.io.memoryRefused := judged.valid && judged.error && (RegNext(io.refuse) init False)
  private val commits = judged.valid && !judged.conflict && !judged.retry && !judged.error && judged.responder === Responder.NIU
  private val counts = commits && verdict.valid
  private val found = io.window.answer
  private val takes = counts && verdict(TAKES) && op.op === BusOp.READ_PARTIAL
  when(takes) {
    latchedData(verdict(AP)) := found.message ? found.data | (verdict(STATUS) ? found.meta | B(0, 32 bits))
  }
  when(counts && verdict(LATCHES)) {
    latchedTime(verdict(AP)) := verdict(HIGH)
  }
  io.window.pop.valid := RegNext(takes && found.message) init False
  io.window.pop.payload := RegNext(verdict(QUEUE))

  private val loads = new SlaveLoads
  loads.io.load.valid := commits && BusOp.reads(op.op)
  loads.io.load.line := !BusOp.partial(op.op)
  // What the snooper claimed has no data here: a pattern, so that the master goes on.
  loads.io.load.word := verdict.valid ? (verdict(ASKS) ? found.meta | verdict(WORD)) | B(0xbad0bad0L, 32 bits)
  io.claim.read << loads.io.read

  private val stores = new SlaveStores
  private val scratch = new NiuSlaveScratch(params)
  stores.io.store.valid := commits && BusOp.writes(op.op)
  stores.io.store.payload := op
  stores.io.beat << io.claim.write
  io.window.express << stores.io.express
  io.window.pointer << stores.io.pointer
  io.console << stores.io.console
  io.exit << stores.io.exit
  io.mark << stores.io.mark
  scratch.io.keep << stores.io.keep
  RegisterRouter(io.regs, RegisterMaps.niuSlave)(Seq(ScratchBlock) -> scratch.io.regs, Seq(GuardBlock) -> guard.io.regs,
    Seq(OnePollBlock) -> onePoll.io.regs)
  io.scratchRoom := scratch.io.room

  Builder(StageLink(lookup, answer), StageLink(answer, verdict))
}
