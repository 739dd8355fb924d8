package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** Write-back MESI snooping data cache of an aP (contract §2; BZ-07, BZ-08).
  *
  * In order and blocking; sequentially consistent: a command is accepted only when all before it are globally performed.
  *
  * Cycles, from `cpu.cmd.fire` (0): a hit is answered in 1, and a command is taken every cycle. A miss has its request on
  * `bus.request` in 2; a load's word reaches the CPU the cycle after its beat; the next command may fire the cycle after the
  * last beat. A dirty victim leaves before the fill, from its place: until its verdict it is a line like others and answers
  * snoops. A store merges into its beat, an UPGRADE's into the line at its verdict, so that the access that missed is complete
  * before the line can be snooped (forward progress).
  *
  * Here is the CPU's side: the access in hand, hits, and who is joined to whom. [[CacheSnooper]] hears the bus, [[CacheEngine]]
  * asks it, [[CacheOutput]] sends. While an op on its set is in T1 to T3 a store waits.
  *
  * An error answer moves no data: a load gets `rsp.error`, a store raises `storeError`.
  */
class DataCache(val p: DataCacheParams) extends Component {
  val io = new Bundle {
    val cpu = slave(CpuPort(p.atomics))
    val bus = master(BusMasterPort())
    val snoop = slave(SnoopPort())

    /** aP of the site, 0 to 7: its master id is twice that. */
    val index = in UInt (3 bits)
    /** The core is in reset. The cache finishes what it owes the bus, then forgets all its lines (what was modified is lost). */
    val halt = in Bool ()
    /** With `halt`: nothing is left. */
    val idle = out Bool ()
    val storeError = master(Flow(UInt(32 bits)))
    val probe = out(CacheProbe(p.atomics))
  }

  val tags = new TagStore(p)
  val memory = new DataMemory(p)
  val snooper = new CacheSnooper(p)
  val engine = new CacheEngine(p)
  val sender = new CacheOutput(p)
  val atomic = p.atomics generate new AtomicUnit(p)

  // Access in hand -----------------------------------------------------------------------------------------------------
  private val coming = CpuCommand(p.atomics)
  private val access = RegNext(coming)
  private val active = RegInit(False)
  private val fresh = RegNext(io.cpu.cmd.fire) init False
  private val cached = p.memory.cached(access.address)
  private val set = access.address(p.setRange)
  private val tag = tags.io.ports(0).found
  tags.io.ports(0).line := PrivateWindow(io.cpu.cmd.address, io.index, p.memory)(31 downto 6)
  tags.io.take := io.cpu.cmd.ready
  tags.io.inHand := access.address(31 downto 6)

  memory.io.cpu.valid := io.cpu.cmd.fire
  memory.io.cpu.payload := io.cpu.cmd.address(6 + p.setWidth - 1 downto 4)

  // A load right behind a store reads the memory in the cycle it is written.
  private val storeHit = Bool()
  private val merged = Bits(32 bits)
  private val forward = new Area {
    val valid = RegNext(storeHit) init False
    val word = RegNext(merged)
    val at = RegNext(access.address(31 downto 2))
  }
  private val forwarded = forward.valid && forward.at === access.address(31 downto 2)
  private val readWord = Mux(forwarded, forward.word, p.wayOf(tag.way, memory.io.beats).subdivideIn(32 bits).read(access.lane))
  private val kept = RegNextWhen(readWord, fresh)
  private val word = Mux(fresh, readWord, kept)
  merged := (if (p.atomics) Mux(access.plain, access.merge(word), atomic.io.result) else access.merge(word))

  // Hits ---------------------------------------------------------------------------------------------------------------
  private val watched = snooper.io.watched.map(w => w.foreign && w.set === set).orR
  private def onlyPlain(hit: Bool) = if (p.atomics) hit && access.plain else hit
  private val loadHit = onlyPlain(active && engine.io.idle && cached && !access.wr && tag.hit)
  private def owned(asks: Bool) =
    active && engine.io.idle && cached && asks && tag.writable && !watched && (tag.dirty || !snooper.io.watched(2).hit)
  storeHit := (if (p.atomics) owned(access.wr || atomic.io.writes && !(access.amo && fresh)) else owned(access.wr))

  io.cpu.cmd.ready := !io.halt && tags.io.ready && engine.io.idle && (!active || loadHit || onlyPlain(storeHit)) &&
    !snooper.io.push.valid && !sender.io.read.valid
  when(loadHit || storeHit || engine.io.done)(active := False)
  // Between ops of the engine an access of a core in reset may be dropped.
  when(io.halt && engine.io.idle)(active := False)
  when(io.cpu.cmd.fire)(active := True)
  // Whether a command comes at all is known later than that there is room for it.
  coming := access
  when(io.cpu.cmd.ready) {
    coming.wr := io.cpu.cmd.wr
    coming.data := io.cpu.cmd.data
    coming.size := io.cpu.cmd.size
    coming.address := PrivateWindow(io.cpu.cmd.address, io.index, p.memory)
    if (p.atomics) coming.atomic := io.cpu.cmd.atomic
  }
  io.cpu.rsp.valid := loadHit || engine.io.response.valid
  io.cpu.rsp.data := Mux(engine.io.response.valid, engine.io.response.data, word)
  io.cpu.rsp.error := engine.io.response.valid && engine.io.response.error

  // Atomics that need not the bus, or may not use it: answered from a register. An AMO takes its word from `kept`, a cycle after a load.
  val atomics = p.atomics generate new Area {
    private val here = active && engine.io.idle && !access.plain
    val linked = owned(access.lr && !snooper.io.push.valid)
    val fails = here && cached && access.sc && !(atomic.io.mine && tag.writable)
    val refused = here && !cached
    val ends = linked || storeHit && !access.plain || fails || refused
    val answer = Reg(CpuResponse())
    val answered = RegNext(ends) init False
    answer.data := Mux(access.sc, fails.asBits.resized, word)
    answer.error := refused
    when(ends)(active := False)
    when(answered) {
      io.cpu.rsp.valid := True
      io.cpu.rsp.payload := answer
    }
    atomic.io.access := access
    atomic.io.old := Mux(engine.io.modifying, engine.io.response.data, kept)
    atomic.io.linked := linked || engine.io.done && !engine.io.failed && access.lr
    atomic.io.ended := here && access.sc && ends || io.halt
    atomic.io.changed := engine.io.tagWrite
    snooper.io.reserved << atomic.io.reserved
    engine.io.old := kept
  }

  // Who is joined to whom ----------------------------------------------------------------------------------------------
  snooper.io.index := io.index
  snooper.io.snoop <> io.snoop
  snooper.io.atAnswer <> tags.io.ports(1)
  snooper.io.atVerdict <> tags.io.ports(2)

  engine.io.index := io.index
  engine.io.bus <> io.bus
  engine.io.data << sender.io.write
  engine.io.sending := sender.io.busy
  engine.io.wordTaken := sender.io.wordTaken
  engine.io.access.valid := active
  engine.io.access.payload := access
  engine.io.tag := tag
  engine.io.entries := tags.io.entries
  if (p.ways > 1) {
    engine.io.turn := tags.io.turn
    tags.io.turned := engine.io.turned
  }
  engine.io.merged := merged
  engine.io.void := snooper.io.void
  engine.io.push << snooper.io.push
  engine.io.halt := io.halt
  io.storeError << engine.io.storeError

  memory.io.output << sender.io.read
  memory.io.write := engine.io.write
  when(storeHit)(memory.io.write.lanes(access.lane) := True)

  sender.io.data := memory.io.outputBeat
  sender.io.word := access.data
  sender.io.job.valid := snooper.io.job.valid || engine.io.job.valid
  sender.io.job.payload := snooper.io.job.valid ? snooper.io.job.payload | engine.io.job.payload

  // One verdict a cycle, own or another's: never two writes.
  tags.io.write.valid := snooper.io.tag.valid || engine.io.tagWrite.valid || storeHit && !tag.dirty
  tags.io.write.payload := snooper.io.tag.payload
  when(engine.io.tagWrite.valid)(tags.io.write.payload := engine.io.tagWrite.payload)
    .elsewhen(storeHit && !tag.dirty)(tags.io.write.line(tag.way, access.address, Mesi.MODIFIED))

  // What a snoop was answered must be kept to its verdict, also by a core in reset.
  io.idle := engine.io.idle && !active && !snooper.io.push.valid && !sender.io.busy && !snooper.io.watched.map(_.hit).orR
  tags.io.clear := io.halt && io.idle

  // Reports ------------------------------------------------------------------------------------------------------------
  private val misses = engine.io.missing.valid && engine.io.idle
  private val waiting = RegInit(False)
  when(misses)(waiting := True)
  when(engine.io.done || engine.io.response.valid)(waiting := False) // a load is over for the CPU when its word is back
  when(io.halt && engine.io.idle)(waiting := False)
  private val seen = RegNextWhen(engine.io.missing.payload, misses)
  io.probe.waiting.valid := waiting
  io.probe.missStart.valid := waiting.rise(False)
  io.probe.missDone.valid := waiting.fall(False)
  for (f <- List(io.probe.waiting, io.probe.missStart, io.probe.missDone)) f.payload := seen

  private val loaded = io.cpu.rsp.valid && !io.cpu.rsp.error && !access.wr
  private val stored = access.wr && (storeHit || engine.io.done && !engine.io.failed)
  private val changed = p.atomics generate (storeHit && !access.plain || access.amo && engine.io.done && !engine.io.failed)
  private def commits = if (p.atomics) loaded && (access.plain || access.lr) || stored || changed else loaded || stored
  io.probe.commit.valid := cached && !io.halt && commits
  io.probe.commit.payload.assignSomeByName(access)
  when(!access.wr)(io.probe.commit.data := io.cpu.rsp.data)
  if (p.atomics) {
    when(changed) {
      io.probe.commit.wr := True
      io.probe.commit.data := merged
    }
    io.probe.found.valid := changed && access.amo
    io.probe.found.payload := atomic.io.old
  }
}
