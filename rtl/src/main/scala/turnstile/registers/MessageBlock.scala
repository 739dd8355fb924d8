package turnstile.registers

/** Registers of the message unit that belong to no part of it alone (VY-25, VY-39). */
object MessageBlock extends RegisterBlock("Message unit") {
  import RegisterAccess._

  val emptyWord = register("EMPTY_WORD", 0x0D8, RW, "META of an empty Express receive")
  val resident = array("RESIDENT", 0xEC0, RW, "resident queue i; after reset it holds receive queue i, valid", count = 16, fields = Seq(
    Field("RXQ", 0, 9, "receive queue it holds"), Field("VALID", 31, 1, "it holds one")))
  val crc = register("COUNT_CRC", 0xF00, R, "packets with a CRC error")
  val translation = register("COUNT_TRANSLATION", 0xF04, R, "messages to a name that does not translate, or malformed")
  val nonResident = register("COUNT_NON_RESIDENT", 0xF08, R, "messages to a queue that is not resident or cannot hold them, kept for the sP (event 101)")
  val dropped = register("COUNT_DROPPED", 0xF0C, R, "packets dropped: malformed, misrouted, or on their way into a ring switched off")
  val waitFifo = register("WAIT_FIFO", 0xF10, R, "cycles a packet waited for an Express FIFO")
  val waitSlot = register("WAIT_SLOT", 0xF14, R, "cycles a packet waited for a slot")
  val waitStage = register("WAIT_STAGE", 0xF18, R, "cycles a packet waited for a staging buffer")
  val waitEvent = register("WAIT_EVENT", 0xF1C, R, "cycles a packet waited for an event stream")
  val waitRing = register("WAIT_RING", 0xF20, R, "cycles a packet waited for a full ring")
  val busError = register("COUNT_BUS_ERROR", 0xF24, R, "lines of rings at an address that nobody answers (event 104, meta bit 0: a received line, lost)")
  val headerSlot = register("HEADER_SLOT", 0xF28, RW, "slot whose packet header HEADER_LOW and HEADER_HIGH show")
  val headerLow = register("HEADER_LOW", 0xF2C, R, "packet header of slot HEADER_SLOT, [31:0]")
  val headerHigh = register("HEADER_HIGH", 0xF30, R, "packet header of slot HEADER_SLOT, [63:32]")
  val freeSlots = register("FREE_SLOTS", 0xF34, R, "free slots of the slot SRAM")
  val slotsHigh = register("SLOTS_HIGH", 0xF38, R, "slots that low messages never take")
  val highStopped = register("HIGH_STOPPED", 0xF3C, R, "packets of channel high that had to wait for a slot or an event place (event 105)")
  val ringsRefused = register("RINGS_REFUSED", 0xF80, R, "rings and tag-on areas refused: outside DRAM or in the heap, misaligned, or too large")
  val pointersRefused = register("POINTERS_REFUSED", 0xF84, R, "stores to Basic pointers that were out of range")
  val ringLost = register("RING_LOST", 0xFC0, R, "Basic messages dropped because their ring stayed full")
  val injectMeta = register("EXPRESS_INJECT_META", 0xF88, RW, "head of the next EXPRESS_INJECT: fields of EXPRESS_META, in TYPE the receive queue, 2 to 7")
  val inject = register("EXPRESS_INJECT", 0xF8C, W, "puts a message with this word behind the others of an Express receive queue; only when EXPRESS_ROOM says so")
  val room = register("EXPRESS_ROOM", 0xF90, R, "bit i: Express receive queue i takes an EXPRESS_INJECT")
  val wanted = register("EXPRESS_WANTED", 0xF94, W, "bit i: event 107 when Express receive queue i is a quarter full or less, once")
  val diverted = register("EXPRESS_DIVERTED", 0xF98, R, "bit i: low messages of Express receive queue i are kept for the sP")
  val txHold = register("TX_HOLD", 0xF9C, RW, "bit i: transmit queue i sends nothing")
  val kept = array("EXPRESS_KEPT", 0xFA0, RW, "low messages of Express receive queue i kept for the sP, modulo 65536; the same number written ends the diversion", count = 8)
  val queueFaults = array("COUNT_QUEUE_FAULT", 0xF40, R, "translation faults of transmit queue i; stays at 65535", count = 16)
}
