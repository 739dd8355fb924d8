package turnstile.bus

import spinal.core._
import spinal.lib._

/** The rules of the Site Bus, watched in every simulation. A broken rule stops the run with a sentence that names it.
  *
  * It keeps its own books, from what masters and snoopers see, so that a fault of the arbiter's table does not hide itself.
  * Registers here drive nothing but assertions; the bus leaves them out for synthesis.
  *
  *  - one op a master; no two ops in flight on one line, but of windows; no op of others on the elder's line but a data cache's WRITE_BACK; no op broadcast that was
  *    formed before a verdict on its line;
  *  - a verdict exactly three cycles after its T0; no answer to what was not broadcast; one intervening cache, never the
  *    requester's own, only where the op allows it; a cache retries its own UPGRADE or WRITE_BACK alone; one claim, of the NIU alone;
  *  - a line is four beats, a partial op one; every write-back judged without retry arrives at memory or NIU (VY-10);
  *  - queues are not overrun, the transfer bus moves within [[BusAssertions.moveBound]] cycles;
  *  - bounded waiting: a standing master sees at most `masters - 1` other elders, and is retried for conflict alone for less
  *    than [[BusAssertions.waitBound]] cycles.
  */
class BusAssertions(bus: SiteBus) extends Area {
  import bus.{commands, elder, io, p, t0, t2, t3, transfer}

  private def never(broken: Bool, rule: String): Unit = assert(!broken, s"Site Bus: $rule", FAILURE)

  private val masters = 0 until p.masters
  private def line(a: UInt): UInt = a(31 downto 6)
  private def windows(a: UInt): Bool = a(31 downto 28).andR
  private val now = Reg(UInt(log2Up(BusAssertions.waitBound) + 1 bits)) init 0
  now := now + 1

  /** Op outstanding as its master sees it; its line in flight; its op moves one beat; it is an unfinished write-back. */
  private val open, live, single, owed = RegInit(B(0, p.masters bits))

  /** A request has fired and is not on the bus; a verdict on its line came since. */
  private val asking, void = RegInit(B(0, p.masters bits))
  private val lines = Vec.fill(p.masters)(Reg(UInt(26 bits)))

  private val beat = transfer.io.beat
  private val lastBeat = beat.valid && beat.last
  private val shouted = t0.valid && !t0.conflict
  private val judged = t3.valid && !t3.retry && !t3.error
  private val op = t3.request.op
  private val moves = judged && t3.responder =/= Responder.NONE &&
    (t3.responder === Responder.CACHE || BusOp.reads(op) || BusOp.writes(op))

  // Masters ------------------------------------------------------------------------------------------------------------
  for ((m, i) <- io.masters.zipWithIndex) {
    val mine = lastBeat && beat.requester === i
    val lastRead = io.memory.read.valid && io.memory.read.master === i && io.memory.read.last
    val quiet = t3.valid && t3.request.master === i && !moves
    when(mine || lastRead || quiet) {
      open(i) := False
      live(i) := False
    }
    when(mine)(owed(i) := False)
    when(judged && op === BusOp.WRITE_BACK && t3.request.master === i)(owed(i) := True)
    when(shouted && t0.request.master === i)(live(i) := True)
    when(m.request.fire) {
      open(i) := True
      single(i) := BusOp.partial(m.request.op)
      lines(i) := line(m.request.address)
    }
    when(t0.valid && t0.request.master === i)(asking(i) := False)
    val fired = line(m.request.address)
    when(m.request.fire) {
      asking(i) := True
      void(i) := False
    }
    when(t3.valid && !t3.conflict) {
      when(m.request.fire ? (fired === line(t3.request.address)) | asking(i) && lines(i) === line(t3.request.address)) {
        void(i) := !windows(t3.request.address)
      }
    }
    never(shouted && t0.request.master === i && void(i), s"a request of master $i is let on that a verdict made void")
    never(m.request.fire && open(i), s"master $i starts an op while it has one")
    never(m.answer.valid && !open(i), s"master $i gets an answer without a request")
    never(m.read.valid && transfer.io.readTo(i) && RegNext(io.memory.read.valid && io.memory.read.master === i, False),
      s"two data buses serve master $i at once")
    never(shouted && live(i) && lines(i) === line(t0.request.address) && !windows(t0.request.address), s"an op goes on a line of master $i in flight")
    never(mine && owed(i) && !(beat.toMemory ^ beat.toClaim), s"the write-back of master $i has no sink")
  }

  // Verdicts -----------------------------------------------------------------------------------------------------------
  never(Delay(t0.valid, 3, init = False) =/= t3.valid, "a verdict is not three cycles after its broadcast")
  never(t3.valid && Delay(t0.request.master, 3) =/= t3.request.master, "a verdict names another master")
  never(t3.valid && t3.conflict && !t3.retry, "a conflict is not retried")

  private val caches = io.snoop.take(p.caches).map(_.answer)
  private val niu = io.snoop.drop(p.caches).map(_.answer)
  private val asked = t2.valid && !t2.conflict
  private val intervene = B(caches.map(_.intervene)).resize(1 max p.caches)
  private val dirty = Seq(BusOp.READ, BusOp.READ_EXCLUSIVE, BusOp.CLEAN, BusOp.FLUSH).map(t2.request.op === _).orR
  // A verdict between the forming of these ops and their fire is known to the cache alone.
  private val mayReconsider = t2.request.op === BusOp.UPGRADE || t2.request.op === BusOp.WRITE_BACK
  for ((s, i) <- io.snoop.zipWithIndex)
    never(!asked && s.answer.asBits.orR, s"snooper $i answers what was not broadcast")
  for ((c, i) <- caches.zipWithIndex)
    never(asked && t2.request.master === 2 * i && (c.intervene || c.retry && !mayReconsider), s"cache $i answers its own op")
  if (p.caches > 1) never(CountOne(intervene) > 1, "two caches intervene")
  never(asked && intervene.orR && !dirty, "a cache intervenes where the op does not allow it")
  never((caches.map(_.claim) ++ niu.map(_.intervene)).orR, "a cache claims or the NIU intervenes")
  never(niu.map(_.claim).andR, "NIU snooper and NIU slave claim the same op")

  // Beats --------------------------------------------------------------------------------------------------------------
  private val moved = Reg(UInt(2 bits)) init 0
  when(beat.valid)(moved := Mux(beat.last, U(0), moved + 1))
  never(beat.valid && beat.last =/= (moved === Mux(beat.line, U(3), U(0))), "a transfer has the wrong number of beats")

  private val arrived = Vec.fill(p.masters)(Reg(UInt(2 bits)) init 0)
  for (i <- masters) when(io.memory.read.valid && io.memory.read.master === i) {
    arrived(i) := Mux(io.memory.read.last, U(0), arrived(i) + 1)
    never(!live(i), s"memory sends data to master $i, which reads nothing")
    never(io.memory.read.last =/= (arrived(i) === Mux(single(i), U(0), U(3))),
      s"a memory read of master $i has the wrong number of beats")
  }

  private val still = Reg(UInt(log2Up(BusAssertions.moveBound) bits)) init 0
  still := Mux(beat.valid || !transfer.io.busy, U(0), still + 1)
  never(still === BusAssertions.moveBound - 1, "the data of a judged op do not come: lost write-back or intervention?")
  never(transfer.io.overrun, "the transfer queue is overrun")
  never(commands.io.push.valid && !commands.io.push.ready, "the memory command queue is overrun")

  // Waiting ------------------------------------------------------------------------------------------------------------
  private val reserved = elder.io.elder
  private val elected = reserved & ~RegNext(reserved, B(0, p.masters bits))
  for (i <- masters) {
    val since = Reg(UInt(widthOf(now) bits))
    val waits = RegInit(False)
    val turns = Reg(UInt(log2Up(p.masters + 1) bits)) init 0
    when(t3.valid && t3.request.master === i) {
      waits := t3.conflict
      when(!waits)(since := now)
      never(waits && t3.conflict && now - since >= BusAssertions.waitBound, s"master $i is retried for conflict too long")
    }
    when(!elder.io.standing(i) || reserved(i))(turns := 0) elsewhen elected.orR (turns := turns + 1)
    never(turns === p.masters, s"master $i stands and too many others are elected")
    val knew = RegNext(reserved(i) && !io.masters(i).request.fire, False)
    val pushes = t0.request.op === BusOp.WRITE_BACK && !t0.request.master.lsb && t0.request.master < 2 * p.caches
    never(knew && shouted && !pushes && t0.request.master =/= i && lines(i) === line(t0.request.address),
      s"an op goes on the line reserved for master $i")
  }
}

object BusAssertions {

  /** Cycles in which a transfer moves a beat. */
  val moveBound = 4096

  /** Cycles from a first conflict to a verdict that is none, for a master that comes back within the elder's lease: each of
    * up to 15 elders before it waits for one op on its line and one lease.
    */
  val waitBound = 16384
}
