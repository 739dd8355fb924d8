package turnstile.contract

import spinal.core._
import spinal.lib._

/** cls codes, 3 bits a line (VY-09). 0 is the SRAM's reset value: a page nobody has opened. */
object Cls extends SpinalEnum(binarySequential) {
  val OTHER, INVALID, SHARED, EXCLUSIVE, PEND_READ, PEND_EXCL, PEND_DOWN, FILL = newElement()
}

/** Actions of the responder table (VY-10). ERROR: claim to scratch and raise an event. */
object Action extends SpinalEnum(binarySequential) {
  val MEMORY, MEMORY_SHARED, RECORD, RETRY, CLAIM, ERROR = newElement()
}

/** One atomic change of the tags of 2^size aligned lines. */
case class TagCommand() extends Bundle {
  val address = UInt(32 bits)
  val size = UInt(3 bits)
  val check = Bool()
  val old = Cls()
  val set = Bool()
  val next = Cls()
  /** Approve or free the waiting ops of the range by the new tag. */
  val approve = Bool()
  /** Wait while an approved access of the range has not committed (forward progress). */
  val defer = Bool()
}

/** `found`: tag of the first line that did not match, or of the first line. */
case class TagResult() extends Bundle {
  val mismatch = Bool()
  val found = Cls()
}

/** Tag commands into the snooper: master = the commander. One result a command, in order. */
case class TagPort() extends Bundle with IMasterSlave {
  val command = Stream(TagCommand())
  val result = Flow(TagResult())

  override def asMaster(): Unit = {
    master(command)
    slave(result)
  }
}
