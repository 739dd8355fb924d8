package turnstile.pcie

import spinal.core._
import spinal.lib._

/** Answers of one unit: a part, then its dwords, none for a part that is an error. master = that unit. */
case class AnswerPort() extends Bundle with IMasterSlave {
  val part = Stream(ReadPart())
  val data = Stream(Bits(32 bits))

  override def asMaster(): Unit = {
    master(part)
    master(data)
  }
}

/** Makes completions (CC), by turns of those who have one; it does not begin one whose data may be stopped by another's.
  *
  * With an error go the request and its sideband, five dwords that the integrated block wants for its error log.
  *
  * Latency: the first beat is on `cc` in the cycle after its part, the second a cycle after the first dword and the part; then a dword a
  * cycle, so with gaps ([[turnstile.network.PacketGate]]).
  */
class CompletionWriter(sources: Int) extends Component {
  val io = new Bundle {
    val answers = Vec(slave(AnswerPort()), sources)
    val cc = master(Stream(Fragment(PcieBeat(PcieStream.completionUser))))
  }
  private object Phase extends SpinalEnum { val HEAD, SECOND, PAYLOAD = newElement() }
  private val phase = RegInit(Phase.HEAD)
  private val arbiter = StreamArbiterFactory().roundRobin.noLock.build(ReadPart(), sources)
  for ((port, answer) <- arbiter.io.inputs zip io.answers) port << answer.part
  private val offered = arbiter.io.output
  private val source = RegNextWhen(arbiter.io.chosen, phase === Phase.HEAD)
  private val held = RegNextWhen(offered.payload, phase === Phase.HEAD)
  private val left = Reg(UInt(6 bits))
  private val low = Reg(Bits(32 bits))
  private val hasLow = Reg(Bool())

  private def descriptor(part: ReadPart): Bits = {
    val d = CompletionDescriptor()
    val asked = part.read.descriptor
    for (r <- Seq(d.reserved0, d.reserved1, d.reserved2, d.reserved3, d.reserved4, d.reserved5)) r := 0
    d.lowerAddress := part.lowerAddress
    d.addressType := asked.addressType
    d.byteCount := part.byteCount
    d.dwords := part.dwords.resized
    d.status := part.read.status
    d.requester := asked.requester
    d.tag := asked.tag
    d.completer := 0 // the block knows our number
    d.trafficClass := asked.trafficClass
    d.attributes := asked.attributes
    d.asBits
  }
  private val isError = held.read.status =/= CompletionStatus.SUCCESSFUL
  private val request = held.read.descriptor.asBits
  private val sideband = (held.read.hints ## held.read.lastBe ## held.read.firstBe).resize(32)

  private val data = Vec(io.answers.map(_.data.payload)).read(source)
  private val available = Vec(io.answers.map(_.data.valid)).read(source)
  private val out = Stream(Fragment(PcieBeat(PcieStream.completionUser)))
  private val takes = False
  for ((answer, i) <- io.answers.zipWithIndex) answer.data.ready := takes && source === i
  out.user := 0
  out.keep := B"11"
  offered.ready := False
  private val final_ = left === 1
  switch(phase) {
    is(Phase.HEAD) {
      out.valid := offered.valid
      out.data := descriptor(offered.payload)(63 downto 0)
      out.last := False
      offered.ready := out.ready
      left := offered.dwords
      hasLow := False
      when(offered.read.status =/= CompletionStatus.SUCCESSFUL)(left := 4)
      when(out.fire)(phase := Phase.SECOND)
    }
    is(Phase.SECOND) {
      out.valid := isError || available
      out.data := (isError ? sideband | data) ## descriptor(held)(95 downto 64)
      out.last := !isError && final_
      takes := !isError && out.ready
      when(out.fire) {
        phase := out.last ? Phase.HEAD | Phase.PAYLOAD
        when(!isError)(left := left - 1)
      }
    }
    is(Phase.PAYLOAD) {
      out.valid := isError || available && (hasLow || final_)
      out.data := hasLow ? (data ## low) | (B(0, 32 bits) ## data)
      out.keep := (isError || hasLow) ## True
      out.last := final_
      when(isError) {
        out.data := (left === 4) ? request(63 downto 0) | request(127 downto 64)
        out.last := left =/= 4
        when(out.fire)(left := 1)
      } otherwise {
        takes := available && (out.ready || !hasLow && !final_)
        when(takes) {
          low := data
          hasLow := !hasLow
          left := left - 1
        }
      }
      when(out.fire && out.last)(phase := Phase.HEAD)
    }
  }
  io.cc << out.m2sPipe()
}
