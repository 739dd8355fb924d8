package turnstile.registers

/** Words that are no registers: operands of events, addresses and heads of messages. Prefix in headers, meaning, fields. */
case class WordFormat(prefix: String, description: String, fields: Seq[Field]) {
  def field(name: String): Field =
    fields.find(_.name == name).getOrElse(throw new IllegalArgumentException(s"$prefix has no field $name; it has: ${fields.map(_.name).mkString(" ")}"))
}

object WordFormat {
  val message = WordFormat("META_MESSAGE", "EV_META of a message", Seq(
    Field("SITE", 0, 6, "sender's site"), Field("SLOT", 6, 6, "slot with the data"), Field("LINES", 12, 2, "lines in the slot, 0 to 2"),
    Field("VC", 14, 1, "1: came on the high channel"), Field("SOURCE", 15, 9, "name under which to answer"),
    Field("HELD", 24, 1, "1: a slot is held"), Field("TAG", 25, 5, "tag")))
  val fault = WordFormat("META_FAULT", "EV_META of an access fault", Seq(
    Field("MASTER", 0, 4, "bus master"), Field("OP", 4, 4, "bus op"), Field("CLS", 8, 3, "tag met"), Field("ENTRY", 11, 5, "approval entry"),
    Field("CLAIMED", 16, 1, "the NIU took it: what was written is in the scratch")))
  val command = WordFormat("META_COMMAND", "EV_META of a command event", Seq(
    Field("MISMATCH", 0, 1, "tag was not OLD"), Field("FOUND", 4, 3, "tag of the first line that did not match, or of the first line")))
  val unsent = WordFormat("META_UNSENT", "EV_META of a message that was not sent", Seq(
    Field("DEST", 0, 9, "logical destination"), Field("QUEUE", 9, 4, "transmit queue"), Field("TAG", 13, 5, "tag"), Field("HIGH", 18, 1, "1 high"),
    Field("MALFORMED", 19, 1, "1: no message that may be; 0: its destination has no row")))
  val lostStore = WordFormat("META_LOST_STORE", "EV_META of a store that nobody answered", Seq(
    Field("AP", 8, 2, "whose"), Field("SP", 10, 1, "1: the sP's"), Field("LATER", 16, 16, "further ones since, not told apart (saturating)")))
  val expressTransmit = WordFormat("EXPRESS_TX", "address of an Express transmit store", Seq(
    Field("PRIO", 2, 1, "1 high"), Field("DEST", 3, 9, "logical destination"), Field("TAG", 12, 5, "tag"), Field("QUEUE", 17, 4, "transmit queue")))
  val expressMeta = WordFormat("EXPRESS_META", "META of an Express receive or a OnePoll", Seq(
    Field("TYPE", 0, 8, "1 message, 0 empty; of a OnePoll 2: QUEUE is a Basic queue with something to read, DATA its RX_STATUS"), Field("SOURCE", 8, 9, "name under which to answer"), Field("TAG", 17, 5, "tag"),
    Field("PRIO", 22, 1, "1 high"), Field("QUEUE", 23, 9, "receive queue")))
  val hostExpress = WordFormat("HOST_EXPRESS", "a host's load from its Express transmit window", Seq(
    Field("ROOM_LOW", 0, 1, "1: a low message would go"), Field("ROOM_HIGH", 1, 1, "1: a high one would"),
    Field("LOST", 16, 16, "messages stored without room, modulo 65536")))
  val all = Seq(message, fault, command, unsent, lostStore, expressTransmit, expressMeta, hostExpress, TranslationBlock.page, DmaBlock.dest)
}
