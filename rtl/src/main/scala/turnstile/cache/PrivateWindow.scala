package turnstile.cache

import spinal.core._
import turnstile.registers.AddressMap

/** The private window (contract §1): 2 MB at `0x4000_0000` become this aP's 2 MB of DRAM, so that every process finds its
  * own code and globals at one address. Bits below 21 pass unchanged: caches may index before relocation.
  */
object PrivateWindow {
  private val window = AddressMap.privateWindow

  /** @param index aP of the site; combinational, one level of logic */
  def apply(address: UInt, index: UInt): UInt = {
    val high = address(31 downto window.bits)
    val moved = U(AddressMap.memory.base >> window.bits, 32 - window.bits bits) | index.resize(32 - window.bits)
    Mux(window.has(address), moved, high) @@ address(window.bits - 1 downto 0)
  }
}
