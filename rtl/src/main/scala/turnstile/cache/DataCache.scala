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
  * Snoops: looked up in T1, answered in T2, state changed by the verdict in T3. From T1 to T3 stores to that set wait.
  *  - A cache also judges its own ops at T1: an UPGRADE whose copy is gone, or a WRITE_BACK of a line no longer modified,
  *    gets `retry` from its owner and is reconsidered at once. The bus lets nothing else onto the line from T0, so what is
  *    true at T1 is true at T3; a stale UPGRADE could otherwise kill a newer copy.
  *  - A partial op that hits is retried and the line dropped; a modified one is written back first, before own misses.
  *
  * An error answer moves no data: a load gets `rsp.error`, a store raises `storeError`.
  */
class DataCache(val p: DataCacheParams) extends Component {
  val io = new Bundle {
    val cpu = slave(CpuPort())
    val bus = master(BusMasterPort())
    val snoop = slave(SnoopPort())

    /** aP of the site, 0 to 7: its master id is twice that. */
    val index = in UInt (3 bits)
    /** The core is in reset. The cache finishes what it owes the bus, then forgets all its lines (what was modified is lost). */
    val halt = in Bool ()
    /** With `halt`: nothing is left. */
    val idle = out Bool ()
    val storeError = master(Flow(UInt(32 bits)))
    val probe = out(CacheProbe())
  }

  private val self = (io.index << 1).resize(4)

  val tags = new TagStore(p)
  val sender = new LineOut(p)
  private val cpuTag :: snoopTag :: verdictTag :: Nil = tags.io.lookup.toList
  private val tagWrite = tags.io.write
  tagWrite.valid := False
  tagWrite.payload.assignDontCare()
  private val job = sender.io.job
  job.valid := False
  job.payload.assignDontCare()

  // Access in hand (stage 1) -------------------------------------------------------------------------------------------
  private val access = Reg(CpuCommand())
  private val active = RegInit(False)
  private val fresh = RegInit(False)
  private val cached = p.cached(access.address)
  private val beat = access.address(5 downto 4)
  private val lane = access.address(3 downto 2)
  private val accessSet = access.address(p.setRange)
  private val lanes = access.size.mux(
    0 -> (B"0001" |<< access.address(1 downto 0)),
    1 -> (B"0011" |<< access.address(1 downto 0)),
    default -> B"1111")
  private def merge(old: Bits): Bits =
    Cat(for (i <- 0 until 4) yield Mux(lanes(i), access.data(8 * i, 8 bits), old(8 * i, 8 bits)))
  tags.io.address(0) := access.address(31 downto 6)

  // Snoop pipeline -----------------------------------------------------------------------------------------------------
  private val t1 = io.snoop.request.m2sPipe(holdPayload = true)
  private val own = t1.master === self
  tags.io.address(1) := t1.address(31 downto 6)
  private val found = t1.valid && !own && snoopTag.hit
  private val stale = t1.valid && own && (
    t1.op === BusOp.UPGRADE && !(snoopTag.hit && snoopTag.state === Mesi.SHARED) ||
    t1.op === BusOp.WRITE_BACK && !snoopTag.dirty)
  private def intervenes(op: BusOp.C): Bool =
    op === BusOp.READ || op === BusOp.READ_EXCLUSIVE || op === BusOp.FLUSH || op === BusOp.CLEAN

  private val answer = SnoopAnswer()
  answer.retry := found && (BusOp.partial(t1.op) || t1.op === BusOp.UPGRADE && snoopTag.writable) || stale
  answer.shared := found && t1.op === BusOp.READ
  answer.intervene := found && intervenes(t1.op) && snoopTag.dirty
  answer.claim := False
  private val quiet = answer.getZero
  io.snoop.answer := RegNext(answer) init quiet

  private case class Watched() extends Bundle {
    val hit, foreign = Bool()
    val set = UInt(p.setWidth bits)
  }
  private val watch1 = Watched()
  watch1.hit := found
  watch1.foreign := t1.valid && !own
  watch1.set := t1.address(p.setRange)
  private val nothing = watch1.getZero
  private val watch2 = RegNext(watch1) init nothing
  private val watch3 = RegNext(watch2) init nothing

  // Verdicts on others' ops --------------------------------------------------------------------------------------------
  private val push = new Area {
    val pending = RegInit(False)
    val line = Reg(UInt(26 bits))
    val way = Reg(UInt(p.wayWidth bits))
  }
  private val verdict = io.snoop.verdict
  private val verdictLine = verdict.request.address(31 downto 6)
  tags.io.address(2) := verdictLine
  when(verdict.valid && !verdict.conflict && verdict.request.master =/= self && verdictTag.hit) {
    val op = verdict.request.op
    when(BusOp.partial(op)) {
      when(verdictTag.dirty) {
        when(!push.pending) {
          push.pending := True
          push.line := verdictLine
          push.way := verdictTag.way
        }
      } otherwise {
        writeTag(verdictTag.way, verdict.request.address, Mesi.INVALID)
      }
    } elsewhen (!verdict.retry) {
      val stays = op === BusOp.READ || op === BusOp.CLEAN
      writeTag(verdictTag.way, verdict.request.address, Mux(stays, Mesi.SHARED, Mesi.INVALID))
      when(intervenes(op) && verdictTag.dirty)(sendLine(verdictTag.way, verdict.request.address))
    }
  }

  // Data memory: one read port (CPU, data out), one write port (store, fill) ---------------------------------------------
  private val banks = List.fill(p.ways)(List.fill(4)(Mem(Bits(32 bits), p.sets * p.beats)))
  private val readBeat = UInt(p.setWidth + 2 bits)
  private val readEnable = sender.io.read.valid || io.cpu.cmd.fire
  readBeat := Mux(sender.io.read.valid, sender.io.read.beat, io.cpu.cmd.address(6 + p.setWidth - 1 downto 4))
  private val reads = banks.map(_.map(_.readSync(readBeat, readEnable)))
  private def wayOf[T <: Data](way: UInt, values: Seq[T]): T = if (p.ways == 1) values.head else Vec(values).read(way)
  private val outWay = RegNextWhen(sender.io.read.way, sender.io.read.valid)
  sender.io.data := wayOf(outWay, reads.map(r => Cat(r)))
  sender.io.word := access.data
  io.bus.write << sender.io.write

  private val write = new Area {
    val lanes = B(0, 4 bits)
    val way = UInt(p.wayWidth bits)
    val beat = UInt(p.setWidth + 2 bits)
    val words = Vec(Bits(32 bits), 4)
    for ((w, i) <- banks.zipWithIndex; (m, l) <- w.zipWithIndex) m.write(
      address = beat, data = words(l), enable = lanes(l) && (if (p.ways == 1) True else way === i))
  }

  // A load right behind a store reads the memory in the cycle it is written.
  private val forward = new Area {
    val valid = RegInit(False)
    val word = RegNext(write.words(lane))
    val at = RegNext(access.address(31 downto 2))
  }
  private val forwarded = forward.valid && forward.at === access.address(31 downto 2)
  private val readWord = Mux(forwarded, forward.word, wayOf(cpuTag.way, reads.map(r => Vec(r).read(lane))))
  private val kept = RegNextWhen(readWord, fresh)
  private val word = Mux(fresh, readWord, kept)

  // Hits ---------------------------------------------------------------------------------------------------------------
  private object Step extends SpinalEnum {
    val IDLE, REQUEST, ANSWER, FILL, DRAIN = newElement()
  }
  private val step = RegInit(Step.IDLE)
  private val idle = step === Step.IDLE

  private val watched = List(watch1, watch2, watch3).map(w => w.foreign && w.set === accessSet).orR
  private val loadHit = active && idle && cached && !access.wr && cpuTag.hit
  private val storeReady = active && cached && access.wr && cpuTag.writable
  private val storeHit = storeReady && idle && !watched && (cpuTag.dirty || !watch3.hit)
  private val done = False
  private val response = Reg(CpuResponse())
  private val responseValid = RegInit(False)
  responseValid := False

  io.cpu.cmd.ready := !io.halt && tags.io.ready && idle && (!active || loadHit || storeHit) && !push.pending && !sender.io.read.valid
  fresh := io.cpu.cmd.fire
  when(loadHit || storeHit || done)(active := False)
  // Between ops of the engine an access of a core in reset may be dropped. What a snoop was answered must be kept to its verdict.
  when(io.halt && idle) {
    active := False
    push.pending := False
  }
  io.idle := idle && !active && !push.pending && !sender.io.busy && !List(watch1, watch2, watch3).map(_.hit).orR
  tags.io.clear := io.halt && io.idle
  when(io.cpu.cmd.fire) {
    active := True
    access.wr := io.cpu.cmd.wr
    access.data := io.cpu.cmd.data
    access.size := io.cpu.cmd.size
    access.address := PrivateWindow(io.cpu.cmd.address, io.index)
  }
  io.cpu.rsp.valid := loadHit || responseValid
  io.cpu.rsp.data := Mux(responseValid, response.data, word)
  io.cpu.rsp.error := responseValid && response.error

  forward.valid := storeHit
  when(storeHit) {
    write.lanes(lane) := True
    when(!cpuTag.dirty)(writeTag(cpuTag.way, access.address, Mesi.MODIFIED))
  }

  // Engine: one bus op at a time -----------------------------------------------------------------------------------------
  private val request = Reg(BusRequest())
  private val requestWay = Reg(UInt(p.wayWidth bits))
  private val pushing, voided = Reg(Bool())
  private val policy = new RetryPolicy(io.bus, formed = idle, backOff = io.index + U(p.backOff, 5 bits),
    retried = step === Step.ANSWER && io.bus.answer.valid && io.bus.answer.retry && !voided)
  private val count = Reg(UInt(2 bits))

  private val wanted = BusOp()
  when(!cached) {
    wanted := Mux(access.wr, BusOp.WRITE_PARTIAL, BusOp.READ_PARTIAL)
  } elsewhen (!access.wr) {
    wanted := BusOp.READ
  } otherwise {
    wanted := Mux(cpuTag.hit, BusOp.UPGRADE, BusOp.READ_EXCLUSIVE)
  }
  private val needs = active && !storeReady && !loadHit

  private val turn = RegInit(False)
  private val victimWay = if (p.ways == 1) U(0, 1 bits) else {
    val free = tags.io.entries.map(_.state === Mesi.INVALID)
    Mux(free(0), U(0), Mux(free(1), U(1), turn.asUInt))
  }
  private val victim = wayOf(victimWay, tags.io.entries.toList)

  when(stale)(voided := True)
  request.bypass := False
  io.bus.request.valid := step === Step.REQUEST
  io.bus.request.payload := request
  io.storeError.valid := RegNext(io.bus.answer.valid && io.bus.answer.error && access.wr && !pushing) init False
  io.storeError.payload := RegNextWhen(access.address, io.bus.answer.valid)
  write.beat := Mux(step === Step.FILL, accessSet @@ count, accessSet @@ beat)
  write.way := Mux(idle, cpuTag.way, requestWay)
  write.words.foreach(_ := merge(word))

  switch(step) {
    is(Step.IDLE) {
      voided := False
      pushing := push.pending
      count := 0
      request.mask := lanes.resize(16) |<< (lane @@ U(0, 2 bits))
      request.op := wanted
      request.address := access.address
      requestWay := Mux(cpuTag.hit, cpuTag.way, victimWay)
      when(cached && !cpuTag.hit && victim.state === Mesi.MODIFIED) {
        request.op := BusOp.WRITE_BACK
        request.address := victim.tag @@ accessSet @@ U(0, 6 bits)
      }
      when(push.pending) {
        request.op := BusOp.WRITE_BACK
        request.address := push.line @@ U(0, 6 bits)
        requestWay := push.way
      }
      when((needs || push.pending) && !io.halt && policy.free && !sender.io.busy)(step := Step.REQUEST)
    }
    is(Step.REQUEST) {
      when(io.bus.request.ready)(step := Step.ANSWER)
    }
    is(Step.ANSWER) {
      when(io.bus.answer.valid) {
        step := Step.IDLE
        job.word := request.op === BusOp.WRITE_PARTIAL
        when(io.bus.answer.retry) {
          when(pushing && voided)(push.pending := False)
        } elsewhen (request.op === BusOp.WRITE_BACK) {
          writeTag(requestWay, request.address, Mesi.INVALID)
          sendLine(requestWay, request.address)
          when(pushing)(push.pending := False)
        } elsewhen (io.bus.answer.error) {
          done := True
          response.error := True
          responseValid := !access.wr
        } otherwise {
          response.error := False
          switch(request.op) {
            is(BusOp.UPGRADE) {
              writeTag(requestWay, access.address, Mesi.MODIFIED)
              write.lanes(lane) := True
              done := True
            }
            is(BusOp.WRITE_PARTIAL) {
              job.valid := True
              step := Step.DRAIN
            }
            is(BusOp.READ_PARTIAL)(step := Step.FILL)
            default {
              writeTag(requestWay, access.address,
                Mux(access.wr, Mesi.MODIFIED, Mux(io.bus.answer.shared, Mesi.SHARED, Mesi.EXCLUSIVE)))
              turn := !turn
              step := Step.FILL
            }
          }
        }
      }
    }
    is(Step.FILL) {
      when(io.bus.read.valid) {
        val words = io.bus.read.fragment.subdivideIn(32 bits)
        val here = !cached || count === beat
        count := count + 1
        write.words := words
        write.lanes := B(4 bits, default -> cached)
        when(here && access.wr)(write.words(lane) := merge(words(lane)))
        when(here && !access.wr)(responseValid := True)
        when(here)(response.data := words(lane))
        when(io.bus.read.last) {
          done := True
          step := Step.IDLE
        }
      }
    }
    is(Step.DRAIN) {
      when(sender.io.wordTaken) {
        done := True
        step := Step.IDLE
      }
    }
  }

  // Reports ------------------------------------------------------------------------------------------------------------
  private val waiting = RegInit(False)
  when(needs && idle)(waiting := True)
  when(done || responseValid)(waiting := False) // a load is over for the CPU when its word is back
  when(io.halt && idle)(waiting := False)
  private val seen = Reg(Miss())
  when(needs && idle) {
    seen.op := wanted
    seen.address := access.address
  }
  io.probe.waiting.valid := waiting
  io.probe.missStart.valid := waiting.rise(False)
  io.probe.missDone.valid := waiting.fall(False)
  for (f <- List(io.probe.waiting, io.probe.missStart, io.probe.missDone)) f.payload := seen

  private val loaded = io.cpu.rsp.valid && !io.cpu.rsp.error && !access.wr
  private val stored = access.wr && (storeHit || done && !(io.bus.answer.valid && io.bus.answer.error))
  io.probe.commit.valid := cached && !io.halt && (loaded || stored)
  io.probe.commit.wr := access.wr
  io.probe.commit.address := access.address
  io.probe.commit.data := access.wr ? access.data | io.cpu.rsp.data
  io.probe.commit.size := access.size

  private def writeTag(way: UInt, address: UInt, state: SpinalEnumCraft[Mesi.type]): Unit = {
    tagWrite.valid := True
    tagWrite.way := way
    tagWrite.set := address(p.setRange)
    tagWrite.entry.tag := address(p.tagRange)
    tagWrite.entry.state := state
  }

  private def sendLine(way: UInt, address: UInt): Unit = {
    job.valid := True
    job.word := False
    job.way := way
    job.set := address(p.setRange)
  }
}
