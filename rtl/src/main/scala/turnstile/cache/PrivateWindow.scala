package turnstile.cache

import spinal.core._
import turnstile.registers.MemoryLayout

/** The private window (contract §1): what is at `0x4000_0000` becomes this aP's part of DRAM, so that every process finds its
  * own code and globals at one address. Bits within the window, 21 at least, pass unchanged: caches may index before relocation.
  */
object PrivateWindow {
  /** @param index aP of the site; combinational, one level of logic */
  def apply(address: UInt, index: UInt, memory: MemoryLayout): UInt = {
    val window = memory.privateWindow
    val high = address(31 downto window.bits)
    val moved = U(memory.base >> window.bits, 32 - window.bits bits) | index.resize(32 - window.bits)
    Mux(window.has(address), moved, high) @@ address(window.bits - 1 downto 0)
  }
}
