package turnstile.registers

import turnstile.contract.NiuOpcode

/** Commands of the sP to the command engine. */
object CommandBlock extends RegisterBlock("Commands") {
  import RegisterAccess._

  val ctrl = register("CMD_CTRL", 0x040, RW, "what the next launch does",
    Field("SIZE", 0, 3, "log2 of the lines of the tag range, 0 to 5"),
    Field("CHECK", 3, 1, "do nothing (but `free`) unless every tag of the range equals OLD"),
    Field("OLD", 4, 3, "cls code expected"),
    Field("SET_TAG", 7, 1, "write NEXT to the tags of the range"),
    Field("NEXT", 8, 3, "cls code to set"),
    Field("APPROVE", 11, 1, "judge the waiting accesses of the range by the new tag"),
    Field("FREE", 12, 1, "give the slot back when done"),
    Field("SEND", 13, 1, "GET: send the lines read; any other op: a message without lines when all is done"),
    Field("PRIO", 14, 1, "priority of the message: 1 high"),
    Field("TAG", 15, 5, "tag of the message (its event number at the receiver); even when data is sent"),
    Field("USE_WORD", 20, 1, "the message carries CMD_WORD instead of the address of its first line"),
    Field("REPLY", 21, 1, "destination is the sP protocol queue of the current event's site, not CMD_DEST"),
    Field("EVENT_SLOT", 22, 1, "slot of the current event, not of CMD_DEST"),
    Field("NOTIFY", 23, 1, "event 98 when done"),
    Field("PAGE_SIZE", 24, 1, "the tag range is a block of the current event's page, not SIZE"),
    Field("TO_HOME", 25, 1, "destination is the sP protocol queue of the home of the current event's page, not CMD_DEST"))
  val dest = register("CMD_DEST", 0x044, RW, "destination and slot of the next launch",
    Field("DEST", 0, 9, "logical destination"), Field("SLOT", 16, 6, "slot of the slot SRAM"))
  val word = register("CMD_WORD", 0x048, RW, "word sent with the data when USE_WORD")
  val launch = array("LAUNCH", 0x080, W, "starts command i with this address; stalls while the command FIFO is full", count = 8,
    elements = Codes.of(NiuOpcode).map(_.name))
  val status = register("CMD_STATUS", 0x0A0, R, "the command engine",
    Field("FREE", 0, 4, "free places of the command FIFO"), Field("BUSY", 4, 1, "a command runs or waits"),
    Field("OP", 5, 3, "the command that runs"),
    Field("WAITS", 8, 3, "what it waits for: 0 nothing, 1 compare, 2 verdicts of lines, 3 last tag, 4 beats, 5 the message unit"))
}
