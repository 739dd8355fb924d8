package turnstile.contract

import spinal.core._

/** Event numbers (docs/design/contract.md §5). */
object EventIndex {
  val message = 0
  val fault = 32
  val service = 64
  val illegal = 96
  val timer = 97
  val commandDone = 98
  val commandMismatch = 99
  val crcError = 100
  val nonResident = 101
  val approvalAged = 102
  val translationFault = 103
  val busError = 104

  /** A packet of channel high waits, which cannot be: contract §5. */
  val highStopped = 105

  /** Commands ended whose events had no place: arg address of the first of them, meta how many. */
  val commandsUntold = 106

  /** An Express receive queue has room again: arg its number (EXPRESS_WANTED). */
  val expressRoom = 107
  /** A Basic receive ring fills: arg its queue, meta the source of a message; one that filled is read again: arg its queue. */
  val ringFills = 108
  val ringRead = 109
  val idle = 127
}

/** What the sP is told: handler index and two operands. */
case class SiteEvent() extends Bundle {
  val index = UInt(7 bits)
  val arg = Bits(32 bits)
  val meta = Bits(32 bits)
}
