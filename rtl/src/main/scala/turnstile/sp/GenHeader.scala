package turnstile.sp

import spinal.core._
import turnstile.bus.BusOp

import java.nio.file.{Files, Path, Paths}
import turnstile.contract._

/** Makes the firmware's C header and the register reference from [[SpRegisters]], [[AddressMap]], [[EventIndex]] and the
  * enumerations of the bus and the snooper. Arguments: `<out.h> <out.md>`. */
object GenHeader {
  private val origin = "Made by turnstile.sp.GenHeader from the RTL. Do not edit."

  /** Elements of an enumeration by the names of its vals, in the order of their codes. */
  private def codes(e: SpinalEnum): Seq[(String, Int)] = e.getClass.getMethods.toSeq
    .filter(m => m.getParameterCount == 0 && m.getName != "newElement" && classOf[SpinalEnumElement[_]].isAssignableFrom(m.getReturnType))
    .map(m => (m.getName, m.invoke(e).asInstanceOf[SpinalEnumElement[_]].position)).sortBy(_._2)

  private def events: Seq[(String, Int)] = EventIndex.getClass.getMethods.toSeq
    .filter(m => m.getParameterCount == 0 && m.getReturnType == classOf[Int] && m.getDeclaringClass == EventIndex.getClass && m.getName != "hashCode")
    .map(m => (snake(m.getName), m.invoke(EventIndex).asInstanceOf[Int])).sortBy(_._2)

  private def snake(name: String): String = name.replaceAll("([A-Z])", "_$1").toUpperCase

  private def define(name: String, value: String, comment: String = ""): String =
    f"#define $name%-34s $value" + (if (comment.isEmpty) "" else s" /* $comment */")

  private def fieldDefines(prefix: String, fields: Seq[Field]): Seq[String] = fields.flatMap { f =>
    val mask = (1L << f.width) - 1
    Seq(define(s"${prefix}_${f.name}_SHIFT", s"${f.lsb}", f.description),
      define(s"${prefix}_${f.name}_MASK", f"NIU_U(0x$mask%x)"),
      define(s"${prefix}_${f.name}(x)", s"(NIU_WORD(x) << ${f.lsb})"))
  }

  def header: String = {
    val registers = SpRegisters.all.flatMap { r =>
      val offset = f"NIU_U(0x${r.offset}%05x)"
      val own = if (r.count == 1) Seq(define(s"NIU_${r.name}", offset, s"${r.access}: ${r.description}"))
      else Seq(define(s"NIU_${r.name}(i)", s"($offset + ${r.stride} * (i))", s"${r.access}, i < ${r.count}: ${r.description}"))
      own ++ fieldDefines(s"NIU_${r.name}", r.fields)
    }
    val map = (AddressMap.sp ++ AddressMap.ap).map { case (n, v, d) => define(n, f"NIU_U(0x$v%08x)", d) }
    val lines = Seq(s"/* $origin */", "#ifndef NIU_REGS_H", "#define NIU_REGS_H", 
      "#ifdef __ASSEMBLER__", define("NIU_U(x)", "x"), define("NIU_WORD(x)", "(x)"), "#else", 
      define("NIU_U(x)", "x##u"), define("NIU_WORD(x)", "((__UINT32_TYPE__)(x))"), "#endif", "",
      "/* Address map (contract §1, §5). */") ++ map ++
      Seq("", "/* Registers: byte offsets from NIU_BASE. FIELD_SHIFT, FIELD_MASK (before the shift), FIELD(x) puts x in place. */") ++ registers ++
      Seq("", "/* EV_META of a message, a fault, a command event. */") ++
      fieldDefines("META_MESSAGE", SpRegisters.messageMeta) ++ fieldDefines("META_FAULT", SpRegisters.faultMeta) ++
      fieldDefines("META_COMMAND", SpRegisters.commandMeta) ++
      Seq("", "/* Express transmit address, Express receive META. */") ++
      fieldDefines("EXPRESS_TX", AddressMap.expressFields) ++ fieldDefines("EXPRESS_META", AddressMap.expressMeta) ++
      Seq("", "/* Events. A fault's number is EVENT_FAULT + cls * 4 + class (0 read, 1 write, 2 upgrade, 3 other). */") ++
      events.map { case (n, v) => define(s"EVENT_$n", s"$v") } ++
      Seq("", "/* Site Bus ops; responder table index = cls * 16 + op. */") ++ codes(BusOp).map { case (n, v) => define(s"BUS_OP_$n", s"$v") } ++
      Seq("", "/* cls codes (VY-09). */") ++ codes(Cls).map { case (n, v) => define(s"CLS_$n", s"$v") } ++
      Seq("", "/* Actions of the responder table (VY-10). */") ++ codes(Action).map { case (n, v) => define(s"ACTION_$n", s"$v") } ++
      Seq("", "/* Commands, in the order of their launch registers. */") ++ NiuOp.names.zipWithIndex.map { case (n, v) => define(s"NIU_OP_$n", s"$v") } ++
      Seq("", "#endif", "")
    lines.mkString("\n")
  }

  def markdown: String = {
    val rows = SpRegisters.all.flatMap { r =>
      val where = if (r.count == 1) f"`0x${r.offset}%05X`" else f"`0x${r.offset}%05X` + ${r.stride} i, i < ${r.count}"
      s"| $where | ${r.name} | ${r.access} | ${r.description} |" +:
        r.fields.map(f => s"| | ${f.name} | `[${f.lsb + f.width - 1}:${f.lsb}]` | ${f.description} |")
    }
    def table(title: String, pairs: Seq[(String, Int)]) =
      Seq("", s"## $title", "| code | name |", "|---|---|") ++ pairs.map { case (n, v) => s"| $v | $n |" }
    val map = (AddressMap.sp ++ AddressMap.ap).map { case (n, v, d) => f"| `0x$v%08X` | $n | $d |" }
    (Seq("# Registers of the service processor", "", origin, "Offsets are from `0x1000_0000`.", "",
      "| offset | name | access, bits | |", "|---|---|---|---|") ++ rows ++
      Seq("", "## Addresses", "| address | name | |", "|---|---|---|") ++ map ++
      table("Events", events) ++ table("Site Bus ops", codes(BusOp)) ++ table("cls codes", codes(Cls)) ++
      table("Actions", codes(Action)) :+ "").mkString("\n")
  }

  private def write(file: Path, text: String): Unit = {
    if (file.getParent != null) Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes("UTF-8"))
  }

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 2, s"GenHeader: ${arguments.length} arguments, needs two: <out.h> <out.md>")
    write(Paths.get(arguments(0)), header)
    write(Paths.get(arguments(1)), markdown)
  }
}
