package turnstile.contract

import spinal.core._
import spinal.lib._

/** Register access of the sP (or host) into a unit: `address` is the byte offset in its area. Read data is valid `latency`
  * cycles (fixed by the unit, 1 unless said otherwise) after `command.valid && !write`. master = sP side. */
case class RegPort(addressWidth: Int) extends Bundle with IMasterSlave {
  val command = Flow(RegCommand(addressWidth))
  val data = Bits(32 bits)

  override def asMaster(): Unit = {
    master(command)
    in(data)
  }
}

/** A command. `write` is high in the cycle of a store alone, perhaps one for another unit: a warning ahead of `valid`. */
case class RegCommand(addressWidth: Int) extends Bundle {
  val write = Bool()
  val address = UInt(addressWidth bits)
  val data = Bits(32 bits)
}
