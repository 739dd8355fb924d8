package turnstile.registers

import spinal.core._

/** How the DRAM of a site is divided (contract §1). From its begin: a private window for each aP, what nobody uses, the shared heap, the
  * system's part.
  *
  * @param bytes        all of it, a power of two, 4 MB to 1 GB
  * @param heapBytes    the shared heap and the system's part behind it, a power of two from 2 MB to half of `bytes`; 0: that half
  * @param privateBytes window of an aP, a power of two, 2 MB to 64 MB
  */
case class MemoryLayout(bytes: BigInt = AddressMap.defaultMemory, heapBytes: BigInt = 0, privateBytes: BigInt = AddressMap.privateWindow.bytes) {
  require(isPow2(bytes) && bytes >= (4 << 20) && bytes <= AddressMap.memory.bytes,
    s"memory of $bytes bytes, legal a power of two from 4 MB to 1024 MB")
  require(heapBytes == 0 || isPow2(heapBytes) && heapBytes >= (2 << 20) && heapBytes <= bytes / 2,
    s"shared heap of $heapBytes bytes in a memory of $bytes, legal a power of two from 2 MB to half of the memory, ${bytes >> 21} MB")
  require(isPow2(privateBytes) && privateBytes >= (2 << 20) && privateBytes <= (64 << 20),
    s"private window of $privateBytes bytes, legal a power of two from 2 MB to 64 MB")

  private val upper = if (heapBytes == 0) bytes / 2 else heapBytes
  val base: BigInt = AddressMap.memory.base
  val end: BigInt = base + bytes
  /** A multiple of the power of two that holds heap and system's part. */
  val heapBase: BigInt = end - upper
  /** The system's part grows with the directory it holds. */
  val heapEnd: BigInt = end - (upper / 8).max(AddressMap.systemBytes)
  /** What the hardware knows of pages (PAGE_ATTRIBUTES) has so many rows. */
  val pages: Int = (upper / AddressMap.pageBytes).max(PageBlock.pages).toInt
  val privateWindow: Region = AddressMap.privateWindow.copy(bytes = privateBytes.toLong)
  /** What aPs cache. */
  private val cachedRegion = Region("cached", AddressMap.memory.base, bytes.max(AddressMap.leastCached).toLong, "what aPs cache")

  def has(a: UInt): Bool = a(31 downto log2Up(bytes)) === (base >> log2Up(bytes))
  def cached(a: UInt): Bool = cachedRegion.has(a)
  /** The least memory for the windows of `aps` below the heap. */
  def least(aps: Int): BigInt = {
    val windows = aps * privateBytes
    BigInt(1) << log2Up(windows + (if (heapBytes == 0) windows else heapBytes))
  }
  def holds(aps: Int): Boolean = base + aps * privateBytes <= heapBase
}
