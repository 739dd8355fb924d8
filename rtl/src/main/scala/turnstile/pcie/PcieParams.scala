package turnstile.pcie

import spinal.core._
import turnstile.bus.BusParams
import turnstile.registers.{AddressMap, HostVector, MsixBlock}

/** @param bus    where the shared heap lies: BAR4 is the site's DRAM, of which the host reaches that part and its Basic rings
  * @param reads  that may wait for their answers at once, a power of two from 2 to 32: so many the integrated block can be told of
  * @param stores to shared memory that may wait, of up to 16 bytes each, a power of two from 8 to 4096
  * @param aps    of the card
  * @param held   the sP is held after reset until a driver has written its firmware
  * @param wire   the card has a wire to another
  * @param express, basic queues of hosts, of those that are no aP's and not the sP's: 2 to 7, 9 to 15 (contract §4)
  */
case class PcieParams(bus: BusParams, reads: Int = 32, stores: Int = 256, aps: Int = 1, held: Boolean = false, wire: Boolean = false, express: Seq[Int] = Seq(6, 7), basic: Seq[Int] = Seq(14, 15)) {
  for ((queues, legal) <- Seq(express -> (2 to 7), basic -> (9 to 15)))
    require(queues.nonEmpty && queues.distinct == queues && queues.forall(legal.contains),
      s"PcieParams: queues ${queues.mkString(", ")} for a host; legal: some of ${legal.head} to ${legal.last}, each once")
  require(HostVector.queues + express.size + basic.size <= HostVector.wire,
    s"PcieParams: ${express.size + basic.size} queues for a host, legal ${HostVector.wire - HostVector.queues}: each has an interrupt")
  require(isPow2(stores) && stores >= 8 && stores <= 4096, s"PcieParams.stores is $stores; legal: a power of two from 8 to 4096")
  require(isPow2(reads) && reads >= 2 && reads <= 32, s"PcieParams.reads is $reads; legal: a power of two from 2 to 32")

  /** Its queues, in the order of their vectors. */
  val queues: Seq[Int] = (express ++ basic).sorted

  /** The offset in BAR4 of a request's address, which has the place of the BAR above it. */
  def sharedOffset(address: UInt): UInt = address(log2Up(bus.memory.bytes) - 1 downto 0).resize(BarAddress.width)

  /** Basic rings, behind the heap: those of the first of `basic` first. */
  val rings: BigInt = bus.heapEnd + AddressMap.hostRings
  private val ringsEnd = rings + basic.size * AddressMap.hostRingBytes
  require(ringsEnd <= bus.heapEnd + AddressMap.keptBytes,
    s"PcieParams: ${basic.size} Basic queues for a host; legal: ${(AddressMap.keptBytes - AddressMap.hostRings) / AddressMap.hostRingBytes} at most")

  /** Whether this address in BAR4 is of the heap or of a ring. */
  def reaches(address: UInt): Bool = {
    val onBus = AddressMap.memory.base | sharedOffset(address).resize(32)
    bus.inHeap(onBus) || onBus >= rings && onBus < ringsEnd
  }
}
