package turnstile.registers

import spinal.core._
import turnstile.contract.RegPort

/** Takes a command on `from` to the port of the unit that serves its register; no latency of its own. `targets` must be the blocks
  * `expected`, each at one port. An offset of no register reads as 0 and stores nothing. */
object RegisterRouter {
  def apply(from: RegPort, expected: Seq[RegisterBlock])(targets: (Seq[RegisterBlock], RegPort)*): Unit = {
    val routed = targets.flatMap(_._1)
    def refuse(blocks: Seq[RegisterBlock], fault: String): Unit = if (blocks.nonEmpty)
      throw new IllegalArgumentException(s"registers of ${Component.current.getClass.getSimpleName}: ${blocks.map(_.title).mkString(", ")} $fault")
    refuse(expected.diff(routed), "reach no unit; route them")
    refuse(routed.diff(expected), "are routed twice, or to where they do not belong; keep one route")

    val command = from.command
    val asked = for ((blocks, port) <- targets) yield {
      val here = RegisterDecode.has(command.address, blocks.flatMap(_.registers))
      port.command.valid := command.valid && here
      port.command.write := command.write
      port.command.address := command.address.resized
      port.command.data := command.data
      RegNextWhen(here, command.valid) init False
    }
    from.data := asked.zip(targets).map { case (here, (_, port)) => here ? port.data | B(0, 32 bits) }.reduce(_ | _)
  }
}
