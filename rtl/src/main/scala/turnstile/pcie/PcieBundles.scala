package turnstile.pcie

import spinal.core._

/** A byte offset within a BAR; the largest is 1 GB. */
object BarAddress {
  val width = 30
  def apply(): UInt = UInt(width bits)
}

/** A dword that the host wrote. */
case class HostWrite() extends Bundle {
  val bar = UInt(3 bits)
  val address = BarAddress()
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
}

/** A request that wants an answer, and whether it gets data. */
case class HostRead() extends Bundle {
  val descriptor = RequestDescriptor()
  val firstBe, lastBe = Bits(4 bits)
  val hints = Bits(11 bits)
  val status = CompletionStatus()

  def address: UInt = (descriptor.address @@ U"00").resize(BarAddress.width)

  /** A read of no byte: a fence, which PCI Express answers with a dword. */
  def empty: Bool = descriptor.dwords === 1 && firstBe === 0
}

/** What one completion answers: up to 32 dwords, none with an error; `ends`: nothing of the read follows. */
case class ReadPart() extends Bundle {
  val read = HostRead()
  val address = BarAddress()
  val dwords = UInt(6 bits)
  val byteCount = UInt(13 bits)
  val lowerAddress = UInt(7 bits)
  val ends = Bool()
}

/** Requests that came to nothing, a pulse each. */
case class RequestFaults() extends Bundle {
  /** Reads of what is not there; reads that no device may answer; writes of either kind, and messages; packets not of the form they tell, or
    * damaged in the block.
    */
  val unsupported, aborted, refused, malformed = Bool()
}

/** What became of an access to shared memory; its number is that of FAULT's field CAUSE. */
object HostFaultCause extends SpinalEnum(binarySequential) {
  val NONE, LOAD_GIVEN_UP, STORE_GIVEN_UP, STORE_LOST, REFUSED = newElement()
}

/** `address` in BAR4. */
case class HostFault() extends Bundle {
  val cause = HostFaultCause()
  val address = BarAddress()
}
