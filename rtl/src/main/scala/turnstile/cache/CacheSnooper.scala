package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** An op in T1, T2 or T3. `foreign`: another master's, on `set`; `hit`: it met a line, whose state the answer told. */
case class WatchedOp(p: DataCacheParams) extends Bundle {
  val hit, foreign = Bool()
  val set = UInt(p.setWidth bits)

  /** It met the line that a reservation holds: it was retried and changes nothing. */
  val reserved = p.atomics generate Bool()
}

/** A modified line that must reach memory, for a partial op waits for it. */
case class Push(p: DataCacheParams) extends Bundle {
  val line = UInt(26 bits)
  val way = UInt(p.wayWidth bits)
}

/** The cache's ear on the bus: answers ops, and does what verdicts on others' ops ask (docs/design/cache.md has the table).
  *
  *  - It also judges the cache's own ops at T1: an UPGRADE whose copy is gone, or a WRITE_BACK of a line no longer modified,
  *    gets `retry` from its owner and is reconsidered at once. The bus lets nothing else onto the line from T0, so what is
  *    true at T1 is true at T3; a stale UPGRADE could otherwise kill a newer copy (VY-10).
  *  - A partial op that hits is retried and the line dropped; a modified one is written back first, before own misses.
  *
  * Latency: T0 is taken into a register, T1 looks up, the answer is out in T2; at T3 the tag is written and data promised.
  * An answer is true until its verdict: who changes a line's state must look at `watched`.
  */
class CacheSnooper(p: DataCacheParams) extends Component {
  val io = new Bundle {
    val index = in UInt (3 bits)
    val snoop = slave(SnoopPort())
    val atAnswer, atVerdict = master(TagPort(p))
    val tag = master(Flow(TagWrite(p)))
    val job = master(Flow(OutputJob(p)))

    /** T1, T2, T3. */
    val watched = out Vec (WatchedOp(p), 3)

    /** T1: the cache's own op is void, for its line is no longer as the op took it to be. */
    val void = out Bool ()

    /** The line that a reservation holds: others' ops on it are retried. */
    val reserved = p.atomics generate slave(Flow(UInt(26 bits)))

    /** Stays until the line is on its way, or gone. */
    val push = master(Stream(Push(p)))
  }

  private val self = (io.index << 1).resize(4)
  private def intervenes(op: BusOp.C): Bool =
    op === BusOp.READ || op === BusOp.READ_EXCLUSIVE || op === BusOp.FLUSH || op === BusOp.CLEAN

  // T1 and T2
  private val t1 = io.snoop.request.m2sPipe(holdPayload = true)
  private val own = t1.master === self
  io.atAnswer.line := t1.address(31 downto 6)
  private val tag = io.atAnswer.found
  private val found = t1.valid && !own && tag.hit
  io.void := t1.valid && own && (
    t1.op === BusOp.UPGRADE && !(tag.hit && tag.state === Mesi.SHARED) ||
    t1.op === BusOp.WRITE_BACK && !tag.dirty)

  private val answer = SnoopAnswer()
  answer.retry := found && (BusOp.partial(t1.op) || t1.op === BusOp.UPGRADE && tag.writable) || io.void
  answer.shared := found && t1.op === BusOp.READ
  answer.intervene := found && intervenes(t1.op) && tag.dirty
  answer.claim := False
  private val meets = p.atomics generate (found && io.reserved.valid && io.reserved.payload === t1.address(31 downto 6))
  if (p.atomics) when(meets) {
    answer.retry := True
    answer.shared := False
    answer.intervene := False
  }
  private val quiet = answer.getZero
  io.snoop.answer := RegNext(answer) init quiet

  private val nothing = io.watched(0).getZero
  io.watched(0).hit := found
  io.watched(0).foreign := t1.valid && !own
  io.watched(0).set := t1.address(p.setRange)
  if (p.atomics) {
    io.watched(0).reserved := meets
    when(meets)(io.watched(0).foreign := False)
  }
  for (t <- 1 to 2) io.watched(t) := RegNext(io.watched(t - 1)) init nothing

  // T3
  private val verdict = io.snoop.verdict
  private val line = verdict.request.address(31 downto 6)
  private val held = io.atVerdict.found
  private val op = verdict.request.op
  private val partial = BusOp.partial(op)
  private val met = verdict.valid && !verdict.conflict && verdict.request.master =/= self && held.hit
  private val taken = met && !partial && !verdict.retry
  private def drops = if (p.atomics) met && partial && !io.watched(2).reserved else met && partial
  io.atVerdict.line := line

  // A retried partial op found the line here: the copy goes, if modified by a push.
  private val stays = op === BusOp.READ || op === BusOp.CLEAN
  io.tag.valid := taken || drops && !held.dirty
  io.tag.line(held.way, verdict.request.address, Mux(stays, Mesi.SHARED, Mesi.INVALID))
  io.job.valid := taken && intervenes(op) && held.dirty
  io.job.line(held.way, verdict.request.address)

  private val pending = RegInit(False)
  private val pushed = Reg(Push(p))
  when(drops && held.dirty && !pending) {
    pending := True
    pushed.line := line
    pushed.way := held.way
  }
  io.push.valid := pending
  io.push.payload := pushed
  when(io.push.ready)(pending := False)
}
