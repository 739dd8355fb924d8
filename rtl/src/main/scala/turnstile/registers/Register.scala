package turnstile.registers

import spinal.core._
import scala.collection.mutable

/** A field of a word: bits `lsb + width - 1` down to `lsb`. */
case class Field(name: String, lsb: Int, width: Int, description: String) {
  require(lsb >= 0 && width >= 1 && lsb + width <= 32, s"field $name: bits ${lsb + width - 1}..$lsb, legal 31..0")

  /** What `word` holds there; wires, no logic. */
  def of(word: Bits): Bits = word(lsb, width bits)
}

/** Who may do what with a register. */
object RegisterAccess extends Enumeration {
  val R, W, RW = Value
}

/** A 32-bit register, or `count` of them `stride` bytes apart.
  *
  * @param offset      of the first, in bytes from the base of its map
  * @param description one sentence, for the reference page and the comment in the C header
  * @param elements    names of the registers of an array, when they have names
  */
case class Register(name: String, offset: Int, access: RegisterAccess.Value, description: String, fields: Seq[Field],
                    count: Int, stride: Int, elements: Seq[String]) {
  private def powerOfTwo(n: Int) = n > 0 && (n & (n - 1)) == 0
  require(offset % 4 == 0 && offset >= 0 && offset < (1 << 20), f"register $name: offset 0x$offset%X, legal a multiple of 4 below 0x100000")
  require(powerOfTwo(count) && powerOfTwo(stride) && stride >= 4, s"register $name: $count registers $stride bytes apart, legal powers of two, from 4 bytes")
  require(offset % (count * stride) < stride,
    f"register $name: $count registers $stride bytes apart at 0x$offset%X, legal an offset whose index bits ${count * stride - stride}%#x are 0")
  require(elements.isEmpty || elements.size == count, s"register $name: ${elements.size} names for $count registers")
  for (Seq(a, b) <- fields.sortBy(_.lsb).sliding(2) if a.lsb + a.width > b.lsb)
    throw new IllegalArgumentException(s"register $name: fields ${a.name} and ${b.name} overlap at bit ${b.lsb}")

  def readable: Boolean = access != RegisterAccess.W
  def writable: Boolean = access != RegisterAccess.R
  /** Byte offsets of all its registers. */
  def offsets: Seq[Int] = Seq.tabulate(count)(offset + stride * _)
  /** Address bits that tell the registers of the array from each other. */
  val indexBits: Int = count * stride - stride
  /** The field called `name`. */
  def field(name: String): Field =
    fields.find(_.name == name).getOrElse(throw new IllegalArgumentException(s"register ${this.name} has no field $name; it has: ${fields.map(_.name).mkString(" ")}"))
}

/** Registers of one subject, served by one unit. An object that extends this holds a `val` a register. */
abstract class RegisterBlock(val title: String) {
  import RegisterAccess._
  private val described = mutable.ListBuffer[Register]()

  private def add(name: String, offset: Int, access: RegisterAccess.Value, description: String, fields: Seq[Field], count: Int, stride: Int,
                  elements: Seq[String]): Register = {
    val register = Register(name, offset, access, description, fields, count, stride, elements)
    described += register
    register
  }

  protected def register(name: String, offset: Int, access: RegisterAccess.Value, description: String, fields: Field*): Register =
    add(name, offset, access, description, fields, 1, 4, Nil)

  protected def array(name: String, offset: Int, access: RegisterAccess.Value, description: String, count: Int, stride: Int = 4,
                      elements: Seq[String] = Nil, fields: Seq[Field] = Nil): Register =
    add(name, offset, access, description, fields, count, stride, elements)

  def registers: Seq[Register] = described.toSeq
}

/** Blocks at one base address. Two registers at one offset, or of one name, are refused.
  *
  * @param prefix of the names in headers: `NIU_TAGQ`
  */
case class RegisterMap(prefix: String, title: String, base: Long, blocks: Seq[RegisterBlock]) {
  val registers: Seq[Register] = blocks.flatMap(_.registers).sortBy(_.offset)

  for ((offset, all) <- registers.flatMap(r => r.offsets.map(_ -> r)).groupMap(_._1)(_._2) if all.size > 1)
    throw new IllegalArgumentException(f"$title: ${all.map(_.name).mkString(" and ")} overlap at 0x$offset%X; give one of them another offset")
  for ((name, all) <- registers.groupBy(_.name) if all.size > 1)
    throw new IllegalArgumentException(s"$title: ${all.size} registers are called $name; give them names of their own")
}
