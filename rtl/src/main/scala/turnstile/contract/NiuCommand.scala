package turnstile.contract

import spinal.core._

/** What a launch register starts, in the order of those registers: the names of their commands in every header too. */
object NiuOpcode extends SpinalEnum(binarySequential) {
  val GET, PUT, TAG, FLUSH, CLEAN, KILL, SEND, FREE = newElement()
}

/** A command of the sP to the command engine: CMD_CTRL, CMD_DEST, CMD_WORD and the launch address, resolved.
  *
  * `address` byte address of a line; `size` log2 of the lines of the tag range (0 to 5); `old`, `next` cls codes;
  * `lines` lines held by `slot` (0 to 2), as its message told; `dest` logical destination; `useWord` send `word`, not
  * the address of a packet's first line.
  */
case class NiuCommand() extends Bundle {
  val op = NiuOpcode()
  val address = UInt(32 bits)
  val size = UInt(3 bits)
  val check = Bool()
  val old = Cls()
  val set = Bool()
  val next = Cls()
  val approve, free, send, high = Bool()
  val tag = Bits(5 bits)
  val useWord = Bool()
  val word = Bits(32 bits)
  val dest = UInt(9 bits)
  val slot = UInt(6 bits)
  val lines = UInt(2 bits)
  val notifies = Bool()
}

/** What the running command waits for: its compare (an approved access comes first), verdicts of its lines, its last tag, beats, the
  * message unit to take what it sends. */
object EngineWait extends SpinalEnum(binarySequential) {
  val NOTHING, COMPARE, VERDICTS, LAST_TAG, BEATS, MESSAGE_UNIT = newElement()
}

/** State of the command engine: `free` places of its FIFO (0 to 8), `busy` while a command runs or waits; of the one that runs,
  * a cycle late, its `op` and what it waits for. */
case class EngineStatus() extends Bundle {
  val free = UInt(4 bits)
  val busy = Bool()
  val op = NiuOpcode()
  val waits = EngineWait()
}
