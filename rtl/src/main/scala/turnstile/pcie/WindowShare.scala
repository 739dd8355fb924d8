package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** What a host asks of the message unit, as aPs do ([[WindowPort]]), but it can wait: aPs go first. master = the bridge. */
case class HostWindowPort() extends Bundle with IMasterSlave {
  val express = Stream(ExpressTx())
  val room = Bits(16 bits)
  val query = Stream(WindowQuery())
  val answer = WindowAnswer()
  val pop = Stream(UInt(4 bits))
  val pointer = Stream(PointerWrite())

  override def asMaster(): Unit = {
    master(express, query, pop, pointer)
    in(room, answer)
  }
}

/** The message unit's window port for aPs and a host: an aP's access goes at once, the host's when none does. Their queues are not the same.
  *
  * Latency: 0, a choice of two.
  */
class WindowShare extends Component {
  val io = new Bundle {
    val aps = slave(WindowPort())
    val host = slave(HostWindowPort())
    val unit = master(WindowPort())
  }
  private def share[T <: Data](first: Flow[T], second: Stream[T], to: Flow[T]): Unit = {
    to.valid := first.valid || second.valid
    to.payload := first.valid ? first.payload | second.payload
    second.ready := !first.valid
  }
  share(io.aps.express, io.host.express, io.unit.express)
  share(io.aps.query, io.host.query, io.unit.query)
  share(io.aps.pop, io.host.pop, io.unit.pop)
  share(io.aps.pointer, io.host.pointer, io.unit.pointer)
  for (port <- Seq(io.aps.room, io.host.room)) port := io.unit.room
  io.aps.occupied := io.unit.occupied
  for (port <- Seq(io.aps.answer, io.host.answer)) port := io.unit.answer
}
