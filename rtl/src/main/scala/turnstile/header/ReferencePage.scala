package turnstile.header

import turnstile.registers._

/** The reference of registers, addresses, words and codes, in Markdown. */
object ReferencePage {
  private def fields(fields: Seq[Field]) = fields.sortBy(_.lsb).map { f =>
    val bits = if (f.width == 1) s"${f.lsb}" else s"${f.lsb + f.width - 1}:${f.lsb}"
    s"| | ${f.name} | `[$bits]` | ${f.description} |"
  }

  private def register(r: Register): Seq[String] = {
    val where = if (r.count == 1) f"`0x${r.offset}%05X`" else f"`0x${r.offset}%05X` + ${r.stride} i, i < ${r.count}"
    val names = if (r.elements.isEmpty) "" else s": ${r.elements.mkString(", ")}"
    s"| $where | ${r.name} | ${r.access} | ${r.description}$names |" +: fields(r.fields)
  }

  private def table(heads: String*) = Seq(heads.mkString("| ", " | ", " |"), "|---" * heads.size + "|")

  def text(origin: String): String = {
    val addresses = AddressMap.regions.map(r => f"| `0x${r.base}%08X` | `0x${r.bytes}%X` | ${r.name} | ${r.description} |")
    val constants = (AddressMap.constants ++ RegisterMaps.constants).map { case (name, value, meaning) => f"| $name | `0x$value%X` | $meaning |" }
    val maps = RegisterMaps.all.flatMap(m =>
      Seq("", s"## ${m.title}", f"Offsets are from `0x${m.base}%08X`; names in headers begin with `${m.prefix}_`.") ++
        m.blocks.flatMap(b => Seq("", s"### ${b.title}", "") ++ table("offset", "name", "access, bits", "") ++ b.registers.flatMap(register)))
    (Seq("# Registers, addresses, codes", "", origin, "", "## Addresses", "") ++ table("base", "bytes", "name", "") ++ addresses ++ Seq("") ++
      table("constant", "value", "") ++ constants ++ maps ++
      WordFormat.all.flatMap(w => Seq("", s"## ${w.prefix}: ${w.description}", "") ++ table("", "name", "bits", "") ++ fields(w.fields)) ++
      CodeTable.all.flatMap(t => Seq("", s"## ${t.prefix}", s"${t.description}.", "") ++ table("code", "name") ++ t.codes.map(c => s"| ${c.value} | ${c.name} |")) :+
      "").mkString("\n")
  }
}
