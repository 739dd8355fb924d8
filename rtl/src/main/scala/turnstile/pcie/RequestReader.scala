package turnstile.pcie

import spinal.core._
import spinal.lib._

/** Takes requests apart (CQ): writes a dword at a time, which never wait; what wants an answer goes to `read`, which has a place for each that
  * the integrated block may hand on.
  *
  * A write comes out as it comes in; one that crosses 4 KB, has no length, is not for function 0 or goes where nothing is (`reaches`: BAR,
  * address) is dropped whole and counted, as are messages and packets that end early or late: of those the dwords that came are written. A read, I/O or atomic
  * request of the same kinds is answered with an error. A damaged packet (`discontinue`) is dropped from the beat that says so and not answered.
  *
  * Latency: a dword is on `write` in the cycle after its beat, the second of a beat one later; a request on `read` in the cycle after its
  * second beat. Two cycles a beat of payload.
  */
class RequestReader(reaches: (UInt, UInt) => Bool) extends Component {
  val io = new Bundle {
    val cq = slave(Stream(Fragment(PcieBeat(PcieStream.requestUser))))
    val write = master(Flow(HostWrite()))
    val read = master(Stream(HostRead()))
    val faults = out(RequestFaults())
  }
  private object Phase extends SpinalEnum { val ADDRESS, KIND, PAYLOAD = newElement() }
  private val phase = RegInit(Phase.ADDRESS)
  private val beat = io.cq.s2mPipe()
  private val user = beat.fragment.user.as(RequestUser())

  private val first = RegNextWhen(beat.fragment.data, phase === Phase.ADDRESS)
  private val firstUser = RegNextWhen(user, phase === Phase.ADDRESS)
  private val descriptor = (beat.fragment.data ## first).as(RequestDescriptor())
  private val kind = descriptor.kind
  private val writes = kind === RequestKind.memoryWrite
  private val asks = !writes && kind < RequestKind.message
  private val impossible = descriptor.dwords === 0 || descriptor.address(9 downto 0) +^ descriptor.dwords > 1024

  private val damaged = beat.last && (user.discontinue || phase === Phase.KIND && !beat.fragment.keep(1))

  private val read = Stream(HostRead())
  read.descriptor := descriptor
  private val elsewhere = descriptor.function =/= 0 || !reaches(descriptor.bar, read.address)
  read.firstBe := firstUser.firstBe
  read.lastBe := firstUser.lastBe
  read.hints := firstUser.hints
  read.status := CompletionStatus.SUCCESSFUL
  when(impossible)(read.status := CompletionStatus.ABORTED)
  when(elsewhere || kind =/= RequestKind.memoryRead)(read.status := CompletionStatus.UNSUPPORTED)
  read.valid := beat.valid && phase === Phase.KIND && asks && !damaged
  io.read << read.m2sPipe()

  private val write = Reg(HostWrite())
  private val left = Reg(UInt(11 bits))
  private val takes, isFirst, upper = Reg(Bool())
  private val there = beat.fragment.keep(1)
  private val ends = beat.last && (upper || !there)
  private val done = phase.mux(
    Phase.ADDRESS -> True,
    Phase.KIND -> (!read.valid || read.ready),
    Phase.PAYLOAD -> (upper || !there)
  )
  beat.ready := done
  private val payload = beat.valid && phase === Phase.PAYLOAD
  when(payload)(upper := !upper && there)

  private val dword = HostWrite()
  dword.bar := write.bar
  dword.address := write.address
  dword.data := upper ? beat.fragment.data(63 downto 32) | beat.fragment.data(31 downto 0)
  dword.mask := isFirst ? firstUser.firstBe | ((left === 1) ? firstUser.lastBe | B"1111")
  private val writing = payload && takes && left =/= 0 && !user.discontinue
  io.write.valid := RegNext(writing) init False
  io.write.payload := RegNext(dword)
  when(payload) {
    write.address := write.address + 4
    isFirst := False
    when(left =/= 0)(left := left - 1)
  }

  when(beat.fire) {
    phase := Phase.ADDRESS
    when(!beat.last)(phase := (phase === Phase.ADDRESS) ? Phase.KIND | Phase.PAYLOAD)
    when(phase === Phase.KIND) {
      write.bar := descriptor.bar
      write.address := read.address
      left := descriptor.dwords
      takes := writes && !impossible && !elsewhere
      isFirst := True
      upper := False
    }
  }

  private val judged = beat.fire && phase === Phase.KIND
  private val short = ends && left > 1
  private val long = left === 0
  private val cut = beat.last && (phase === Phase.ADDRESS || phase === Phase.KIND && writes) || damaged
  io.faults.unsupported := RegNext(read.fire && read.status === CompletionStatus.UNSUPPORTED) init False
  io.faults.aborted := RegNext(read.fire && read.status === CompletionStatus.ABORTED) init False
  io.faults.refused := RegNext(judged && !asks && (!writes || impossible || elsewhere)) init False
  io.faults.malformed := RegNext(beat.fire && (cut || beat.last && phase === Phase.PAYLOAD && takes && (short || long))) init False
}
