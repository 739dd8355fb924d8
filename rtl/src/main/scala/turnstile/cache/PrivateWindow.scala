package turnstile.cache

import spinal.core._

/** The private window (contract §1): 2 MB at `0x4000_0000` become this aP's 2 MB of DRAM, so that every process finds its
  * own code and globals at one address. Bits below 21 pass unchanged: caches may index before relocation.
  */
object PrivateWindow {
  val bits = 21
  val bytes = BigInt(1) << bits
  val base = BigInt(0x40000000L)
  val dram = BigInt(0x80000000L)

  /** @param index aP of the site; combinational, one level of logic */
  def apply(address: UInt, index: UInt): UInt = {
    val high = address(31 downto bits)
    val moved = U(dram >> bits, 32 - bits bits) | index.resize(32 - bits)
    Mux(high === U(base >> bits, 32 - bits bits), moved, high) @@ address(bits - 1 downto 0)
  }
}
