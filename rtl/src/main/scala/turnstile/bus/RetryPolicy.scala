package turnstile.bus

import spinal.core._

/** When a master asks again for an op that was retried; every master of a site follows it.
  *
  * After a conflict at once, for a line in flight is free within a few cycles. After any other retry when `backOff` cycles
  * have passed or the NIU says `wake`, also when it said so since the op was `formed`: what the verdict missed is true by now.
  * The bus's elder rule bounds how often.
  *
  * Latency: `free` is low from the cycle after the verdict on, for `backOff` cycles, and high in the cycle after `wake`.
  *
  * @param backOff cycles, 0 to 31
  */
class RetryPolicy(bus: BusMasterPort, formed: Bool, retried: Bool, backOff: UInt) extends Area {
  private val pause = Reg(UInt(5 bits)) init 0
  private val woken = Reg(Bool())
  val free = pause === 0
  when(!free)(pause := pause - 1)
  when(bus.wake) {
    pause := 0
    woken := True
  }
  when(formed)(woken := False)
  when(retried && !bus.answer.conflict && !woken && !bus.wake)(pause := backOff.resized)
}
