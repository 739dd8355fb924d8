package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.network.PacketKind

/** A maker of packets, as the transmit engine must know it; with a [[TxPort]] it is all that a new one takes.
  *
  * @param name   for people
  * @param queues transmit queues it speaks for, that is whose rows of the translation its messages use (VY-33); asserted
  * @param rank   0 is served first; a source of a higher rank of the same channel only when none of a lower one asks
  */
case class TxSource(name: String, queues: Seq[Int], rank: Int = 0) {
  require(
    queues.nonEmpty && queues.forall(q => q >= 0 && q < Queues.count),
    s"TxSource $name speaks for transmit queues ${queues.mkString(", ")}; legal: at least one of 0 to ${Queues.count - 1}"
  )
  require(rank >= 0, s"TxSource $name has rank $rank; legal: 0 and more")

  def speaksFor(queue: UInt): Bool = queues.map(queue === _).orR

  /** Whether a message travels on virtual channel high. */
  def goesHigh(job: TxJob): Bool = job.high && queues.filter(Queues.mayHigh).map(job.queue === _).fold(False)(_ || _)
}

/** A source's side of the transmit engine: messages, and for each in turn its body flits. master = the source.
  *
  * `job` may be taken in the cycle it is first offered, and the next is taken when the body of the last has been drained.
  * Neither stream looks at `ready` before it is `valid`.
  */
case class TxPort() extends Bundle with IMasterSlave {
  val job = Stream(TxJob())
  val body = Stream(Bits(64 bits))

  override def asMaster(): Unit = master(job, body)
}

/** A message ready for translation; all kinds are one from here on.
  *
  * @see [[turnstile.network.PacketHeader]] for the fields it becomes
  */
case class TxJob() extends Bundle {
  val queue = UInt(4 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val word = Bits(32 bits)
  val kind = UInt(3 bits)

  /** Flits on the source's body stream, tag-on lines among them. */
  val body = UInt(5 bits)
  val lines = UInt(2 bits)

  /** Payload bytes of a Basic message. */
  val length = UInt(7 bits)

  /** A word, and lines when there are: no Basic payload. */
  def setExpress(tagOn: UInt): Unit = {
    kind := PacketKind.EXPRESS
    body := tagOn @@ U(0, 3 bits)
    lines := tagOn
    length := 0
  }
}

/** A row of the name translation (VY-33): who the destination is, and as whom the sender appears there. */
case class NameRow() extends Bundle {
  val site = UInt(6 bits)
  val rxq = UInt(9 bits)
  val source = UInt(9 bits)

  /** [[TxPace]] counts its messages. */
  val paced = Bool()
  val valid = Bool()
}

/** `PacketHeader.aux`: what the packet carries end to end. */
case class HeaderAux() extends Bundle {
  val length = UInt(7 bits)
  val spare = Bits(8 bits)

  /** The sender's priority bit; the virtual channel may differ (`Queues.mayHigh`). */
  val high = Bool()
}

/** A message that was not sent: its destination has no row, or it is malformed. */
case class TxFault() extends Bundle {
  val queue = UInt(4 bits)
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val high = Bool()
  val malformed = Bool()
  val word = Bits(32 bits)

  /** Event 103's meta, META_UNSENT; its arg is the word. */
  def meta: Bits = (malformed ## high ## tag ## queue ## dest).resize(32 bits)
}

/** An Express message in its queue. */
case class ExpressEntry() extends Bundle {
  val dest = UInt(9 bits)
  val tag = Bits(5 bits)
  val data = Bits(32 bits)
}
