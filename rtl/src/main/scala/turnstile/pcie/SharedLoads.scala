package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.bus._
import turnstile.registers.AddressMap

/** The host's loads from shared memory: lines by READ, retried and woken as an aP's, one at a time and in order.
  *
  * A load waits for the stores that came before it (VY-T23: a read fences), not for others. When it is older than the limit, it tries each
  * line once more; what it did not get reads as the pattern `0xbad0bad0` and is recorded. So every load is answered a bounded
  * time after it came, however many wait; a unit of the limit later than a store is given up, so that a load behind one still gets its data.
  * Nothing is held meanwhile but the place of a read: a part goes to the completion writer when its data come.
  *
  * Latency: 4 cycles from `read` to the bus request, if no store is before it; the part in the cycle after the first beat of its last line,
  * each dword at the earliest in the cycle after its beat.
  */
class SharedLoads(p: PcieParams) extends Component {
  val io = new Bundle {
    val read = slave(Stream(HostRead()))
    val time = in(UInt(16 bits))
    val limit = in(UInt(15 bits))
    val given, done = in(UInt(16 bits))
    /** A read left its place. */
    val freed = out(Bool())
    val answer = master(AnswerPort())
    val fault = master(Flow(HostFault()))
    val bus = master(BusMasterPort())
  }

  // A read and its mark: when it came, how many stores were before it.
  private case class Mark() extends Bundle {
    val since, fence = UInt(16 bits)
  }
  private val (toSplit, toMark) = StreamFork2(io.read, synchronous = true)
  private val split = new ReadSplit
  split.io.read << toSplit.queueLowLatency(p.reads, latency = 1)
  io.freed := split.io.read.fire
  private val mark = Mark()
  mark.since := io.time
  mark.fence := io.given
  private val marks = toMark.translateWith(mark).queueLowLatency(p.reads, latency = 1)
  private val part = split.io.part

  private object Phase extends SpinalEnum { val FENCE, ASK, FETCH, GIVE = newElement() }
  private val phase = RegInit(Phase.FENCE)
  // Of the mark of the cycle before: the first look at a new one is not yet about it.
  private val looked = RegNext(phase === Phase.FENCE && part.valid && marks.valid) init False
  private val late = RegNext(io.time - marks.since > io.limit.resize(16))
  private val fenced = RegNext(!(io.done - marks.fence).msb)
  private val line, lastLine = Reg(UInt(1 bits))
  private val arrived = Reg(UInt(3 bits))
  private val failed = Reg(Bits(2 bits))
  private val at = Reg(UInt(5 bits))
  private val left = Reg(UInt(6 bits))
  private val headGiven = Reg(Bool())

  private val address = p.sharedOffset(part.address)
  private val client = new BusClient(BusClientParams(bypass = false, backOff = 24))
  client.io.bus.head <> io.bus
  client.io.write.valid := False
  client.io.write.payload := 0
  client.io.op.valid := phase === Phase.ASK
  client.io.op.line(BusOp.READ, (AddressMap.memory.base | address.resize(32)) (31 downto 7) @@ line @@ U"000000")
  client.io.abandon := late && phase === Phase.FETCH

  private val lines = Mem(Bits(128 bits), 8)
  lines.write(line @@ arrived(1 downto 0), client.io.read.fragment, client.io.read.valid)
  when(client.io.read.valid)(arrived := arrived + 1)
  private val refusedBefore = Reg(Bool())
  private val refused = refusedBefore || client.io.done.valid && client.io.done.payload
  when(client.io.done.valid)(refusedBefore := refused)

  io.answer.part.payload := part.payload
  io.answer.part.valid := phase === Phase.GIVE && !headGiven
  io.answer.data.valid := phase === Phase.GIVE && (at(4).asUInt =/= lastLine || failed(at(4).asUInt) || at(3 downto 2) < arrived)
  io.answer.data.payload := failed(at(4).asUInt) ? B(0xbad0bad0L, 32 bits) | lines.readAsync(at(4 downto 2)).subdivideIn(32 bits)(at(1 downto 0))
  part.ready := io.answer.data.fire && left === 1
  marks.ready := part.fire && part.ends

  private val fault = Flow(HostFault())
  fault.valid := False
  fault.cause := refused ? HostFaultCause.REFUSED | HostFaultCause.LOAD_GIVEN_UP
  fault.address := address(BarAddress.width - 1 downto 7) @@ line @@ U"000000"
  io.fault << fault.m2sPipe()

  switch(phase) {
    is(Phase.FENCE) {
      // Beats of the line before may still be on their way.
      when(client.io.idle) {
        val end = address(6 downto 2) +^ part.dwords - 1
        line := address(6).asUInt
        lastLine := end(4).asUInt
        at := address(6 downto 2)
        left := part.dwords
        failed := part.read.empty ? B"11" | B"00"
        headGiven := False
        arrived := 0
        refusedBefore := False
        when(looked && fenced)(phase := part.read.empty ? Phase.GIVE | Phase.ASK)
        when(looked && late && !fenced) {
          failed := B"11"
          fault.valid := True
          phase := Phase.GIVE
        }
      }
    }
    is(Phase.ASK) {
      when(client.io.op.ready)(phase := Phase.FETCH)
    }
    is(Phase.FETCH) {
      val begins = client.io.read.valid && arrived === 0
      val givenUp = client.io.idle && arrived === 0
      when(begins && refused || givenUp) {
        failed(line) := True
        fault.valid := True
      }
      when(line === lastLine && (begins || givenUp))(phase := Phase.GIVE)
      when(line =/= lastLine && client.io.idle) {
        line := lastLine
        arrived := 0
        refusedBefore := False
        phase := Phase.ASK
      }
    }
    is(Phase.GIVE) {
      when(io.answer.part.fire)(headGiven := True)
      when(io.answer.data.fire) {
        at := at + 1
        left := left - 1
        when(left === 1)(phase := Phase.FENCE)
      }
    }
  }
}
