package turnstile.snoop

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Aligned lines of one cls word, the range of a tag command: those whose number is `base` in the bits of `care`. */
case class TagRange(p: SnooperParams) extends Bundle {
  val word = UInt(p.wordWidth bits)
  val base, care = UInt(5 bits)

  /** The line is one of the range. */
  def has(line: UInt): Bool = word === line(5, p.wordWidth bits) && (line(4 downto 0) & care) === base
}

/** Tags just written: `next` on `range`. */
case class WrittenTags(p: SnooperParams) extends Bundle {
  val range = TagRange(p)
  val next = Cls()
}

/** What a tag command does to the approvals of its range, in its effective cycle. */
case class RangeChange() extends Bundle {
  val set, approve = Bool()
  val next = Cls()
}

/** Tag commands (BZ-06, BZ-09): compare and swap of 1 to 32 aligned lines in one write, approve by range, deferral.
  *
  * Cycles, from v, the first with `command.valid`: v reads the word; v+1 is the ''effective cycle'' of a command without
  * `check`; one with `check` compares there and is effective in v+2 (the compare stays out of the path of a snoop). The
  * command is accepted in its effective cycle c: the word is written, the approvals of the range change, `result` follows
  * in c+1, the next command may begin in c+1. So 2 or 3 cycles a command, presented to result 2 or 3 cycles.
  *
  * `defer` (BZ-33): c waits while an approved entry lies in the range, at most `deferTimeout` cycles. A mismatch never waits.
  * Lines outside the heap read as OTHER and are not written. TAGQ: `query` at t, `queryCls` from t+2 on; a command at hand
  * waits for it; `mayQuery`, known earlier in the cycle, comes with every query and perhaps without one.
  * After reset a sweep writes OTHER everywhere (a word a cycle); commands wait for it.
  */
class TagUnit(p: SnooperParams) extends Component {
  val io = new Bundle {
    val tag = slave(TagPort())
    val query = slave(Flow(UInt(32 bits)))
    val mayQuery = in(Bool())
    val queryCls = out(Cls())
    val sram = master(ClsAccess(p))
    /** Effective cycle of a command that did not mismatch. */
    val change = master(Flow(RangeChange()))
    /** Range and new tag of the command at hand in the next cycle; whether an approved entry lies in the range of this cycle. */
    val rangeAhead = out(TagRange(p))
    val nextAhead = out(Cls())
    val approvedInRange = in(Bool())
    /** Written in this cycle: the snoop read of the last has missed it. */
    val written = master(Flow(WrittenTags(p)))
    /** Word being cleared after reset. */
    val sweep = master(Flow(UInt(p.wordWidth bits)))
  }

  private val sweeping = RegInit(True)
  private val sweepWord = Reg(UInt(p.wordWidth bits)) init 0
  when(sweeping) {
    sweepWord := sweepWord + 1
    sweeping := sweepWord =/= p.words - 1
  }
  io.sweep.valid := sweeping
  io.sweep.payload := sweepWord

  // The command at hand. `fresh`: the SRAM shows its word; a TAGQ in between takes the port for a cycle.
  private val busy, compared = RegInit(False)
  private val fresh = Reg(Bool())
  private val range = Reg(TagRange(p))
  private val mask = Reg(Bits(32 bits))
  /** Its first bit set is the line whose tag is told. */
  private val candidates = Reg(Bits(32 bits))
  private val inHeap, differs, check, mayWait, set, approve = Reg(Bool())
  private val old, next = Reg(Cls())
  private val waited = Reg(UInt(log2Up(p.deferTimeout + 1) bits))

  private val mismatch = check && differs
  private val patient = Reg(Bool())
  private val held = mayWait && io.approvedInRange && patient && !mismatch
  private val fire = busy && fresh && (compared || !check) && !held && !io.mayQuery
  private val write = fire && set && inHeap && !mismatch

  // TAGQ goes before a command.
  private val queryAddress = RegNextWhen(io.query.payload, io.query.valid)
  private val queryRead = io.query.valid && !sweeping
  private val queryFresh = RegNext(queryRead) init False
  private val queryFound = Cls()
  queryFound := ClsSram.tag(io.sram.q, p.line(queryAddress)(4 downto 0))
  when(!p.bus.inHeap(queryAddress))(queryFound := Cls.OTHER)
  io.queryCls := RegNextWhen(queryFound, queryFresh) init Cls.OTHER

  private val start = io.tag.command.valid && !busy && !io.mayQuery && !sweeping
  private val presented = TagRange(p)
  presented.word := p.line(io.tag.command.address)(5, p.wordWidth bits)
  presented.care := io.tag.command.size.muxDc((0 to 5).map(s => s -> U(31 & ~((1 << s) - 1), 5 bits)): _*)
  presented.base := p.line(io.tag.command.address)(4 downto 0) & presented.care
  io.rangeAhead := start ? presented | range
  range := io.rangeAhead
  io.nextAhead := start ? io.tag.command.next | next
  next := io.nextAhead
  when(start) {
    val c = io.tag.command.payload
    val sizeMask = c.size.muxDc((0 to 5).map(s => s -> B((BigInt(1) << (1 << s)) - 1, 32 bits)): _*)
    mask := (sizeMask << presented.base).resize(32)
    candidates := B(1, 32 bits) |<< presented.base
    inHeap := p.bus.inHeap(c.address)
    mayWait := c.defer && p.bus.inHeap(c.address)
    check := c.check
    old := c.old
    set := c.set
    approve := c.approve
    waited := 0
    patient := True
  }
  busy := start || (busy && !fire)
  fresh := start || (busy && !queryRead)

  // Compare: in a cycle of its own.
  private val planes = ClsSram.planes(inHeap ? io.sram.q | B(0, 96 bits))
  private val wrong = (0 until 3).map(k => planes(k) ^ B(32 bits, default -> old.asBits(k))).reduce(_ | _) & mask
  compared := busy && !fire && (compared || fresh)
  when(busy && fresh && check && !compared) {
    differs := wrong.orR
    when(wrong.orR)(candidates := wrong)
  }
  when(busy && held) {
    waited := waited + 1
    patient := waited =/= p.deferTimeout - 1
  }

  io.tag.command.ready := fire
  io.tag.result.valid := RegNext(fire) init False
  io.tag.result.mismatch := RegNext(mismatch)
  // By its number, which is known before the SRAM's late word.
  private val first = OHToUInt(FirstOf(candidates))
  io.tag.result.found := RegNextWhen(ClsSram.tag(inHeap ? io.sram.q | B(0, 96 bits), first), fire)

  io.change.valid := fire && !mismatch && inHeap
  io.change.set := set
  io.change.approve := approve
  io.change.next := next
  // A snoop read in the cycle before the write has the old word; one in its own cycle has the new one.
  io.written.valid := write
  io.written.range := range
  io.written.next := next

  io.sram.enable := sweeping || start || busy || queryRead
  io.sram.write := sweeping || write
  io.sram.word := range.word
  when(start)(io.sram.word := presented.word)
  when(queryRead)(io.sram.word := p.line(io.query.payload)(5, p.wordWidth bits))
  when(sweeping)(io.sram.word := sweepWord)
  io.sram.data := (0 until 3).map(k => (planes(k) & ~mask) | mask.andMask(next.asBits(k))).asBits()
  when(sweeping)(io.sram.data := 0)
}
