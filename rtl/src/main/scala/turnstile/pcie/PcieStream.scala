package turnstile.pcie

import spinal.core._
import spinal.lib._

/** AXI-Stream of AMD's UltraScale+ integrated block (docs/reference/sources.md, PG213): 64 bits, dword aligned, no straddling.
  *
  * 64 bits: at the block's 250 MHz they carry what the Site Bus's 128 bits do at half of that; a request's payload begins at lane 0 then.
  */
object PcieStream {

  /** Sidebands of a request (CQ) and of a completion (CC). */
  val requestUser = 88
  val completionUser = 33

  /** Of what the card itself writes (RQ). */
  val requesterUser = 62

  /** The block's names for a stream's pins. */
  private[pcie] def named(prefix: String, stream: Stream[Fragment[PcieBeat]]): Unit = {
    stream.valid.setName(s"${prefix}_tvalid")
    stream.ready.setName(s"${prefix}_tready")
    stream.fragment.data.setName(s"${prefix}_tdata")
    stream.fragment.keep.setName(s"${prefix}_tkeep")
    stream.fragment.user.setName(s"${prefix}_tuser")
    stream.last.setName(s"${prefix}_tlast")
  }
}

/** The integrated block's user side, as far as it is used. `npRequest`: pcie_cq_np_req, one more read may come. `msixEnable`, `msixMask`:
  * cfg_interrupt_msix_enable, _mask, a bit a function. `requester`: with those and RQ. master = the block.
  */
case class PciePins(requester: Boolean = true) extends Bundle with IMasterSlave {
  val cq = Stream(Fragment(PcieBeat(PcieStream.requestUser)))
  val cc = Stream(Fragment(PcieBeat(PcieStream.completionUser)))
  val npRequest = Bits(2 bits)
  val rq = requester generate Stream(Fragment(PcieBeat(PcieStream.requesterUser)))
  val msixEnable, msixMask = requester generate Bits(4 bits)

  override def asMaster(): Unit = {
    master(cq)
    slave(cc)
    in(npRequest)
    if (requester) {
      slave(rq)
      out(msixEnable, msixMask)
    }
  }

  /** Names of a top's pins. */
  def named(): this.type = {
    PcieStream.named("io_cq", cq)
    PcieStream.named("io_cc", cc)
    npRequest.setName("io_npRequest")
    if (requester) {
      PcieStream.named("io_rq", rq)
      msixEnable.setName("io_msixEnable")
      msixMask.setName("io_msixMask")
    }
    this
  }
}

/** `keep`: a bit a dword, all ones but in a packet's last beat. `user`: sideband. */
case class PcieBeat(userWidth: Int) extends Bundle {
  val data = Bits(64 bits)
  val keep = Bits(2 bits)
  val user = Bits(userWidth bits)
}

/** CQ's sideband: byte enables of the first and the last dword, valid in the first beat; hints of the requester, to be given back with an
  * error; `discontinue`, in the last beat: the packet was damaged within the block.
  */
case class RequestUser() extends Bundle {
  val firstBe, lastBe = Bits(4 bits)
  val byteEnables = Bits(32 bits)
  val first = Bool()
  val discontinue = Bool()
  val hints = Bits(11 bits)
  val parity = Bits(35 bits)
}

/** What a request asks; I/O is between memory and atomics, what begins with 8 is configuration, from 12 on messages. */
object RequestKind {
  val memoryRead = 0
  val memoryWrite = 1
  val message = 12
}

/** The first two beats of a request. `address` and `dwords` in dwords, 1 to 1024 of them. */
case class RequestDescriptor() extends Bundle {
  val addressType = Bits(2 bits)
  val address = UInt(62 bits)
  val dwords = UInt(11 bits)
  val kind = UInt(4 bits)
  private val reserved0 = Bits(1 bits)
  val requester = Bits(16 bits)
  val tag = Bits(8 bits)
  val function = UInt(8 bits)
  val bar = UInt(3 bits)
  val aperture = UInt(6 bits)
  val trafficClass = Bits(3 bits)
  val attributes = Bits(3 bits)
  private val reserved1 = Bits(1 bits)
}

/** The first three dwords of a completion. `byteCount`: bytes of the request from this completion on; `lowerAddress`: of its first byte. */
case class CompletionDescriptor() extends Bundle {
  val lowerAddress = UInt(7 bits)
  val reserved0 = Bits(1 bits)
  val addressType = Bits(2 bits)
  val reserved1 = Bits(6 bits)
  val byteCount = UInt(13 bits)
  val reserved2 = Bits(3 bits)
  val dwords = UInt(11 bits)
  val status = CompletionStatus()
  val reserved3 = Bits(2 bits)
  val requester = Bits(16 bits)
  val tag = Bits(8 bits)
  val completer = Bits(16 bits)
  val reserved4 = Bits(1 bits)
  val trafficClass = Bits(3 bits)
  val attributes = Bits(3 bits)
  val reserved5 = Bits(1 bits)
}

/** The first two beats of what the card asks or writes (RQ). The block knows the requester. */
case class RequesterDescriptor() extends Bundle {
  val addressType = Bits(2 bits)
  val address = UInt(62 bits)
  val dwords = UInt(11 bits)
  val kind = UInt(4 bits)
  val poisoned = Bool()
  val requester = Bits(16 bits)
  val tag = Bits(8 bits)
  val completer = Bits(16 bits)
  val requesterGiven = Bool()
  val trafficClass = Bits(3 bits)
  val attributes = Bits(3 bits)
  val forceEcrc = Bool()
}

/** As PCI Express has them: done; no such thing here; here, but not in this way. */
object CompletionStatus extends SpinalEnum {
  val SUCCESSFUL, UNSUPPORTED, ABORTED = newElement()
  defaultEncoding = SpinalEnumEncoding("pcie")(SUCCESSFUL -> 0, UNSUPPORTED -> 1, ABORTED -> 4)
}
