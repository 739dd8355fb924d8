package turnstile.header

import turnstile.registers._

/** The same names as in the C header, for benches. */
object PythonModule {
  private val classes = """
class Field:
    "`FIELD(x)` is x in place, `FIELD.of(word)` what the word holds there."

    def __init__(self, lsb, width):
        self.lsb, self.mask = lsb, (1 << width) - 1

    def __call__(self, x):
        assert 0 <= x <= self.mask, f"{x} in a field of 0 to {self.mask}"
        return x << self.lsb

    def of(self, word):
        return word >> self.lsb & self.mask


class Array:
    "`ARRAY(i)` is the byte offset of register i of `len(ARRAY)`; iteration gives all."

    def __init__(self, offset, stride, count):
        self.offsets = range(offset, offset + stride * count, stride)

    def __call__(self, i):
        return self.offsets[i]

    def __len__(self):
        return len(self.offsets)

    def __iter__(self):
        return iter(self.offsets)

"""

  private def fields(prefix: String, fields: Seq[Field]) = fields.map(f => s"${prefix}_${f.name} = Field(${f.lsb}, ${f.width})")

  private def register(prefix: String, r: Register): Seq[String] = {
    val name = s"${prefix}_${r.name}"
    val own = if (r.count == 1) Seq(f"$name = 0x${r.offset}%X")
    else f"$name = Array(0x${r.offset}%X, ${r.stride}, ${r.count})" +: r.elements.zip(r.offsets).map { case (element, at) => f"${name}_$element = 0x$at%X" }
    own ++ fields(name, r.fields)
  }

  def text(origin: String): String = {
    val lines = AddressMap.regions.flatMap(r => Seq(f"${r.name}_BASE = 0x${r.base}%X", f"${r.name}_BYTES = 0x${r.bytes}%X")) ++
      (AddressMap.constants ++ RegisterMaps.constants).map { case (name, value, _) => f"$name = 0x$value%X" } ++
      RegisterMaps.all.flatMap(m => m.registers.flatMap(register(m.prefix, _))) ++
      WordFormat.all.flatMap(w => fields(w.prefix, w.fields)) ++
      CodeTable.all.flatMap(t => t.codes.map(c => s"${t.prefix}_${c.name} = ${c.value}"))
    s"\"\"\"$origin\"\"\"\n\n$classes\n${lines.mkString("\n")}\n"
  }
}
