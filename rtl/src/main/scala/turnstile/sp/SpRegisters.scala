package turnstile.sp

/** A field of a register: bits `lsb + width - 1` down to `lsb`. */
case class Field(name: String, lsb: Int, width: Int, description: String) {
  require(lsb >= 0 && width >= 1 && lsb + width <= 32, s"field $name: bits ${lsb + width - 1}..$lsb, legal 31..0")
}

/** Who may do what: the C header and the reference are made from it. */
object Access extends Enumeration {
  val R, W, RW = Value
}

/** A register, or `count` of them `stride` bytes apart. `offset` is from the register base (0x1000_0000). */
case class Register(name: String, offset: Int, access: Access.Value, description: String,
                    fields: Seq[Field] = Nil, count: Int = 1, stride: Int = 4) {
  require(offset % 4 == 0 && offset >= 0 && offset < (1 << 20), s"register $name: offset $offset, legal a multiple of 4 below 2^20")
  /** First byte after the last of them. */
  val end: Int = offset + (count - 1) * stride + 4
}

/** The registers of the service processor (contract §5), described once. The RTL decodes these offsets; [[GenHeader]] makes
  * the C header and the reference table from them. */
object SpRegisters {
  import Access._

  val evNext = Register("EV_NEXT", 0x000, R, "takes the next event and returns its handler's address; waits up to 256 cycles when there is none, then returns the handler of event 127")
  val evArg = Register("EV_ARG", 0x004, R, "operand of the event last taken: the word of a message, the byte address of a fault")
  val evMeta = Register("EV_META", 0x008, R, "second operand of the event last taken: META_MESSAGE_*, META_FAULT_* or META_COMMAND_* fields")
  val evCount = Register("EV_COUNT", 0x00C, R, "events waiting", Seq(
    Field("LOW", 0, 10, "low messages"), Field("LOCAL", 10, 10, "local events"), Field("HIGH", 20, 10, "high messages")))
  val evEnable = Register("EV_ENABLE", 0x010, RW, "sources EV_NEXT may take from; all set after reset", Seq(
    Field("HIGH", 0, 1, "high messages"), Field("LOCAL", 1, 1, "local events"), Field("LOW", 2, 1, "low messages")))
  val evDepth = Register("EV_DEPTH", 0x018, R, "events that the FIFOs hold, one more waits at each head", Seq(
    Field("LOW", 0, 10, "low messages"), Field("LOCAL", 10, 10, "local events"), Field("HIGH", 20, 10, "high messages")))
  val txFree = Register("TX_FREE", 0x014, R, "free Express entries of transmit queue 0", Seq(
    Field("LOW", 0, 16, "low priority"), Field("HIGH", 16, 16, "high priority")))

  val cmdCtrl = Register("CMD_CTRL", 0x040, RW, "what the next launch does", Seq(
    Field("SIZE", 0, 3, "log2 of the lines of the tag range, 0 to 5"),
    Field("CHECK", 3, 1, "do nothing (but `free`) unless every tag of the range equals OLD"),
    Field("OLD", 4, 3, "cls code expected"),
    Field("SET_TAG", 7, 1, "write NEXT to the tags of the range"),
    Field("NEXT", 8, 3, "cls code to set"),
    Field("APPROVE", 11, 1, "judge the waiting accesses of the range by the new tag"),
    Field("FREE", 12, 1, "give the slot back when done"),
    Field("SEND", 13, 1, "GET: send the lines read"),
    Field("PRIO", 14, 1, "priority of the message: 1 high"),
    Field("TAG", 15, 5, "tag of the message (its event number at the receiver); even when data is sent"),
    Field("USE_WORD", 20, 1, "the message carries CMD_WORD instead of the address of its first line"),
    Field("REPLY", 21, 1, "destination is the sP protocol queue of the current event's site, not CMD_DEST"),
    Field("EVENT_SLOT", 22, 1, "slot of the current event, not of CMD_DEST"),
    Field("NOTIFY", 23, 1, "event 98 when done")))
  val cmdDest = Register("CMD_DEST", 0x044, RW, "destination and slot of the next launch", Seq(
    Field("DEST", 0, 9, "logical destination"), Field("SLOT", 16, 6, "slot of the slot SRAM")))
  val cmdWord = Register("CMD_WORD", 0x048, RW, "word sent with the data when USE_WORD")
  val launch = NiuOp.names.zipWithIndex.map { case (name, i) =>
    Register(s"LAUNCH_$name", 0x080 + 4 * i, W, s"starts $name with this address; stalls while the command FIFO is full") }
  val cmdStatus = Register("CMD_STATUS", 0x0A0, R, "the command engine", Seq(
    Field("FREE", 0, 4, "free places of the command FIFO"), Field("BUSY", 4, 1, "a command runs or waits")))

  val timeLo = Register("TIME_LO", 0x0B0, R, "cycles since reset, [31:0]; latches TIME_HI")
  val timeHi = Register("TIME_HI", 0x0B4, R, "cycles since reset, [63:32], as of the last read of TIME_LO")
  val timer = Register("TIMER", 0x0B8, RW, "arms: event 97 once when TIME_LO reaches this value")
  val console = Register("CONSOLE", 0x0C0, W, "one character")
  val siteId = Register("SITE_ID", 0x0C4, R, "number of this site")
  val sites = Register("SITES", 0x0C8, R, "sites in the cluster")
  val aps = Register("APS", 0x0CC, R, "application processors of this site")
  val apRun = Register("AP_RUN", 0x0D0, RW, "bit i releases aP i from reset")
  val trap = Register("TRAP", 0x0D4, W, "the firmware died: cause; raises the trap pin")
  val emptyWord = Register("EMPTY_WORD", 0x0D8, RW, "META of an empty Express receive")
  val tagq = Register("TAGQ", 0x0E0, RW, "write a line address, then read the line's cls code")

  val handler = Register("HANDLER", 0x200, RW, "handler address of event i", count = 128)
  val responder = Register("RESPONDER", 0x800, RW, "action for (cls, op) at index cls*16 + op", count = 128)
  val approvalAddress = Register("APPROVAL_ADDRESS", 0xC00, R, "approval entry i: byte address of the waiting access", count = 32, stride = 8)
  val approvalState = Register("APPROVAL_STATE", 0xC04, R, "approval entry i", Seq(
    Field("MASTER", 0, 4, "bus master that waits"), Field("OP", 4, 4, "its op"),
    Field("APPROVED", 30, 1, "may proceed"), Field("VALID", 31, 1, "entry in use")), count = 32, stride = 8)
  val scratchHeld = Register("SCRATCH_HELD", 0xD00, R, "writes of aPs that the NIU claimed and the sP has not let go, 0 to 8; the registers below show the oldest (VY-10)")
  val scratchAddress = Register("SCRATCH_ADDRESS", 0xD04, R, "its byte address")
  val scratchInfo = Register("SCRATCH_INFO", 0xD08, R, "what it was", Seq(
    Field("MASTER", 0, 4, "bus master"), Field("OP", 4, 4, "bus op"), Field("MASK", 16, 16, "bytes stored of its 16; all ones for a line")))
  val scratchFree = Register("SCRATCH_FREE", 0xD0C, W, "lets the oldest go")
  val scratchForbidden = Register("SCRATCH_FORBIDDEN", 0xD10, R, "stores of aPs to queues that are not theirs")
  val scratchData = Register("SCRATCH_DATA", 0xD40, R, "its 16 words; of a partial write those under MASK", count = 16)
  val basicTxBase = Register("BASIC_TX_BASE", 0xE00, RW, "Basic queue 8+i: byte address of the transmit ring", count = 8, stride = 16)
  val basicTxSize = Register("BASIC_TX_SIZE", 0xE04, RW, "Basic queue 8+i: log2 of the transmit slots, 0 off", count = 8, stride = 16)
  val basicRxBase = Register("BASIC_RX_BASE", 0xE08, RW, "Basic queue 8+i: byte address of the receive ring", count = 8, stride = 16)
  val basicRxSize = Register("BASIC_RX_SIZE", 0xE0C, RW, "Basic queue 8+i: log2 of the receive slots, 0 off", count = 8, stride = 16)
  val countCrc = Register("COUNT_CRC", 0xF00, R, "messages with a CRC error")
  val countTranslation = Register("COUNT_TRANSLATION", 0xF04, R, "messages to a name that does not translate")
  val countNonResident = Register("COUNT_NON_RESIDENT", 0xF08, R, "messages to a queue that is not resident")
  val countDropped = Register("COUNT_DROPPED", 0xF0C, R, "messages dropped")
  val slotsHigh = Register("SLOTS_HIGH", 0xF38, R, "slots that low messages never take")
  val translation = Register("TRANSLATION", 0x40000, RW, "name translation at index txq*512 + dest9 (VY-33)", Seq(
    Field("SITE", 0, 6, "site"), Field("RXQ", 6, 9, "receive queue there"), Field("SOURCE", 15, 9, "name under which to answer"),
    Field("VALID", 31, 1, "the name may be used")), count = 16 * 512)

  val all: Seq[Register] = Seq(evNext, evArg, evMeta, evCount, evEnable, evDepth, txFree, cmdCtrl, cmdDest, cmdWord) ++ launch ++
    Seq(cmdStatus, timeLo, timeHi, timer, console, siteId, sites, aps, apRun, trap, emptyWord, tagq, handler, responder,
      approvalAddress, approvalState, scratchHeld, scratchAddress, scratchInfo, scratchFree, scratchForbidden, scratchData,
      basicTxBase, basicTxSize, basicRxBase, basicRxSize, countCrc, countTranslation,
      countNonResident, countDropped, slotsHigh, translation)

  /** EV_META by kind of event. */
  val messageMeta = Seq(Field("SITE", 0, 6, "sender's site"), Field("SLOT", 6, 6, "slot with the data"),
    Field("LINES", 12, 2, "lines in the slot, 0 to 2"), Field("VC", 14, 1, "1: came on the high channel"),
    Field("SOURCE", 15, 9, "name under which to answer"), Field("HELD", 24, 1, "1: a slot is held"), Field("TAG", 25, 5, "tag"))
  val faultMeta = Seq(Field("MASTER", 0, 4, "bus master"), Field("OP", 4, 4, "bus op"), Field("CLS", 8, 3, "tag met"),
    Field("ENTRY", 11, 5, "approval entry"), Field("CLAIMED", 16, 1, "the NIU took it: what was written is in the scratch"))
  val commandMeta = Seq(Field("MISMATCH", 0, 1, "tag was not OLD"), Field("FOUND", 4, 3, "tag of the first line that did not match, or of the first line"))
}

/** Commands in the order of their launch registers; 3 bits of `NiuCommand.op`. */
object NiuOp {
  val names = Seq("GET", "PUT", "TAG", "FLUSH", "CLEAN", "KILL", "SEND", "FREE")
}

/** Addresses (contract §1, §5): name, value, meaning. */
object AddressMap {
  val sp: Seq[(String, Long, String)] = Seq(
    ("SP_IRAM_BASE", 0x00000000L, "sP: instruction RAM"), ("SP_IRAM_BYTES", 0x10000L, ""),
    ("SP_DRAM_BASE", 0x00010000L, "sP: data RAM"), ("SP_DRAM_BYTES", 0x10000L, ""),
    ("NIU_BASE", 0x10000000L, "sP: registers below"),
    ("SP_EXPRESS_TX", 0x20000000L, "sP: Express transmit, + EXPRESS_* fields"),
    ("SP_SLOTS", 0x30000000L, "sP: slot SRAM, read"), ("SP_SLOT_BYTES", 0x80L, ""), ("SP_SLOT_COUNT", 64L, ""),
    ("MEMORY_BASE", 0x80000000L, "DRAM of the site"))
  val ap: Seq[(String, Long, String)] = Seq(
    ("AP_PRIVATE_BASE", 0x40000000L, "aP: private window"), ("AP_PRIVATE_BYTES", 0x200000L, "aP i: at MEMORY_BASE + i * this on the bus"),
    ("AP_REG_BASE", 0xF0000000L, "aP: registers"),
    ("AP_REG_SITE_ID", 0xF0000000L, "R"), ("AP_REG_SITES", 0xF0000004L, "R"), ("AP_REG_AP_ID", 0xF0000008L, "R"),
    ("AP_REG_APS", 0xF000000CL, "R"), ("AP_REG_TIME_LO", 0xF0000010L, "R, latches TIME_HI"), ("AP_REG_TIME_HI", 0xF0000014L, "R"),
    ("AP_REG_CONSOLE", 0xF0000020L, "W, one character"), ("AP_REG_EXIT", 0xF0000024L, "W, status"),
    ("AP_REG_MARK", 0xF0000028L, "W, a value for the trace"),
    ("AP_EXPRESS_TX", 0xF0200000L, "aP: Express transmit, + EXPRESS_* fields"),
    ("AP_EXPRESS_RX", 0xF0400000L, "aP: Express receive, a 4 KB page a queue: +4 META (dequeues), +0 DATA"),
    ("AP_BASIC", 0xF0500000L, "aP: Basic pointers, a 4 KB page a queue"),
    ("AP_BASIC_TX_PRODUCER", 0x08L, "RW"), ("AP_BASIC_TX_SENT", 0x0CL, "R"),
    ("AP_BASIC_RX_PRODUCER", 0x18L, "R"), ("AP_BASIC_RX_CONSUMER", 0x1CL, "RW"))
  /** Address bits of an Express transmit store. */
  val expressFields = Seq(Field("PRIO", 2, 1, "1 high"), Field("DEST", 3, 9, "logical destination"),
    Field("TAG", 12, 5, "tag"), Field("QUEUE", 17, 4, "transmit queue"))
  /** META word of an Express receive. */
  val expressMeta = Seq(Field("TYPE", 0, 8, "1 message, 0 empty"), Field("SOURCE", 8, 9, "name under which to answer"),
    Field("TAG", 17, 5, "tag"), Field("PRIO", 22, 1, "1 high"), Field("QUEUE", 23, 9, "receive queue"))
}
