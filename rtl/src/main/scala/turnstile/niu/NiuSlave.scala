package turnstile.niu

import spinal.core._
import spinal.lib._
import spinal.lib.misc.pipeline._
import turnstile.bus.{BusOp, ClaimPort, Responder, SnoopPort}
import turnstile.contract._
import turnstile.registers.{ApBlock, ExpressReceivePage, GuardBlock, LoadDecode, RegisterMaps, RegisterRouter, ScratchBlock}

/** The NIU as a slave of the Site Bus: the `0xF...` windows of aPs (contract §1, §4), and the sink of what the NIU's snooper
  * claims (VY-02, VY-04, VY-22, VY-23, VY-26, VY-30).
  *
  * Stages of an op: `lookup` (T1) decoded, load looked up; `answer` (T2) `claim`, `retry`; `verdict` (T3) it counts or not. A
  * load's data is offered at T4; a store's comes as the bus brings it (T4 at the earliest) and is at the message unit one cycle
  * later. Only whole words of the registers listed are claimed, and of queues those that
  * the aP owns, so anything else gets the bus's error: a load traps, a store is event 104. `refuse` gives the same to an aP's read of a
  * line that is not its own and not shared ([[ApGuard]]; VY-34, VY-37); what its cache holds it may write back. Loads look up before their
  * verdict and act at it; the bus keeps a second op on the line away until the first is done, so no message is taken twice (VY-27).
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

    /** [[turnstile.registers.ScratchBlock]], [[turnstile.registers.GuardBlock]]; latency 1. */
    val regs = slave(RegPort(8))
  }
  private val lookup, answer, verdict = Node()
  private val ADDRESS = Payload(UInt(32 bits))
  private val AP = Payload(UInt(2 bits))
  private val TARGET = Payload(SlaveTarget())

  /** What a load gets, and what it changes when it counts. */
  private val WORD, DATA, HIGH = Payload(Bits(32 bits))
  private val TAKES, MESSAGE, LATCHES = Payload(Bool())

  private val seen = RegNext(io.snoop.request.valid) init False
  private val request = RegNextWhen(io.snoop.request.payload, io.snoop.request.valid)
  private val ofAp = seen && !request.bypass && request.master < 2 * params.aps
  private val target = SlaveWindows.target(request.address)
  private val guard = new ApGuard(params)
  guard.io.request := request
  guard.io.queue := SlaveWindows.queue(target, request.address)
  private val legal = ofAp && !request.master(0) && SlaveWindows.legal(request, target)
  private val owned = target === SlaveTarget.REGISTER || guard.io.owns
  private val strays = ofAp && (request.op === BusOp.READ || request.op === BusOp.READ_EXCLUSIVE) && !guard.io.reaches
  guard.io.queueRefused := RegNext(legal && !owned) init False
  io.refuse := RegNext(strays) init False
  private val roomless = target === SlaveTarget.EXPRESS_SEND && !request.address(20) &&
    !io.window.room(request.address(19 downto 17) @@ request.address(2))
  lookup.valid := legal && owned
  lookup(ADDRESS) := request.address
  lookup(AP) := SlaveWindows.ap(request.master)
  lookup(TARGET) := target
  io.window.query.valid := lookup.valid && request.op === BusOp.READ_PARTIAL
  io.window.query.basic := target === SlaveTarget.BASIC
  io.window.query.queue := request.address(15 downto 12)
  io.window.query.word := request.address(4 downto 2)

  io.snoop.answer.claim := answer.valid
  io.snoop.answer.retry := RegNext(lookup.valid && roomless) init False
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
  answer(WORD) := answer(TARGET).mux(
    SlaveTarget.REGISTER -> register,
    SlaveTarget.EXPRESS_RECEIVE -> (express.reads(ExpressReceivePage.data) ? latchedData(answer(AP)) | io.window.answer.meta),
    default -> io.window.answer.meta
  )
  answer(TAKES) := answer(TARGET) === SlaveTarget.EXPRESS_RECEIVE && asksMeta
  answer(LATCHES) := answer(TARGET) === SlaveTarget.REGISTER && asksTime
  answer(MESSAGE) := io.window.answer.message
  answer(DATA) := io.window.answer.data
  answer(HIGH) := io.time(63 downto 32).asBits

  // A conflicting request was never seen here.
  private val judged = io.snoop.verdict
  private val op = judged.request
  guard.io.memoryRefused := judged.valid && judged.error && (RegNext(io.refuse) init False)
  private val commits = judged.valid && !judged.conflict && !judged.retry && !judged.error && judged.responder === Responder.NIU
  private val counts = commits && verdict.valid
  private val takes = counts && verdict(TAKES) && op.op === BusOp.READ_PARTIAL
  when(takes) {
    latchedData(verdict(AP)) := verdict(MESSAGE) ? verdict(DATA) | B(0, 32 bits)
  }
  when(counts && verdict(LATCHES)) {
    latchedTime(verdict(AP)) := verdict(HIGH)
  }
  io.window.pop.valid := RegNext(takes && verdict(MESSAGE)) init False
  io.window.pop.payload := RegNext(verdict(ADDRESS)(15 downto 12))

  private val loads = new SlaveLoads
  loads.io.load.valid := commits && BusOp.reads(op.op)
  loads.io.load.line := !BusOp.partial(op.op)
  // What the snooper claimed has no data here: a pattern, so that the master goes on.
  loads.io.load.word := verdict.valid ? verdict(WORD) | B(0xbad0bad0L, 32 bits)
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
  RegisterRouter(io.regs, RegisterMaps.niuSlave)(Seq(ScratchBlock) -> scratch.io.regs, Seq(GuardBlock) -> guard.io.regs)
  io.scratchRoom := scratch.io.room

  Builder(StageLink(lookup, answer), StageLink(answer, verdict))
}
