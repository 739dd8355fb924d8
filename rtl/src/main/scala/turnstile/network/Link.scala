package turnstile.network

import spinal.core._
import spinal.lib._

/** The two virtual channels of every link (VY-42). */
object Vc {
  val count = 2

  /** Requests: may wait for replies. */
  val low = 0

  /** Replies: wait for nothing but the receiver, and a site always sinks them. */
  val high = 1
}

/** One flit on a link: 64 bits of packet, whether it ends the packet, and the virtual channel it travels on. */
case class LinkFlit() extends Bundle {
  val data = Bits(64 bits)
  val last = Bool()
  val vc = UInt(1 bits)
}

/** One direction of a link; the master sends.
  *
  * At most one flit a cycle. Flits of the two virtual channels may interleave, flits of two packets of one virtual channel
  * do not. `credit` comes from the receiver: bit v pulses for each flit buffer of virtual channel v that was freed. Both
  * ends leave reset together, the sender owning `NetworkParams.bufferFlits` credits for each virtual channel. Both
  * directions are registered at their source.
  */
case class Link() extends Bundle with IMasterSlave {
  val flit = Flow(LinkFlit())
  val credit = Bits(Vc.count bits)

  override def asMaster(): Unit = {
    master(flit)
    in(credit)
  }

  /** Joins a receiver (this) to the sender of the same link. */
  def <<(sender: Link): Unit = {
    flit << sender.flit
    sender.credit := credit
  }
}
