package turnstile.message

import spinal.core._
import turnstile.bus.BusParams
import turnstile.network.NetworkParams

/** Sizes of the message unit, and who besides its own parts sends and receives through it.
  *
  * @param aps             aPs of the site, 1 to 4: an entry of every transmit queue is held back for the store that each may
  *                        have on the bus
  * @param bus             where memory and heap lie: rings are DRAM outside the heap
  * @param network         flit buffers of the link
  * @param expressDepth    entries of each Express FIFO, per queue (and per priority when transmitting); a power of two, 8 to 64
  * @param expressReserved entries of each receive FIFO that low messages never take, 1 to half of the depth: the replies an aP
  *                        may wait for without reading
  * @param ringMasters     lines of rings on the Site Bus at once, each by a master of its own, 1 or 2
  * @param slots           slots of the slot SRAM, a power of two, 8 to 64
  * @param reservedSlots   slots that low messages never take, 2 to slots - 2
  * @param sources         more makers of packets than the unit's own, behind them in the arbiter's list (`MessageUnit.io.sources`)
  * @param sinks           more takers of packets, before the unit's own (`MessageUnit.io.sinks`)
  * @param watched         receive queues of which `MessageUnit.io.waiting` tells whether a message waits, 2 to 15
  */
case class MessageParams(
    aps: Int,
    bus: BusParams,
    network: NetworkParams,
    expressDepth: Int = 16,
    expressReserved: Int = 4,
    ringMasters: Int = 2,
    slots: Int = 64,
    reservedSlots: Int = 16,
    sources: Seq[TxSource] = Nil,
    sinks: Seq[RxSink] = Nil,
    watched: Seq[Int] = Nil
) {
  require(aps >= 1 && aps <= 4, s"MessageParams.aps is $aps; legal: 1 to 4")
  require(
    isPow2(expressDepth) && expressDepth >= 8 && expressDepth <= 64,
    s"MessageParams.expressDepth is $expressDepth; legal: a power of two from 8 to 64"
  )
  require(
    expressReserved >= 1 && expressReserved <= expressDepth / 2,
    s"MessageParams.expressReserved is $expressReserved; legal: 1 to half of expressDepth, ${expressDepth / 2}"
  )
  require(ringMasters >= 1 && ringMasters <= 2, s"MessageParams.ringMasters is $ringMasters; legal: 1 or 2")
  require(isPow2(slots) && slots >= 8 && slots <= 64, s"MessageParams.slots is $slots; legal: a power of two from 8 to 64")
  require(
    reservedSlots >= 2 && reservedSlots <= slots - 2,
    s"MessageParams.reservedSlots is $reservedSlots; legal: 2 to slots - 2, ${slots - 2}"
  )
}

/** The 16 queues of a site, transmit and receive alike (contract §4). */
object Queues {
  val count = 16

  /** Of the sP: 0 protocol, 1 services. */
  val ofSp = Seq(0, 1)

  /** Express queues of aPs. */
  val ofAps = 2 to 7
  val express = 0 to 7

  /** Basic queues: rings in DRAM. 8 is the sP's. */
  val basic = 8 to 15

  /** Transmit queues whose priority bit selects virtual channel high. Not those of aPs: what a user sends can never occupy the
    * channel that must always sink (contract §5). Its bit still reaches the receiver, and goes first within its queue.
    */
  val mayHigh = Set(0, 1, 8)
}
