package turnstile.header

import java.nio.file.{Files, Path, Paths}

/** Writes the C header, the Python module and the reference page made from [[turnstile.registers]]: `Main OUT.h OUT.py OUT.md`. */
object Main {
  private val origin = "Made by tools/niuheader from rtl/src/main/scala/turnstile/registers. Do not edit."

  private def write(file: Path, text: String): Unit = {
    if (file.getParent != null) Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes("UTF-8"))
  }

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 3, s"header: ${arguments.length} arguments, needs three: OUT.h OUT.py OUT.md")
    write(Paths.get(arguments(0)), CHeader.text(origin))
    write(Paths.get(arguments(1)), PythonModule.text(origin))
    write(Paths.get(arguments(2)), ReferencePage.text(origin))
  }
}
