package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** What an access needs of the bus, one op at a time: a push for another's partial op, the dirty victim, then the line, its
  * ownership, or the uncached word.
  *
  * Latency: request the cycle after `access` is there; a fill's word is in `response` the cycle after its beat; `done` in the cycle
  * of the last beat, or of the verdict of an op without data. After a retry it forms the op anew ([[RetryPolicy]]).
  */
class CacheEngine(p: DataCacheParams) extends Component {
  val io = new Bundle {
    val index = in UInt (3 bits)
    val bus = master(BusMasterPort())

    /** What leaves on `bus.write`. */
    val data = slave(Stream(Fragment(Bits(128 bits))))
    val sending = in Bool ()
    val wordTaken = in Bool ()

    /** In hand, with its line's tag, the entries of its set, and a hit's word with the store merged in. */
    val access = slave(Flow(CpuCommand(p.atomics)))
    val tag = in(TagLookup(p))
    val entries = in Vec (TagEntry(p), p.ways)
    /** With several ways: the one to replace when none is free; it was. */
    val turn = p.ways > 1 generate (in UInt (p.wayWidth bits))
    val turned = p.ways > 1 generate (out Bool ())
    val merged = in Bits (32 bits)

    /** With atomics: the word of a hit before that; and the AMO that missed writes `merged`, made of `response`. */
    val old = p.atomics generate in(Bits(32 bits))
    val modifying = p.atomics generate out(Bool())

    /** See [[CacheSnooper]]. */
    val void = in Bool ()
    val push = slave(Stream(Push(p)))

    /** Starts no op, and drops the push; `idle` then says that the bus is owed nothing. */
    val halt = in Bool ()
    val idle = out Bool ()

    /** The access needs the bus; with `idle` it asks next. */
    val missing = master(Flow(Miss()))
    val response = master(Flow(CpuResponse()))

    /** The access is performed, or (`failed`) nobody answered its address. */
    val done, failed = out Bool ()
    val storeError = master(Flow(UInt(32 bits)))

    /** Write of the data memory, also a hit's: `lanes` alone say whether. */
    val write = out(DataWrite(p))
    val tagWrite = master(Flow(TagWrite(p)))
    val job = master(Flow(OutputJob(p)))
  }

  private object Step extends SpinalEnum {
    val IDLE, REQUEST, ANSWER, FILL, DRAIN = newElement()
    val MODIFY = p.atomics generate newElement()
  }
  private val step = RegInit(Step.IDLE)
  private val idle = step === Step.IDLE
  private val access = io.access.payload
  private val cached = p.memory.cached(access.address)
  private val set = access.address(p.setRange)
  private val answer = io.bus.answer

  private val request = Reg(BusRequest())
  private val requestWay = Reg(UInt(p.wayWidth bits))
  private val pushing, voided = Reg(Bool())
  private val count = Reg(UInt(2 bits))
  private val policy = new RetryPolicy(io.bus, formed = idle, backOff = io.index + U(p.backOff, 5 bits),
    retried = step === Step.ANSWER && answer.valid && answer.retry && !voided)

  // What is wanted
  io.missing.valid := io.access.valid && !(cached && Mux(access.owns, io.tag.writable, io.tag.hit))
  if (p.atomics) when(!access.plain && (!cached || access.sc))(io.missing.valid := False)
  io.missing.address := access.address
  when(!cached) {
    io.missing.op := Mux(access.wr, BusOp.WRITE_PARTIAL, BusOp.READ_PARTIAL)
  } elsewhen (!access.owns) {
    io.missing.op := BusOp.READ
  } otherwise {
    io.missing.op := Mux(io.tag.hit, BusOp.UPGRADE, BusOp.READ_EXCLUSIVE)
  }

  private val victimWay = if (p.ways == 1) U(0, 1 bits) else {
    val free = io.entries.map(_.state === Mesi.INVALID).asBits
    Mux(free.orR, OHToUInt(OHMasking.first(free)), io.turn)
  }
  private val victim = p.wayOf(victimWay, io.entries)

  // Outputs, but for the op's steps below
  io.bus.write << io.data
  io.bus.request.valid := step === Step.REQUEST
  io.bus.request.payload := request
  request.bypass := False
  io.idle := idle
  io.done := False
  io.failed := step === Step.ANSWER && answer.valid && answer.error
  io.storeError.valid := RegNext(io.failed && access.wr && !pushing) init False
  io.storeError.payload := RegNextWhen(access.address, answer.valid)
  io.push.ready := io.halt && idle
  io.tagWrite.valid := False
  io.tagWrite.line(requestWay, access.address, Mesi.MODIFIED)
  io.job.valid := False
  io.job.line(requestWay, request.address)
  io.write.lanes := 0
  io.write.way := Mux(idle, io.tag.way, requestWay)
  io.write.beat := set @@ Mux(step === Step.FILL, count, access.beat)
  io.write.words.foreach(_ := io.merged)
  private val responseValid = RegInit(False)
  private val response = Reg(CpuResponse())
  responseValid := False
  io.response.valid := responseValid
  io.response.payload := response

  if (p.ways > 1) io.turned := False
  when(io.void)(voided := True)
  if (p.atomics) io.modifying := step === Step.MODIFY
  switch(step) {
    is(Step.IDLE) {
      voided := False
      pushing := io.push.valid
      count := 0
      request.mask := access.bytes.resize(16) |<< (access.lane @@ U(0, 2 bits))
      request.op := io.missing.op
      request.address := access.address
      requestWay := Mux(io.tag.hit, io.tag.way, victimWay)
      when(cached && !io.tag.hit && victim.state === Mesi.MODIFIED) {
        request.op := BusOp.WRITE_BACK
        request.address := victim.tag @@ set @@ U(0, 6 bits)
      }
      when(io.push.valid) {
        request.op := BusOp.WRITE_BACK
        request.address := io.push.line @@ U(0, 6 bits)
        requestWay := io.push.way
      }
      when((io.missing.valid || io.push.valid) && !io.halt && policy.free && !io.sending)(step := Step.REQUEST)
    }
    is(Step.REQUEST) {
      when(io.bus.request.ready)(step := Step.ANSWER)
    }
    is(Step.ANSWER) {
      when(answer.valid) {
        step := Step.IDLE
        io.job.word := request.op === BusOp.WRITE_PARTIAL
        when(answer.retry) {
          when(pushing && voided)(io.push.ready := True)
        } elsewhen (request.op === BusOp.WRITE_BACK) {
          io.tagWrite.valid := True
          io.tagWrite.line(requestWay, request.address, Mesi.INVALID)
          io.job.valid := True
          when(pushing)(io.push.ready := True)
        } elsewhen (answer.error) {
          io.done := True
          response.error := True
          responseValid := !access.wr
        } otherwise {
          response.error := False
          switch(request.op) {
            is(BusOp.UPGRADE) {
              io.tagWrite.valid := True
              io.write.lanes(access.lane) := True
              io.done := True
              if (p.atomics) {
                when(access.lr)(io.write.lanes := 0)
                response.data := io.old
                responseValid := !access.wr
              }
            }
            is(BusOp.WRITE_PARTIAL) {
              io.job.valid := True
              step := Step.DRAIN
            }
            is(BusOp.READ_PARTIAL)(step := Step.FILL)
            default {
              io.tagWrite.valid := True
              when(!access.owns)(io.tagWrite.entry.state := Mux(answer.shared, Mesi.SHARED, Mesi.EXCLUSIVE))
              if (p.ways > 1) io.turned := requestWay === io.turn
              step := Step.FILL
            }
          }
        }
      }
    }
    is(Step.FILL) {
      when(io.bus.read.valid) {
        val words = io.bus.read.fragment.subdivideIn(32 bits)
        val here = !cached || count === access.beat
        count := count + 1
        io.write.words := words
        io.write.lanes := B(4 bits, default -> cached)
        when(here && access.wr)(io.write.words(access.lane) := access.merge(words(access.lane)))
        when(here && !access.wr)(responseValid := True)
        when(here)(response.data := words(access.lane))
        when(io.bus.read.last) {
          io.done := True
          step := Step.IDLE
          if (p.atomics) when(access.amo) {
            io.done := False
            step := Step.MODIFY
          }
        }
      }
    }
    is(Step.DRAIN) {
      when(io.wordTaken) {
        io.done := True
        step := Step.IDLE
      }
    }
    // An op that came onto the line since its last beat is before its verdict: it finds what is written here.
    if (p.atomics) is(Step.MODIFY) {
      io.write.lanes(access.lane) := True
      io.done := True
      step := Step.IDLE
    }
  }
}
