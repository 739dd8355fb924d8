package turnstile.contract

import spinal.core._

/** The lowest set bit alone, from ORs of the bits below: `OHMasking` subtracts, and Yosys makes carry chains of that. No latency. */
object FirstOf {
  def apply(of: Bits): Bits = B((0 until of.getWidth).map(i => if (i == 0) of(0) else of(i) && !of(i - 1 downto 0).orR))
  def apply(of: scala.collection.Seq[Bool]): Bits = apply(B(of.toSeq))

  /** In turn: the lowest of those in `after` that are set, or the lowest of all. */
  def apply(of: Bits, after: Bits): Bits = (of & after).orR ? apply(of & after) | apply(of)

  /** The bits above the one that is set. */
  def above(one: Bits): Bits = B((0 until one.getWidth).map(i => if (i == 0) False else one(i - 1 downto 0).orR))
}
