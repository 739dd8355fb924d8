package turnstile.header

import turnstile.registers._

/** The C header of the firmware, of the aPs' runtime and of the simulator; assemblers and linker scripts may include it too. */
object CHeader {
  private def define(name: String, value: String, comment: String = ""): String =
    f"#define $name%-34s $value" + (if (comment.isEmpty) "" else s" /* $comment */")

  private def number(value: Long): String = f"NIU_U(0x$value%08x)"

  private def fields(prefix: String, fields: Seq[Field]): Seq[String] = fields.flatMap { f =>
    val mask = (1L << f.width) - 1
    Seq(define(s"${prefix}_${f.name}_SHIFT", s"${f.lsb}", f.description),
      define(s"${prefix}_${f.name}_MASK", f"NIU_U(0x$mask%x)"),
      define(s"${prefix}_${f.name}(x)", s"(NIU_WORD(x) << ${f.lsb})"))
  }

  private def register(prefix: String, r: Register): Seq[String] = {
    val name = s"${prefix}_${r.name}"
    val offset = f"NIU_U(0x${r.offset}%05x)"
    val own = if (r.count == 1) Seq(define(name, offset, s"${r.access}: ${r.description}"))
    else define(s"$name(i)", s"($offset + ${r.stride} * (i))", s"${r.access}, i < ${r.count}: ${r.description}") +:
      r.elements.zip(r.offsets).map { case (element, at) => define(s"${name}_$element", f"NIU_U(0x$at%05x)") }
    own ++ fields(name, r.fields)
  }

  private def section(comment: String, lines: Seq[String]): Seq[String] = Seq("", s"/* $comment. */") ++ lines

  def text(origin: String): String = {
    val regions = AddressMap.regions.flatMap(r => Seq(define(s"${r.name}_BASE", number(r.base), r.description), define(s"${r.name}_BYTES", number(r.bytes))))
    val constants = (AddressMap.constants ++ RegisterMaps.constants).map { case (name, value, meaning) => define(name, number(value), meaning) }
    val lines = Seq(s"/* $origin */", "#ifndef NIU_REGS_H", "#define NIU_REGS_H",
      "#ifdef __ASSEMBLER__", define("NIU_U(x)", "x"), define("NIU_WORD(x)", "(x)"), "#else",
      define("NIU_U(x)", "x##u"), define("NIU_WORD(x)", "((__UINT32_TYPE__)(x))"), "#endif") ++
      section("Address map", regions ++ constants) ++
      RegisterMaps.all.flatMap(m => section(
        s"${m.title}: byte offsets from ${m.prefix}_BASE. FIELD_SHIFT, FIELD_MASK (before the shift), FIELD(x) puts x in place",
        m.registers.flatMap(register(m.prefix, _)))) ++
      WordFormat.all.flatMap(w => section(w.description.capitalize, fields(w.prefix, w.fields))) ++
      CodeTable.all.flatMap(t => section(t.description, t.codes.map(c => define(s"${t.prefix}_${c.name}", s"${c.value}")))) ++
      Seq("", "#endif", "")
    lines.mkString("\n")
  }
}
