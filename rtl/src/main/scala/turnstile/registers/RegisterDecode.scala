package turnstile.registers

import spinal.core._
import spinal.lib._
import scala.annotation.tailrec
import scala.collection.mutable

/** Finds the registers of `blocks` in `address`, a byte offset in their map (its low bits suffice when it is known to be theirs).
  *
  * When the unit is complete, each register must have been served: [[reads]] for those that may be read, [[writes]] for those that
  * may be written, once each, and no register of another block. Anything else ends the elaboration with a sentence. No latency:
  * one comparison a register.
  */
class RegisterDecode(address: UInt, blocks: RegisterBlock*) extends Area {
  private val unit = Component.current
  private val registers = blocks.flatMap(_.registers)
  private val served = mutable.Set[(Register, String)]()

  protected def servesLoads: Boolean = true
  protected def servesStores: Boolean = true

  private val window = 1 << widthOf(address)
  for (all <- registers.flatMap(r => r.offsets.map(_ % window -> r)).groupMap(_._1)(_._2).values if all.size > 1)
    refuse(s"${all.map(_.name).mkString(" and ")} are one register in ${widthOf(address)} bits of address; widen the register port")
  unit.addPrePopTask(() => complete())

  private def refuse(sentence: String): Nothing = throw new IllegalArgumentException(s"registers of ${unit.getClass.getSimpleName}: $sentence")

  private def serve(r: Register, may: Boolean, what: String): Bool = {
    if (!registers.contains(r))
      refuse(s"${r.name} is served, but none of its blocks describes it (${blocks.map(_.title).mkString(", ")}); describe it there, docs/developer/registers.md")
    if (!may) refuse(s"${what}s of ${r.name} are served, but it is described as ${r.access}; change the description or the unit")
    if (!served.add((r, what))) refuse(s"${what}s of ${r.name} are served twice; keep one")
    at(r)
  }

  private def complete(): Unit = for (r <- registers; (may, what) <- Seq((r.readable && servesLoads) -> "read", (r.writable && servesStores) -> "write") if may && !served((r, what)))
    refuse(f"${r.name} is described as ${r.access} at 0x${r.offset}%X, but its ${what}s are not implemented; serve them or change the description")

  /** `address` is that of a register of `r`. */
  protected def at(r: Register): Bool = RegisterDecode.has(address, Seq(r))
  /** Loads of `r` are served; whether `address` is one of its. */
  def reads(r: Register): Bool = serve(r, r.readable, "read")
  /** Stores to `r` are served; whether `address` is one of its. */
  def writes(r: Register): Bool = serve(r, r.writable, "write")
  /** Which register of an array, when `address` is one of its. */
  def index(r: Register): UInt = address(log2Up(r.stride), log2Up(r.count) bits)
  /** `address` is that of any register of the blocks. */
  def any: Bool = RegisterDecode.has(address, registers)
}

/** Where loads alone are served; another place serves the stores. */
class LoadDecode(address: UInt, blocks: RegisterBlock*) extends RegisterDecode(address, blocks: _*) {
  override protected def servesStores = false
}

/** Where stores alone are served; another place serves the loads. */
class StoreDecode(address: UInt, blocks: RegisterBlock*) extends RegisterDecode(address, blocks: _*) {
  override protected def servesLoads = false
}

object RegisterDecode {
  /** An address is in it when its bits `cares` equal those of `value`. */
  private case class Term(cares: Int, value: Int) {
    def merged(that: Term): Option[Term] = {
      val differs = value ^ that.value
      if (cares == that.cares && Integer.bitCount(differs) == 1) Some(Term(cares & ~differs, value & ~differs)) else None
    }
  }

  @tailrec private def merge(terms: Set[Term]): Set[Term] = {
    val pairs = for (a <- terms.iterator; b <- terms.iterator; both <- a.merged(b)) yield (a, b, both)
    pairs.nextOption() match {
      case Some((a, b, both)) => merge(terms - a - b + both)
      case None               => terms
    }
  }

  /** `address` is that of one of `registers`, which must be words of its width: a comparison an aligned range. */
  def has(address: UInt, registers: Seq[Register]): Bool = {
    val low = (1 << widthOf(address)) - 4
    def bits(value: Int) = B(value, widthOf(address) bits)
    merge(registers.map(r => Term(low & ~r.indexBits, low & r.offset & ~r.indexBits)).toSet).toSeq.sortBy(_.value)
      .map(term => (address.asBits & bits(term.cares)) === bits(term.value)).orR
  }
}
