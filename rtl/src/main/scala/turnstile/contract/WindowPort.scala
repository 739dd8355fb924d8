package turnstile.contract

import spinal.core._
import spinal.lib._

/** A load in the windows of aPs, looked up before it counts; nothing changes by asking. */
case class WindowQuery() extends Bundle {

  /** A Basic pointer page, else an Express receive page. */
  val basic = Bool()
  val queue = UInt(4 bits)

  /** Word of a Basic page (`BasicPage` of package registers). */
  val word = UInt(3 bits)
}

/** `message`: the Express FIFO had a message; `meta` is the empty word when it had none. Basic pointers come in `meta`. */
case class WindowAnswer() extends Bundle {
  val message = Bool()
  val meta = Bits(32 bits)
  val data = Bits(32 bits)
}

/** Store to a Basic pointer: RX_CONSUMER or TX_PRODUCER. */
case class PointerWrite() extends Bundle {
  val queue = UInt(4 bits)
  val consumer = Bool()
  val value = UInt(32 bits)
}

/** What the NIU slave asks of the message unit: master = the NIU slave.
  *
  * `express` has no ready: a store is accepted on the bus only while `room` of its FIFO (bit queue*2 + high) is set, and that
  * leaves an entry for every aP's one outstanding store. `answer` comes the cycle after `query`. `pop` takes the head that the
  * last query of that queue showed; the slave keeps a second load that may take from the same queue away until the first has taken, so
  * nothing is taken twice (VY-27).
  */
case class WindowPort() extends Bundle with IMasterSlave {
  val express = Flow(ExpressTx())
  val room = Bits(16 bits)

  /** Receive queues of aPs that have something: an Express FIFO a message, a Basic ring an unread slot. */
  val occupied = Bits(16 bits)
  val query = Flow(WindowQuery())
  val answer = WindowAnswer()
  val pop = Flow(UInt(4 bits))
  val pointer = Flow(PointerWrite())

  override def asMaster(): Unit = {
    master(express, query, pop, pointer)
    in(room, occupied, answer)
  }
}
