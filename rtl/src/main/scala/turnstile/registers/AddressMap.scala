package turnstile.registers

import spinal.core._

/** An aligned part of an address space.
  *
  * @param base  byte address, a multiple of `bytes`
  * @param bytes a power of two
  */
case class Region(name: String, base: Long, bytes: Long, description: String) {
  require(bytes > 0 && (bytes & (bytes - 1)) == 0, s"region $name: $bytes bytes, legal a power of two")
  require(base % bytes == 0, f"region $name: base 0x$base%X, legal a multiple of its size 0x$bytes%X")

  val bits: Int = java.lang.Long.numberOfTrailingZeros(bytes)
  /** One level of logic: a comparison of the bits above the region's size. */
  def has(address: UInt): Bool = address(31 downto bits) === (base >> bits)
}

/** Where things are (contract §1, §5): address space of the sP, address space of aPs, DRAM. */
object AddressMap {
  val instructionRam = Region("SP_IRAM", 0x00000000L, 0x10000, "sP: instruction RAM")
  val dataRam = Region("SP_DRAM", 0x00010000L, 0x10000, "sP: data RAM")
  val spRegisters = Region("NIU", 0x10000000L, 0x10000000, "sP: registers below")
  val spExpress = Region("SP_EXPRESS_TX", 0x20000000L, 0x10000000, "sP: Express transmit, + EXPRESS_TX_* fields")
  val spSlots = Region("SP_SLOTS", 0x30000000L, 0x10000000, "sP: slot SRAM, SP_SLOT_COUNT slots of SP_SLOT_BYTES, read")
  val spBus = Region("SP_BUS", 0x80000000L, 0x80000000L, "sP: the Site Bus, that is DRAM, at the same address")

  /** The aP wrapper moves it to `memory.base + index * bytes` on the bus. These are the bytes of a site that is told nothing else. */
  val privateWindow = Region("AP_PRIVATE", 0x40000000L, 0x200000, "aP: private window; aP i's is at MEMORY_BASE + i * AP_PRIVATE_BYTES on the bus")
  val apRegisters = Region("AP", 0xF0000000L, 0x1000, "aP: registers below")
  val apExpressTransmit = Region("AP_EXPRESS_TX", 0xF0200000L, 0x200000, "aP: Express transmit, + EXPRESS_TX_* fields")
  val apExpressReceive = Region("AP_EXPRESS_RX", 0xF0400000L, 0x10000, "aP: Express receive, a 4 KB page a queue")
  val apBasic = Region("AP_BASIC", 0xF0500000L, 0x10000, "aP: Basic pointers, a 4 KB page a queue")
  val apOnePoll = Region("AP_ONEPOLL", 0xF0600000L, 0x40000, "aP: OnePoll, a 4 KB page a group")

  /** All windows of the NIU for aPs: nothing there is ever cached. */
  val windows = Region("AP_WINDOWS", 0xF0000000L, 1L << 28, "aP: the windows of the NIU")

  /** A site has `defaultMemory` unless it is told otherwise; how it is divided: [[MemoryLayout]]. */
  val memory = Region("MEMORY", 0x80000000L, 1L << 30, "DRAM of a site, at most")
  val regions = Seq(instructionRam, dataRam, spRegisters, spExpress, spSlots, spBus, privateWindow, apRegisters, apExpressTransmit,
    apExpressReceive, apBasic, apOnePoll, memory)

  val slotBytes = 0x80
  val slotCount = 64
  /** A queue's page in the windows of aPs, and the pages of the heap. */
  val pageBytes = 0x1000
  val defaultMemory = 16L << 20
  /** aPs cache so much from `memory.base` on, or what the site has if that is more. */
  val leastCached = 256L << 20
  /** Last part of a private window: the aP's Basic rings and tag-on areas. */
  val messageBytes = 1L << 17
  /** Last part of DRAM, at least: messages that wait for a full queue, then the sP's directory. */
  val systemBytes = 1L << 20
  val keptBytes = 1L << 16
  /** The second half of these has the Basic rings of hosts: `hostRingBytes` a queue, the transmit ring in the first page, then the receive ring. */
  val hostRings = keptBytes / 2
  val hostRingBytes = 1L << 14
  val hostRingTransmitLog2 = 4
  val hostRingReceiveLog2 = 6

  private def layout = MemoryLayout()
  /** Name, value, meaning. */
  val constants: Seq[(String, Long, String)] = Seq(
    ("SP_SLOT_BYTES", slotBytes, "a slot"), ("SP_SLOT_COUNT", slotCount, ""), ("AP_PAGE_BYTES", pageBytes, "a queue's page"),
    ("MEMORY_DEFAULT_BYTES", defaultMemory, "DRAM of a site that is told nothing else"),
    ("HEAP_BASE", layout.heapBase.toLong, "shared heap of MEMORY_DEFAULT_BYTES"),
    ("HEAP_END", layout.heapEnd.toLong, "its end: the system's part follows"),
    ("SYSTEM_BYTES", systemBytes, "last part of MEMORY_DEFAULT_BYTES: messages that wait for a full queue, then the sP's directory"),
    ("KEPT_BYTES", keptBytes, "messages that wait, in it"),
    ("HOST_RINGS", hostRings, "behind the heap: Basic rings of hosts, HOST_RING_BYTES a queue in their order: transmit ring, a page behind it receive ring"),
    ("HOST_RING_BYTES", hostRingBytes, ""),
    ("HOST_RING_TX_LOG2", hostRingTransmitLog2, "slots of 128 bytes"), ("HOST_RING_RX_LOG2", hostRingReceiveLog2, ""),
    ("AP_MESSAGE_BYTES", messageBytes, "last part of a private window: the aP's Basic rings and tag-on areas"))

  for (space <- Seq(Seq(instructionRam, dataRam, spRegisters, spExpress, spSlots, spBus),
      Seq(privateWindow, apRegisters, apExpressTransmit, apExpressReceive, apBasic, apOnePoll, memory));
      Seq(a, b) <- space.sortBy(_.base).sliding(2) if a.base + a.bytes > b.base)
    throw new IllegalArgumentException(f"address map: ${a.name} and ${b.name} overlap at 0x${b.base}%X; move one of them")
}
