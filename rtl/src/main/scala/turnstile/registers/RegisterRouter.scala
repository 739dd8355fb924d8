package turnstile.registers

import spinal.core._
import turnstile.contract.RegPort

/** Takes a command on `from` to the port of the unit that serves its register. `targets` must be the blocks `expected`, each at one
  * port. An offset of no register reads as 0 and stores nothing. Latency: none; `staged`, 1 cycle, for units that lie far away: each
  * port has registers of its own, which hold the last command for it. */
object RegisterRouter {
  def apply(from: RegPort, expected: Seq[RegisterBlock], staged: Boolean = false)(targets: (Seq[RegisterBlock], RegPort)*): Unit = {
    val routed = targets.flatMap(_._1)
    def refuse(blocks: Seq[RegisterBlock], fault: String): Unit = if (blocks.nonEmpty)
      throw new IllegalArgumentException(s"registers of ${Component.current.getClass.getSimpleName}: ${blocks.map(_.title).mkString(", ")} $fault")
    refuse(expected.diff(routed), "reach no unit; route them")
    refuse(routed.diff(expected), "are routed twice, or to where they do not belong; keep one route")

    val command = from.command
    val asked = for ((blocks, port) <- targets) yield {
      val here = RegisterDecode.has(command.address, blocks.flatMap(_.registers))
      val comes = command.valid && here
      port.command.valid := (if (staged) RegNext(comes) init False else comes)
      port.command.write := (if (staged) RegNext(comes && command.write) init False else command.write)
      port.command.address := (if (staged) RegNextWhen(command.address, comes) else command.address).resized
      port.command.data := (if (staged) RegNextWhen(command.data, comes) else command.data)
      RegNextWhen(here, command.valid) init False
    }
    from.data := asked.zip(targets).map { case (here, (_, port)) => here ? port.data | B(0, 32 bits) }.reduce(_ | _)
  }
}
