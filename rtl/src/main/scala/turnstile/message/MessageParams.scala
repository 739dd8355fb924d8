package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.network.NetworkParams

/** What becomes of a packet for a resident receive queue. */
object Receive extends SpinalEnum(binarySequential) {

  /** An event of the sP (queues 0 and 1); a body goes to a slot of the slot SRAM. */
  val EVENT = newElement()

  /** An entry of a FIFO read by Express loads. */
  val FIFO = newElement()

  /** A slot of a ring in DRAM. */
  val RING = newElement()

  /** Kept in a slot and told to the sP as event 101: the queue is not resident, or cannot hold such a packet. */
  val KEPT = newElement()

  /** Malformed: counted, told as event 100 with meta bit 31. */
  val DROP = newElement()
}

/** What a queue number means; the engine is one, queue types differ only here.
  *
  * @param receive   what a packet for this queue becomes
  * @param eventBase event number of tag 0, for `Receive.EVENT`
  * @param mayHigh   whether `high` selects virtual channel high. False for queues of aPs: what a user sends can never
  *                  occupy the channel that must always sink (contract §5). Its bit still reaches the receiver, and goes
  *                  first within its queue.
  */
case class QueueDescriptor(receive: SpinalEnumElement[Receive.type], eventBase: Int = 0, mayHigh: Boolean = false)

/** @param aps           aPs of the site, 1 to 4: an entry of every transmit queue is held back for the store that each may
  *                      have on the bus
  * @param network       flit buffers of the link
  * @param expressDepth  entries of each Express FIFO, per queue (and per priority when transmitting); a power of two, 8 to 64
  * @param reservedSlots slots that low messages never take, 2 to 62 of the 64
  */
case class MessageParams(aps: Int, network: NetworkParams, expressDepth: Int = 16, reservedSlots: Int = 16) {
  require(aps >= 1 && aps <= 4, s"MessageParams.aps is $aps; legal: 1 to 4")
  require(
    isPow2(expressDepth) && expressDepth >= 8 && expressDepth <= 64,
    s"MessageParams.expressDepth is $expressDepth; legal: a power of two from 8 to 64"
  )
  require(reservedSlots >= 2 && reservedSlots <= 62, s"MessageParams.reservedSlots is $reservedSlots; legal: 2 to 62")

  val slots = 64

  /** Resident queues, transmit and receive alike (contract §4). */
  val queues: Seq[QueueDescriptor] = Seq(
    QueueDescriptor(Receive.EVENT, eventBase = 0, mayHigh = true),
    QueueDescriptor(Receive.EVENT, eventBase = 64, mayHigh = true)
  ) ++ Seq.fill(6)(QueueDescriptor(Receive.FIFO)) ++
    Seq(QueueDescriptor(Receive.RING, mayHigh = true)) ++ Seq.fill(7)(QueueDescriptor(Receive.RING))

  /** Queues below this one are Express, the others Basic. */
  val expressQueues = 8

  def mayHigh(queue: UInt): Bool = B(queues.map(q => Bool(q.mayHigh)))(queue)
}
