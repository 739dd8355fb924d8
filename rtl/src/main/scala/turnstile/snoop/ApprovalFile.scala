package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.bus.BusOp
import turnstile.contract.FirstOf

/** An op as the approval file knows it. */
case class HeapOp(p: SnooperParams) extends Bundle {
  val line = UInt(p.lineWidth bits)
  val master = UInt(4 bits)
  val op = BusOp()
}

/** What the file says of the op that is being judged, in the same cycle. */
case class ApprovalView(p: SnooperParams) extends Bundle {
  /** The master's own entry of the line is PENDING; with this very op. */
  val pending, sameOp = Bool()
  /** The master's own entry of the line is APPROVED. */
  val approved = Bool()
  /** `slot` is the master's own: an approved entry, or one that is rejudged in this cycle. */
  val reuse = Bool()
  /** Another master's op is PENDING on the line; one whose notice also serves this op. */
  val others, covered = Bool()
  /** Where it would be recorded: its own slot, else the first free one if any. */
  val room = Bool()
  val slot = UInt(5 bits)
}

/** Approval file (VY-06): who waits for a line (PENDING), and who may have it now (APPROVED). N entries match on line and
  * master.
  *
  * `view` answers `lookup` in the same cycle; `record` and `seen` act on the lookup at the end of the cycle, so judging and
  * recording are one step. A range change (TagUnit) of the same cycle comes first: its entries count as not pending.
  * Range change: with `approve` each PENDING entry of the range becomes APPROVED if memory answers its op under the new
  * tag (`allowed`), otherwise it is freed and judged afresh. With `set` an APPROVED entry the new tag forbids is freed too:
  * after the deferral's timeout no approval outlives its tag. `commit`: the op passed on the bus.
  */
class ApprovalFile(p: SnooperParams) extends Component {
  val io = new Bundle {
    val lookup = slave(Flow(HeapOp(p)))
    /** Line and master of `lookup` a cycle ahead. */
    val ahead = new Bundle {
      val line = in(UInt(p.lineWidth bits))
      val master = in(UInt(4 bits))
    }
    val view = out(ApprovalView(p))
    /** Record the lookup as PENDING in `view.slot`. */
    val record = in(Bool())
    /** The lookup repeats its PENDING entry: its age starts again and its op is updated. */
    val seen = in(Bool())
    val change = slave(Flow(RangeChange()))
    val allowed = in(Bits(16 bits))
    /** Range of the change that the next cycle may bring. */
    val rangeAhead = in(TagRange(p))
    val approvedInRange = out(Bool())
    val commit = slave(Flow(HeapOp(p)))
    /** An entry whose master gave up; freed when taken. */
    val aged = master(Stream(HeapOp(p)))
    val agedSlot = out(UInt(5 bits))
    /** One cycle in ageLimit/16. */
    val tick = out(Bool())
    /** An entry became free by commit or age. */
    val freed = out(Bool())
    val readIndex = in(UInt(5 bits))
    val readValid, readApproved = out(Bool())
    val readEntry = out(HeapOp(p))
  }

  private val ageTicks = 17
  private val timer = CounterFreeRun(p.ageLimit / 16)
  io.tick := timer.willOverflow

  private val look = io.lookup.payload
  private val lookNeed = OpRules.need(look.op)
  private val commitMaintains = OpRules.maintenance(io.commit.op)

  /** Where the lookup would be recorded. */
  private val slotOh = Bits(p.entries bits)
  private val entries = for (i <- 0 until p.entries) yield new Area {
    val valid = RegInit(False)
    val approved = Reg(Bool())
    val held = Reg(HeapOp(p))
    val need = Reg(Need())
    val age = Reg(UInt(5 bits))

    // Compared a cycle ahead: range and lookup decide what is seen of the file, and that how an op is judged.
    // An entry that might record the lookup holds its line already, or nothing.
    private def ahead(is: HeapOp => Bool): Bool = RegNext(slotOh(i) ? is(look) | is(held))
    val near = ahead(op => io.rangeAhead.has(op.line))
    val sameLine = ahead(_.line === io.ahead.line)
    val sameMaster = ahead(_.master === io.ahead.master)
    val inRange = valid && near
    val rejudged = inRange && io.change.valid && io.change.approve
    val allowed = io.allowed(held.op.asBits.asUInt)
    val dropped = inRange && io.change.valid && io.change.set && approved && !allowed

    val lineHit = valid && sameLine
    val own = lineHit && sameMaster

    val expired = valid && age === ageTicks && !(io.lookup.valid && own)
    val committed = io.commit.valid && valid && approved && held.line === io.commit.line &&
      held.master === io.commit.master && (!commitMaintains || held.op === io.commit.op)
  }

  /** What the lookup sees of the file in a cycle with a change, or without. */
  private class Sight(change: Boolean) extends Area {
    private def rejudged(i: Int) = entries(i).inRange && io.change.approve && Bool(change)
    private def dropped(i: Int) = entries(i).inRange && io.change.set && !entries(i).allowed && Bool(change)
    private def pending(i: Int) = !entries(i).approved && !rejudged(i)
    private def of(what: Int => Bool) = Vec(entries.indices.map(what)).asBits
    private val others = of(i => entries(i).lineHit && !entries(i).own && pending(i))
    private val reuse = of(i => entries(i).own && !pending(i))
    val slot = reuse.orR ? reuse | FirstOf(of(!entries(_).valid))
    val view = ApprovalView(p)
    view.pending := of(i => entries(i).own && pending(i)).orR
    view.sameOp := of(i => entries(i).own && entries(i).held.op === look.op).orR
    view.approved := of(i => entries(i).own && (entries(i).approved ? !dropped(i) | rejudged(i) && entries(i).allowed)).orR
    view.reuse := reuse.orR
    view.others := others.orR
    view.covered := of(i => others(i) && entries(i).need.covers(lookNeed)).orR
    view.room := slot.orR
    view.slot := OHToUInt(slot).resized
  }
  // That there is a change is known last.
  private val changed = new Sight(change = true)
  private val unchanged = new Sight(change = false)
  slotOh := io.change.valid ? changed.slot | unchanged.slot
  io.view := io.change.valid ? changed.view | unchanged.view
  private val expired = Vec(entries.map(_.expired)).asBits
  private val expiredOh = FirstOf(expired)
  io.aged.valid := expired.orR
  io.aged.payload := MuxOH(expiredOh, entries.map(_.held))
  io.agedSlot := OHToUInt(expiredOh).resized
  io.freed := io.aged.fire || entries.map(_.committed).orR

  // A cycle ahead too; what is known late, whether an entry is recorded anew or its age is told, comes from a register.
  private val staying = Vec(entries.map(e => e.valid && e.approved && !e.committed && io.rangeAhead.has(e.held.line))).asBits
  private def any(which: Bits): Bool = RegNext((staying & which).orR) init False
  io.approvedInRange := any(~slotOh & ~expiredOh) || any(expiredOh) && !RegNext(io.aged.ready) || any(slotOh & ~expiredOh) && !RegNext(io.record)

  for ((e, i) <- entries.zipWithIndex) {
    when(io.tick && e.age =/= ageTicks)(e.age := e.age + 1)
    when(io.lookup.valid && e.own) {
      e.age := 0
      when(io.seen) {
        e.held.op := look.op
        e.need := lookNeed
      }
    }
    when(e.rejudged && !e.approved) {
      e.approved := e.allowed
      e.valid := e.allowed
    }
    when(e.committed || e.dropped)(e.valid := False)
    when(io.aged.ready && expiredOh(i))(e.valid := False)
    when(io.record && slotOh(i)) {
      e.valid := True
      e.approved := False
      e.held.op := look.op
      e.need := lookNeed
    }
    // Whether it is recorded is known late: a free entry holds the lookup anyway.
    when(!e.valid) {
      e.held := look
      e.need := lookNeed
      e.age := 0
    }
  }

  private val inFile = if (p.entries == 32) True else io.readIndex < p.entries
  private def pick[T <: Data](f: Int => T): T =
    if (p.entries == 1) f(0) else Vec((0 until p.entries).map(f))(io.readIndex.resize(log2Up(p.entries)))
  io.readValid := pick(entries(_).valid) && inFile
  io.readApproved := pick(entries(_).approved) && io.readValid
  io.readEntry := pick(entries(_).held)
}
