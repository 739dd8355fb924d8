package turnstile.bus

import spinal.core._
import spinal.lib._

/** The Site Bus (contract §2): split, snooping, retrying; one address a cycle, 128-bit data (VY-01, VY-05).
  *
  * Cycles from `request.fire` (0), nothing in the way: T0 broadcast 1, snoopers answer (T2) 3, verdict (T3) and memory
  * command 4, first intervention or write beat taken 5 and at the requester 6, memory read beats a cycle after the DRAM
  * home has them. Outputs depend on registers alone, never on an input of the same cycle.
  *
  *  - The verdict: a retry of anyone wins; then `refuse`, an error; then an intervening cache, then a claim of the NIU, then memory; else `error`.
  *    After `retry` or `error` no beat moves in either direction.
  *  - A claim of an op without data makes the NIU its responder and moves nothing.
  *  - Intervention on READ, CLEAN and FLUSH writes the line to memory; for READ the requester gets it at the same time.
  *    UPGRADE, KILL, CLEAN and FLUSH end for their master at the verdict, but a line stays in flight, and the master's
  *    `request.ready` low, until intervention data is on its way into memory behind its write command.
  *  - A cache presents a request only after its former op has ended, so that what it asks rests on all verdicts so far.
  *
  * @param assertions check the rules of the bus in simulation ([[BusAssertions]]); false for synthesis
  */
class SiteBus(val p: BusParams, assertions: Boolean = true) extends Component {
  require(2 * p.caches <= p.masters, s"Site Bus: ${p.caches} caches need ${2 * p.caches} masters, there are ${p.masters}")

  val io = new Bundle {
    val masters = Vec(slave(BusMasterPort()), p.masters)

    /** Data caches in the order of their masters (2i), then NIU snooper, then NIU slave. */
    val snoop = Vec(master(SnoopPort()), p.caches + 2)
    val claim = master(ClaimPort())
    val memory = master(MemoryPort())

    /** T2 of an op: it ends with an error, whoever would have answered. */
    val refuse = in Bool ()

    /** An approval was given; a register away from the masters. */
    val wake = in Bool ()
  }

  val arbiter = new BusArbiter(p)
  val elder = new BusElder(p)
  val transfer = new BusTransfer(p)
  val commands = StreamFifo(MemoryCommand(), 1 << log2Up(p.masters max 2), latency = 0)

  // T0 to T2 -----------------------------------------------------------------------------------------------------------
  val t0 = arbiter.io.issue
  val t2 = t0.m2sPipe(holdPayload = true).m2sPipe(holdPayload = true)
  for ((m, r) <- io.masters zip arbiter.io.requests) m.request >> r
  for (s <- io.snoop) {
    s.request.valid := t0.valid && !t0.conflict
    s.request.payload := t0.request
  }

  // Verdict ------------------------------------------------------------------------------------------------------------
  private val answers = io.snoop.map(_.answer)
  private val intervening = B(answers.take(p.caches).map(_.intervene)).resize(1 max p.caches)
  private val verdict = Verdict()
  verdict.request := t2.request
  verdict.conflict := t2.conflict
  verdict.retry := t2.conflict || answers.map(_.retry).orR
  verdict.shared := answers.map(_.shared).orR
  verdict.error := False
  verdict.responder := Responder.NONE
  when(!verdict.retry) {
    when(io.refuse) {
      verdict.error := True
    } elsewhen (intervening.orR) {
      verdict.responder := Responder.CACHE
    } elsewhen (answers.map(_.claim).orR) {
      verdict.responder := Responder.NIU
    } elsewhen (!p.inMemory(t2.request.address)) {
      verdict.error := True
    } elsewhen (BusOp.reads(t2.request.op) || BusOp.writes(t2.request.op)) {
      verdict.responder := Responder.MEMORY
    }
  }
  val t3 = Flow(Verdict())
  t3.valid := RegNext(t2.valid) init False
  t3.payload := RegNextWhen(verdict, t2.valid)
  private val intervener = RegNextWhen(OHToUInt(intervening) << 1, t2.valid).resize(log2Up(p.masters + 1))
  private val byCaches = answers.take(p.caches).map(_.retry).foldLeft(False)(_ || _)
  private val byNiuRetry = answers.drop(p.caches).map(_.retry).orR
  private val pushFirst = RegNextWhen(BusOp.partial(t2.request.op) && byCaches && !byNiuRetry, t2.valid)
  private val answerTo =
    RegNext(UIntToOh(t2.request.master, p.masters) & B(p.masters bits, default -> t2.valid)) init 0
  // To snoopers what was refused never happened: their copies stay.
  private val refused = RegNextWhen(io.refuse, t2.valid)
  for (s <- io.snoop) {
    s.verdict << t3
    s.verdict.payload.retry.removeAssignments() := t3.retry || refused
  }

  // T3: who moves what -------------------------------------------------------------------------------------------------
  private val op = t3.request.op
  private val reads = BusOp.reads(op)
  private val writes = BusOp.writes(op)
  private val byCache = t3.valid && t3.responder === Responder.CACHE
  private val byNiu = t3.valid && t3.responder === Responder.NIU && (reads || writes)
  private val byMemory = t3.valid && t3.responder === Responder.MEMORY
  private val update = op === BusOp.READ || op === BusOp.CLEAN || op === BusOp.FLUSH

  transfer.io.push.valid := byCache || byNiu || byMemory && writes
  transfer.io.push.requester := t3.request.master
  transfer.io.push.line := !BusOp.partial(op)
  transfer.io.push.toMemory := byMemory || byCache && update
  transfer.io.push.toClaim := byNiu && writes
  transfer.io.push.toMaster := reads
  transfer.io.push.source := t3.request.master.resized
  when(byNiu && reads)(transfer.io.push.source := p.masters)
  when(byCache)(transfer.io.push.source := intervener)

  commands.io.push.valid := byMemory || byCache && update
  commands.io.push.write := byCache || writes
  commands.io.push.line := !BusOp.partial(op)
  commands.io.push.address := t3.request.address
  commands.io.push.mask := t3.request.mask
  commands.io.push.master := t3.request.master

  // Data ---------------------------------------------------------------------------------------------------------------
  io.memory.command << commands.io.pop
  transfer.io.memoryGranted := io.memory.command.fire && io.memory.command.write
  for ((m, s) <- io.masters zip transfer.io.sources) m.write >> s
  io.claim.read >> transfer.io.sources.last
  io.memory.write << transfer.io.memory
  io.claim.write << transfer.io.claim

  private val memoryTo =
    UIntToOh(io.memory.read.master, p.masters) & B(p.masters bits, default -> io.memory.read.valid)
  private val memoryRead = io.memory.read.m2sPipe(holdPayload = true)
  private val memoryReadTo = RegNext(memoryTo) init 0
  private val wake = RegNext(io.wake) init False

  for ((m, i) <- io.masters.zipWithIndex) {
    m.answer.valid := answerTo(i)
    m.answer.payload.assignSomeByName(t3.payload)
    m.read.valid := transfer.io.readTo(i) || memoryReadTo(i)
    m.read.fragment := Mux(transfer.io.readTo(i), transfer.io.read.fragment, memoryRead.data)
    m.read.last := Mux(transfer.io.readTo(i), transfer.io.read.last, memoryRead.last)
    m.wake := wake
  }

  // Ends ---------------------------------------------------------------------------------------------------------------
  private val moves = transfer.io.push.valid || commands.io.push.valid
  arbiter.io.judged.valid := t3.valid && !t3.conflict
  arbiter.io.judged.payload := t3.request.address(31 downto 6)
  arbiter.io.elder := elder.io.elder
  arbiter.io.ended := transfer.io.ended |
    (memoryTo & B(p.masters bits, default -> io.memory.read.last)) |
    (answerTo & B(p.masters bits, default -> !moves))
  elder.io.verdict.valid := t3.valid
  elder.io.verdict.payload := t3.request.master
  elder.io.putOff := t3.conflict || pushFirst

  val checks = assertions generate new BusAssertions(this)
}
