package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, Responder, SnoopPort}
import turnstile.contract._
import turnstile.registers.{RegisterBank, SnooperBlock}

/** NIU snooper: judges every bus op on the heap by cls tag, responder table and approval file (VY-05, VY-06, VY-09 to VY-11,
  * BZ-02, BZ-07, BZ-08). Ops outside the heap and ops with `bypass` (BZ-11, BZ-14) get no answer.
  *
  * Cycles: T0 the request addresses cls SRAM and table; T1 tag, action and approval view meet: the op is judged, recorded and
  * its event queued; T2 the registered answer is on the bus and the event on `event` (5 cycles is the budget); T3 the verdict
  * commits an approved entry, and tells the event of a claimed op. One op a cycle.
  *
  * Recording at the answer is safe because an op we retry is retried whatever others answer. A tag command accepted in cycle
  * c is seen whole by every op with T2 >= c+1 and by no other; an op judged before is in flight, and the command engine's own
  * op on the line waits for it by the bus's conflict rule.
  *
  * `wake`: two cycles from the one in which an approval, a tag other than PEND_DOWN, or an entry freed while masters queue for one
  * is visible: the second reaches a master whose retry is on its way to it.
  */
class Snooper(p: SnooperParams) extends Component {
  val io = new Bundle {
    val snoop = slave(SnoopPort())
    val tag = slave(TagPort())
    val event = master(Stream(SiteEvent()))
    val wake = out(Bool())
    /** Who takes the data of claimed writes has room for one of each aP; without it they are retried (VY-10). */
    val claimRoom = in(Bool())
    /** Every tag command that changed tags, a cycle or two later: for the simulator's checks; synthesis drops it. */
    val written = master(Flow(WrittenTags(p)))
    /** [[turnstile.registers.SnooperBlock]]; latency 1. */
    val regs = slave(RegPort(12))
  }

  private val sram = new ClsSram(p)
  private val table = new ResponderTable
  private val tags = new TagUnit(p)
  private val file = new ApprovalFile(p)
  private val waitOrder = new WaitOrder(p.bus.masters)
  private val events = new EventFifo(depth = 8)

  // T0
  private val request = io.snoop.request
  private val mine = request.valid && !request.bypass && p.bus.inHeap(request.address)
  sram.io.snoop.valid := mine
  sram.io.snoop.payload := p.line(request.address)
  table.io.op.valid := mine
  table.io.op.payload := request.op

  // T1: judge
  private val valid = RegNext(mine) init False
  private val op = RegNext(request.payload)
  private val line = p.line(op.address)

  private val rewritten = tags.io.written.valid && tags.io.written.range.has(line)
  private val news = rewritten ? tags.io.written.next | sram.io.changed.payload
  private val isNews = rewritten || sram.io.changed.valid
  private val tag = isNews ? news | sram.io.kept

  file.io.lookup.valid := valid
  file.io.lookup.line := line
  file.io.lookup.master := op.master
  file.io.lookup.op := op.op
  file.io.ahead.line := p.line(request.address)
  file.io.ahead.master := request.master
  private val view = file.io.view

  private val maintains = OpRules.maintenance(op.op)
  // VY-06, PENDING: a repeat is silent; another op of the master waits too, but a write-back or flush the table lets pass.
  private val repeat = view.pending && (!maintains || view.sameOp)
  // VY-06, PENDING, another master: waits behind it, in an entry of its own. An approved op never does.
  private val behind = view.others && !maintains && !view.approved
  private val place = view.reuse || view.room && waitOrder.io.turn

  // Claims in T2 and T3 have their place in the event FIFO reserved; they are pushed first.
  private val room = RegNext(events.io.occupancy <= 3) init False
  private val claimPush = Bool()
  // An entry that would age has waited for 64 cycles with an op each: now no op is told.
  private val patience = Reg(UInt(7 bits)) init 0
  private val yields = patience.msb
  private val recordable = valid && !view.pending && place
  private val notice = recordable && !view.covered && room && !yields && !claimPush

  /** What becomes of the op under `action`. */
  private def judge(action: Action.C): Outcome = {
    val o = Outcome()
    val faults = action === Action.RECORD
    val claims = action === Action.CLAIM || action === Action.ERROR
    val memory = action === Action.MEMORY || action === Action.MEMORY_SHARED
    val waits = behind && (memory || faults || action === Action.RETRY)
    o.passes := memory && !repeat && !behind
    o.shared := o.passes && action === Action.MEMORY_SHARED
    o.claim := claims && !repeat && room && (io.claimRoom || !BusOp.writes(op.op))
    o.error := action === Action.ERROR
    o.tells := faults && notice
    o.record := o.tells || recordable && (faults ? view.covered | waits)
    o.refused := !view.pending && (faults || waits) && !place
    o
  }
  // The tag comes last, and the SRAM's after that of a tag command: what each would do is known before.
  private val outcomes = Vec(table.io.actions.map(judge))
  private val outcome = isNews ? outcomes(news.asBits.asUInt) | outcomes(sram.io.kept.asBits.asUInt)

  file.io.record := outcome.record
  file.io.seen := valid && repeat
  waitOrder.io.op.valid := valid
  waitOrder.io.op.payload := op.master
  waitOrder.io.refused := outcome.refused
  waitOrder.io.tick := file.io.tick

  // While the tags are cleared after reset everything waits, unrecorded.
  when(tags.io.sweep.valid) {
    valid := False
    table.io.op.valid := False
  }
  private val clearing = RegNext(mine && tags.io.sweep.valid) init False

  // T2: answer
  io.snoop.answer.retry := RegNext((valid && !outcome.passes && !outcome.claim) || clearing) init False
  io.snoop.answer.shared := RegNext(valid && outcome.shared) init False
  io.snoop.answer.claim := RegNext(valid && outcome.claim) init False
  io.snoop.answer.intervene := False

  // T3: verdict
  private val verdict = io.snoop.verdict
  private val judged = verdict.request
  private val passed = verdict.valid && !verdict.retry && !verdict.conflict && !judged.bypass
  file.io.commit.valid := passed && p.bus.inHeap(judged.address)
  file.io.commit.line := p.line(judged.address)
  file.io.commit.master := judged.master
  file.io.commit.op := judged.op

  private val claimed = Delay(valid && outcome.claim, 2, init = False)
  private val claimError = Delay(outcome.error, 2)
  private val claimTag = Delay(tag, 2)
  claimPush := claimed && passed && verdict.responder === Responder.NIU

  // Events: claim, then record, then age
  private def meta(master: UInt, op: BusOp.C, cls: Bits, entry: UInt, claimed: Bool): Bits =
    (claimed ## entry ## cls ## op.asBits.resize(4) ## master).resize(32)
  /** Index of an access fault: 32 + cls * 4 + class. */
  private def fault(cls: Cls.C, op: BusOp.C): UInt = U(1, 2 bits) @@ cls.asBits.asUInt @@ OpRules.classOf(op).asBits.asUInt

  private val push = events.io.push
  push.valid := claimPush || outcome.tells || file.io.aged.fire
  // Whether an op is told comes last: what might be is written anyway, and no entry ages while an op is judged that might.
  file.io.aged.ready := room && !claimPush && (!valid || yields)
  patience := (file.io.aged.valid && !file.io.aged.ready) ? (patience + (!yields).asUInt) | 0
  push.index := EventIndex.approvalAged
  push.arg := p.address(file.io.aged.payload.line).asBits
  push.meta := meta(file.io.aged.payload.master, file.io.aged.payload.op, B(0, 3 bits), file.io.agedSlot, False)
  when(valid && !yields) {
    push.index := fault(tag, op.op)
    push.arg := op.address.asBits
    push.meta := meta(op.master, op.op, tag.asBits, view.slot, False)
  }
  when(claimPush) {
    push.index := fault(claimTag, judged.op)
    when(claimError)(push.index := EventIndex.illegal)
    push.arg := judged.address.asBits
    push.meta := meta(judged.master, judged.op, claimTag.asBits, U(31, 5 bits), True)
  }
  io.event << events.io.pop

  // Tag commands
  tags.io.tag <> io.tag
  tags.io.sram <> sram.io.tags
  tags.io.change >> file.io.change
  io.written << tags.io.written.stage()
  file.io.rangeAhead := tags.io.rangeAhead
  tags.io.approvedInRange := file.io.approvedInRange
  table.io.allowedCls := tags.io.nextAhead
  file.io.allowed := table.io.allowed
  private val opened = tags.io.change.next =/= Cls.PEND_DOWN
  private val woken = (tags.io.change.valid && (tags.io.change.approve || tags.io.change.set && opened)) || (file.io.freed && waitOrder.io.waiting)
  private val wake = RegNext(woken) init False
  io.wake := wake || (RegNext(wake) init False)

  // Registers
  private val bank = new RegisterBank(io.regs, SnooperBlock)
  private val data = io.regs.command.data
  tags.io.query.valid := bank.stores(SnooperBlock.tagq)
  tags.io.query.payload := data.asUInt
  tags.io.mayQuery := io.regs.command.write
  bank.readNext(SnooperBlock.tagq)(tags.io.queryCls.asBits)

  table.io.write.valid := bank.stores(SnooperBlock.responder)
  table.io.write.payload := data(2 downto 0)
  table.io.read := bank.loads(SnooperBlock.responder)
  table.io.index := bank.index(SnooperBlock.responder)
  table.io.reset.valid := tags.io.sweep.valid && tags.io.sweep.payload < 16
  table.io.reset.payload := tags.io.sweep.payload.resized
  bank.readNext(SnooperBlock.responder)(table.io.readData)

  private val entry = file.io.readEntry
  private def known(word: Bits) = file.io.readValid ? word.resize(32) | B(0, 32 bits)
  file.io.readIndex := RegNextWhen(bank.index(SnooperBlock.approvalAddress), io.regs.command.valid)
  bank.readNext(SnooperBlock.approvalAddress)(known(p.address(entry.line).asBits))
  bank.readNext(SnooperBlock.approvalState)(
    known(True ## file.io.readApproved ## B(0, 22 bits) ## entry.op.asBits.resize(4) ## entry.master))
}

/** What becomes of an op. */
private case class Outcome() extends Bundle {
  /** Memory answers it; and says that it is shared. */
  val passes, shared = Bool()
  /** The NIU takes its data; and tells that the op was illegal. */
  val claim, error = Bool()
  /** It gets an entry of the approval file, and the sP is told; it should have had one. */
  val record, tells, refused = Bool()
}
