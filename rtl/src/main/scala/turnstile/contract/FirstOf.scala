package turnstile.contract

import spinal.core._

/** The lowest set bit alone, from ORs of the bits below: `OHMasking` subtracts, and Yosys makes carry chains of that. No latency. */
object FirstOf {
  def apply(of: scala.collection.Seq[Bool]): Bits = apply(B(of.toSeq))
  def apply(of: Bits): Bits = B((0 until of.getWidth).map(i => if (i == 0) of(0) else of(i) && !of(i - 1 downto 0).orR))
}
