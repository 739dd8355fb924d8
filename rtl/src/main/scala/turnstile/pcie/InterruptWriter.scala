package turnstile.pcie

import spinal.core._
import spinal.lib._

/** Interrupts as posted writes on RQ, three beats each: two of descriptor, one of a dword.
  *
  * On RQ, not at the block's own message interface (cfg_interrupt_msix_*): RQ is the way that data of the card will take to the host, and a posted
  * write passes none before it, so an interrupt can never come before the data that it tells of.
  *
  * Latency: a message's first beat is in its cycle; it is taken with its last.
  */
class InterruptWriter extends Component {
  val io = new Bundle {
    val message = slave(Stream(InterruptMessage()))
    val rq = master(Stream(Fragment(PcieBeat(PcieStream.requesterUser))))
  }
  private val head = RequesterDescriptor()
  for (field <- Seq(head.addressType, head.requester, head.tag, head.completer, head.trafficClass, head.attributes)) field := 0
  for (flag <- Seq(head.poisoned, head.requesterGiven, head.forceEcrc)) flag := False
  head.address := io.message.address
  head.dwords := 1
  head.kind := RequestKind.memoryWrite

  private val beat = Reg(UInt(2 bits)) init 0
  io.rq.last := beat === 2
  io.rq.valid := io.message.valid
  io.rq.fragment.keep := io.rq.last ? B"01" | B"11"
  io.rq.fragment.user := 0xF // enables of the first dword, which is the last
  io.rq.fragment.data := beat.mux(
    0 -> head.asBits(63 downto 0),
    1 -> head.asBits(127 downto 64),
    default -> io.message.data.resize(64)
  )
  io.message.ready := io.rq.fire && io.rq.last
  when(io.rq.fire)(beat := io.rq.last ? U(0) | beat + 1)
}
