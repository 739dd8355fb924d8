package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._
import turnstile.cpu.AtomicOp
import turnstile.registers.MemoryLayout

/** State of a line. INVALID is 0: what the reset sweep writes. */
object Mesi extends SpinalEnum(binarySequential) {
  val INVALID, SHARED, EXCLUSIVE, MODIFIED = newElement()
}

/** @param bytes   size of the data, a power of two, 1 KB to 64 KB
  * @param ways    1, 2 or 4; each more costs a data memory and a later way select. A free way is filled first, else the ways of a set are replaced in turn
  * @param backOff cycles a retried op waits before its next try (wake cuts it short), 1 to 24; the aP's index (0..7) is
  *                added, so that two masters in step fall out of step
  * @param memory  DRAM: it is cached, all else is not
  * @param atomics performs LR, SC and AMOs ([[AtomicUnit]])
  */
case class DataCacheParams(bytes: Int = 8192, ways: Int = 1, backOff: Int = 6, memory: MemoryLayout = MemoryLayout(), atomics: Boolean = false) {
  require(isPow2(bytes) && bytes >= 1024 && bytes <= 65536,
    s"data cache: $bytes bytes, legal a power of two from 1024 to 65536")
  require(List(1, 2, 4).contains(ways), s"data cache: $ways ways, legal 1, 2 or 4")
  require(backOff >= 1 && backOff <= 24, s"data cache: back-off of $backOff cycles, legal 1 to 24")

  val lineBytes = 64
  val sets = bytes / ways / lineBytes
  val beats = 4
  val setWidth = log2Up(sets)
  val wayWidth = log2Up(ways) max 1
  val tagWidth = 32 - setWidth - log2Up(lineBytes)
  val setRange = 6 + setWidth - 1 downto 6
  val tagRange = 31 downto 6 + setWidth

  /** Of the ways' `values` that of `way`. */
  def wayOf[T <: Data](way: UInt, values: collection.Seq[T]): T = if (ways == 1) values.head else Vec(values).read(way)

}

/** A load or store; `data` is lane replicated, `size` is log2 bytes (0..2), addresses are aligned. With `atomics`, one of them
  * has `size` 2 and is no store for the core, which waits for its answer. */
case class CpuCommand(atomics: Boolean = false) extends Bundle {
  val wr = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val size = UInt(2 bits)
  val atomic = atomics generate AtomicOp()

  def beat: UInt = address(5 downto 4)
  def lane: UInt = address(3 downto 2)

  /** Bytes of the word it touches. */
  def bytes: Bits = size.mux(
    0 -> (B"0001" |<< address(1 downto 0)),
    1 -> (B"0011" |<< address(1 downto 0)),
    default -> B"1111")

  /** `old` after this store. */
  def merge(old: Bits): Bits =
    Cat(for (i <- 0 until 4) yield Mux(bytes(i), data(8 * i, 8 bits), old(8 * i, 8 bits)))

  // With `atomics`:
  def plain: Bool = atomic === AtomicOp.NONE
  def lr: Bool = atomic === AtomicOp.LR
  def sc: Bool = atomic === AtomicOp.SC
  /** Reads and writes. */
  def amo: Bool = !plain && !lr && !sc

  /** It is performed in a line that may be written. */
  def owns: Bool = if (atomics) wr || !plain else wr
}

/** The whole word of a load; the CPU picks its lanes. */
case class CpuResponse() extends Bundle {
  val data = Bits(32 bits)
  val error = Bool()
}

/** VexRiscv's DBusSimple: a load is answered in a later cycle, a store never. master = CPU. */
case class CpuPort(atomics: Boolean = false) extends Bundle with IMasterSlave {
  val cmd = Stream(CpuCommand(atomics))
  val rsp = Flow(CpuResponse())

  override def asMaster(): Unit = {
    master(cmd)
    slave(rsp)
  }
}

/** What an access wants of the bus. */
case class Miss() extends Bundle {
  val op = BusOp()
  val address = UInt(32 bits)
}

/** For the simulator's reports; synthesis drops it when nobody looks.
  *
  * @note `missStart` in the cycle an access finds it needs the bus, `missDone` in the cycle it completes; `waiting` in
  *       between, with the op it needs now (an UPGRADE turns READ_EXCLUSIVE when its copy is killed). Registered.
  */
case class CacheProbe(atomics: Boolean = false) extends Bundle {
  val missStart, missDone = Flow(Miss())
  val waiting = Flow(Miss())

  /** Every cached load and store, in the cycle in which it takes effect, with the bus's address and the word loaded or stored: the
    * simulator compares them with one flat memory. Those that end when their core is in reset are not told: it may lose them. */
  val commit = Flow(CpuCommand())

  /** Of an AMO, which commits as a store: the word that it found. */
  val found = atomics generate Flow(Bits(32 bits))
}
