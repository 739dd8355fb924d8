package turnstile.registers

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort

/** Blocks and units with one fault each. Prints a line a fault: its name and the sentence that refused it, or nothing. */
object RefusedRegisters {
  import RegisterAccess._

  private object Lamp extends RegisterBlock("Lamp") {
    val state = register("STATE", 0x00, R, "1: on")
    val level = register("LEVEL", 0x04, RW, "brightness")
    val hours = array("HOURS", 0x10, R, "hours of lamp i", count = 4)
  }
  private object Door extends RegisterBlock("Door") {
    val open = register("OPEN", 0x40, W, "opens it")
  }

  /** Serves [[Lamp]], as `serve` says. */
  private class LampUnit(width: Int)(serve: RegisterBank => Unit) extends Component {
    val regs = slave(RegPort(width))
    serve(new RegisterBank(regs, Lamp))
  }
  private def word = B(5, 32 bits)
  private def all(bank: RegisterBank): Unit = {
    bank.read(Lamp.state)(word)
    bank.read(Lamp.level)(word)
    bank.readNext(Lamp.hours)(bank.index(Lamp.hours).asBits)
    when(bank.stores(Lamp.level))(report("stored"))
  }
  private def lamp(width: Int = 8)(serve: RegisterBank => Unit): Unit = elaborate(new LampUnit(width)(serve))

  private class House(targets: Seq[RegisterBlock]*) extends Component {
    val from = slave(RegPort(8))
    val to = Vec(master(RegPort(8)), targets.size)
    RegisterRouter(from, Seq(Lamp, Door))(targets.zip(to): _*)
  }

  private def elaborate(unit: => Component): Unit = SpinalConfig(targetDirectory = "build", noAssert = true).generateVerilog(unit)

  private class One(name: String, offset: Int) extends RegisterBlock("One") { register(name, offset, R, "a register") }
  private def map(blocks: RegisterBlock*): Unit = RegisterMap("X", "Map", 0, blocks)

  private val faults: Seq[(String, () => Unit)] = Seq(
    "none" -> (() => { lamp()(all); elaborate(new House(Seq(Lamp), Seq(Door))); map(Lamp, Door) }),
    "described, loads not served" -> (() => lamp() { bank =>
      bank.read(Lamp.state)(word); bank.read(Lamp.level)(word); bank.stores(Lamp.level) }),
    "described, stores not served" -> (() => lamp() { bank =>
      bank.read(Lamp.state)(word); bank.read(Lamp.level)(word); bank.read(Lamp.hours)(word) }),
    "served, not described" -> (() => lamp() { bank => all(bank); bank.stores(Door.open) }),
    "served twice" -> (() => lamp() { bank => all(bank); bank.read(Lamp.state)(word) }),
    "served against its access" -> (() => lamp() { bank => all(bank); bank.stores(Lamp.state) }),
    "port too narrow" -> (() => lamp(width = 4)(all)),
    "routed nowhere" -> (() => elaborate(new House(Seq(Lamp)))),
    "routed twice" -> (() => elaborate(new House(Seq(Lamp, Door), Seq(Door)))),
    "overlap" -> (() => map(Lamp, new One("LATE", 0x18))),
    "one name" -> (() => map(Lamp, new One("STATE", 0x80))),
    "offset" -> (() => new One("ODD", 0x82)),
    "array" -> (() => new RegisterBlock("Array") { array("ROWS", 0x104, R, "rows", count = 4) }),
    "fields" -> (() => new RegisterBlock("Fields") {
      register("BITS", 0x00, R, "bits", Field("LOW", 0, 4, "low"), Field("HIGH", 3, 4, "high")) }))

  def main(arguments: Array[String]): Unit = {
    val out = Console.out
    for ((name, fault) <- faults) {
      val refusal = Console.withOut(new java.io.OutputStream { def write(b: Int): Unit = () }) {
        try { fault(); "" } catch { case e: Throwable => Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString(" ") }
      }
      out.println(s"$name: ${refusal.replace('\n', ' ')}")
    }
  }
}
