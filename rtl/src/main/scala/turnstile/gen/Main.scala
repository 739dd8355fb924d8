package turnstile.gen

import java.io.File
import java.nio.file.Files

import spinal.core._

/** `Main UNIT/TOP OUTDIR [key=value ...]` writes OUTDIR/TOP.sv; `Main all OUTDIR` writes OUTDIR/UNIT/TOP.sv for every top;
  * `Main list` prints every UNIT/TOP.
  */
object Main {

  /** The packages searched for a `Units` object. One that has none (yet) is skipped. */
  val packages =
    Seq("bus", "cache", "snoop", "niu", "message", "network", "link", "dma", "translation", "sp", "pcie", "site", "board", "cluster")

  /** The settings of everything we generate: one clock, synchronous reset active high, no dates in the output. */
  def config(outdir: String): SpinalConfig = SpinalConfig(
    targetDirectory = outdir,
    defaultConfigForClockDomains = ClockDomainConfig(clockEdge = RISING, resetKind = SYNC, resetActiveLevel = HIGH),
    oneFilePerComponent = false,
    withTimescale = false,
    genLineComments = false,
    headerWithDate = false,
    headerWithRepoHash = false,
    rtlHeader = "Generated from rtl/ by tools/rtlgen."
  )

  private def unitList(unit: String): Option[UnitList] =
    try Some(Class.forName(s"turnstile.$unit.Units$$").getField("MODULE$").get(null).asInstanceOf[UnitList])
    catch { case _: ClassNotFoundException => None }

  private def all: Seq[(String, Params => Component)] =
    for (unit <- packages; list <- unitList(unit).toSeq; (top, build) <- list.tops) yield (s"$unit/$top", build)

  private def generate(name: String, outdir: String, settings: Seq[String]): Unit = {
    val build = all.find(_._1 == name).map(_._2).getOrElse {
      throw new BadArgument(s"no top is called $name; there are: ${all.map(_._1).mkString(" ")}")
    }
    val params = new Params(settings.map { s =>
      s.split("=", 2) match {
        case Array(key, value) => key -> value
        case _                 => throw new BadArgument(s"'$s' is not of the form key=value")
      }
    }.toMap)
    // Of every top: false for tools that do not read SystemVerilog's immediate assertions.
    val checked = params.boolean("assertions", true)
    new File(outdir).mkdirs()
    val top = name.split('/').last
    config(outdir).copy(noAssert = !checked).generateSystemVerilog {
      val component = build(params).setDefinitionName(top)
      if (params.unused.nonEmpty)
        throw new BadArgument(
          s"$name knows no parameter ${params.unused.mkString(", ")}; it has: ${params.known.mkString(" ")}")
      component
    }
    keepFatalMessages(new File(outdir, s"$top.sv"))
  }

  /** SpinalHDL writes `$fatal("message")`; the standard wants a number first, and simulators drop the message without. */
  private def keepFatalMessages(file: File): Unit = {
    val text = Files.readString(file.toPath)
    if (text.contains("$fatal(\"")) Files.writeString(file.toPath, text.replace("$fatal(\"", "$fatal(1, \""))
  }

  def main(args: Array[String]): Unit =
    try args.toSeq match {
      case Seq("list")                      => all.foreach(t => println(t._1))
      case Seq("all", outdir)               => for ((name, _) <- all) generate(name, s"$outdir/${name.split('/').head}", Nil)
      case Seq(name, outdir, settings @ _*) => generate(name, outdir, settings)
      case _                                => throw new BadArgument("usage: rtlgen UNIT/TOP OUTDIR [key=value ...] | rtlgen all OUTDIR | rtlgen list")
    } catch {
      case e: BadArgument =>
        System.err.println(s"rtlgen: ${e.getMessage}")
        sys.exit(2)
    }
}
