package turnstile.contract

import spinal.core._
import spinal.lib._

/** An Express message on its way out: 32 data + 5 tag + 9 logical destination + 1 priority (VY-24). */
case class ExpressTx() extends Bundle {
  val queue = UInt(4 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val data = Bits(32 bits)
}

/** Head of a line message of the command engine; its 8*lines data flits follow on `LineMessagePort.data`. */
case class LineMessage() extends Bundle {
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val word = Bits(32 bits)
  val lines = UInt(2 bits)
}

/** Tag-On messages of the command engine (VY-28): sent through transmit queue 0's translation. master = the engine. */
case class LineMessagePort() extends Bundle with IMasterSlave {
  val head = Stream(LineMessage())
  val data = Stream(Bits(64 bits))

  override def asMaster(): Unit = master(head, data)
}

/** Slot SRAM (64 slots x 128 B): address in 16 B beats, data the cycle after `read.fire`; `free` returns a slot; `lines` is how many
  * lines (0 to 2) the message brought that is in slot `asked` of the cycle before. master = reader. */
case class SlotPort() extends Bundle with IMasterSlave {
  val read = Flow(UInt(9 bits))
  val data = Bits(128 bits)
  val free = Flow(UInt(6 bits))
  val asked = UInt(6 bits)
  val lines = UInt(2 bits)

  override def asMaster(): Unit = {
    master(read, free)
    out(asked)
    in(data, lines)
  }
}
