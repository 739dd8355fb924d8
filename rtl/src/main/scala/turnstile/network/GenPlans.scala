package turnstile.network

import java.nio.file.{Files, Paths}

/** Writes the plans of all sizes for the simulator, whose routers are instances of one Verilated `Router`: a C++ initializer a
  * router, `{sites, root, level, prefixMask, prefix, {port 0, .. port 3}}`, in the order of `FatTreePlan.routers`; a port is
  * `SITE(number)`, `ROUTER(index, port)` or `ABSENT`. Argument: the file.
  */
object GenPlans {
  private def row(plan: FatTreePlan, router: RouterPlace): String = {
    val ports = plan.neighbours(router).map {
      case SiteBelow(site)          => s"SITE($site)"
      case RouterPort(other, port) => s"ROUTER(${plan.index(other)}, $port)"
      case Absent                  => "ABSENT"
    }
    val (mask, prefix) = plan.prefix(router)
    s"{${plan.sites}, ${plan.isRoot(router)}, ${router.level}, $mask, $prefix, {${ports.mkString(", ")}}},"
  }

  def main(arguments: Array[String]): Unit = {
    require(arguments.length == 1, s"GenPlans: ${arguments.length} arguments, needs one: the file to write")
    val rows = (2 to 64).map(FatTreePlan(_)).flatMap(plan => plan.routers.map(row(plan, _)))
    Files.write(Paths.get(arguments(0)), ("// Made by turnstile.network.GenPlans from FatTreePlan." +: rows :+ "").mkString("\n").getBytes("UTF-8"))
  }
}
