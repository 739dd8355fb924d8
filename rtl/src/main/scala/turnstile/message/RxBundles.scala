package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.network.{PacketHeader, Vc}

/** Whether a packet's body goes to a slot of the slot SRAM, which the sink then owns. */
object SlotUse extends Enumeration {
  val NEVER, WITH_BODY, ALWAYS = Value
}

/** A taker of packets, as the receive engine must know it; with an [[RxPort]] it is all that a new one takes. A packet goes to
  * the first sink of the list that takes it, and is dropped as malformed when none does.
  *
  * @param name         for people
  * @param queues       resident receive queues whose packets it takes
  * @param kinds        `PacketKind` values it takes
  * @param maxPayload   body flits without tag-on lines, at most
  * @param maxBody      body flits, at most; 16 for a sink that uses slots
  * @param slot         what it needs of the slot SRAM
  * @param anyName      it takes packets for names that no queue holds, too
  * @param neverStops   it promises to take every packet of channel high at once: a wait for it, or for its slot, is told (event 105)
  */
case class RxSink(
    name: String,
    queues: Seq[Int],
    kinds: Seq[Int],
    maxPayload: Int,
    maxBody: Int,
    slot: SlotUse.Value = SlotUse.NEVER,
    anyName: Boolean = false,
    neverStops: Boolean = true
) {
  require(
    queues.forall(q => q >= 0 && q < Queues.count),
    s"RxSink $name takes receive queues ${queues.mkString(", ")}; legal: 0 to ${Queues.count - 1}"
  )
  require(
    slot == SlotUse.NEVER || maxBody <= 16,
    s"RxSink $name takes $maxBody body flits into a slot; legal: at most 16, the 128 bytes of a slot"
  )
}

/** A flit as it came, or of the own site. `bad`, with a tail: the packet was damaged. */
case class RxFlit() extends Bundle {
  val data = Bits(64 bits)
  val bad = Bool()
}

/** The packet of a channel whose header has passed. `tail`: its last flit is at hand. */
case class RxPacket() extends Bundle {
  val header = PacketHeader()
  val queue = UInt(4 bits)
  val tail = Bool()

  def aux: HeaderAux = header.aux.as(HeaderAux())

  /** Body flits that are no tag-on lines. */
  def payloadWords: UInt = (header.body - (header.lines @@ U(0, 3 bits))).resize(5 bits)
}

/** A body flit: the `index`th of its packet. */
case class RxBody() extends Bundle {
  val vc = UInt(1 bits)
  val index = UInt(5 bits)
  val data = Bits(64 bits)
}

/** A whole, undamaged packet. `slot`: where its body is, when `hasSlot`. */
case class RxEnd() extends Bundle {
  val vc = UInt(1 bits)
  val word = Bits(32 bits)
  val slot = UInt(6 bits)
  val hasSlot = Bool()
}

/** A sink's side of the receive engine. master = the engine, which gives at most one flit a cycle of both channels.
  *
  * What a packet's body brought may not be shown to anybody before its `end`: without one it was damaged.
  */
case class RxPort() extends Bundle with IMasterSlave {

  /** For each channel, receive queues that take a packet now, and those that take one with tag-on lines. Asked when its header
    * passes: what is closed goes to the next sink of the list, what is open may still have to wait for `ready`.
    */
  val open, openLines = Vec.fill(Vc.count)(Bits(Queues.count bits))
  val packet = Vec.fill(Vc.count)(RxPacket())

  /** The next flit of that channel's packet, if it is for this sink, can be taken. */
  val ready = Bits(Vc.count bits)

  /** The packet of that channel which is at hand for this sink goes to the last sink of the list instead; only while it waits for its
    * tail, and has no body.
    */
  val passesOn = Bits(Vc.count bits)
  val body = Flow(RxBody())
  val end = Flow(RxEnd())

  override def asMaster(): Unit = {
    in(open, openLines, ready, passesOn)
    out(packet)
    master(body, end)
  }

  def ended: RxPacket = packet(end.vc)

  /** This sink is never closed, and takes what it has begun. */
  def alwaysOpen(): Unit = {
    for (mask <- open ++ openLines) mask.setAll()
    passesOn := 0
  }
}

/** An Express message waiting for a load. */
case class ReceivedExpress() extends Bundle {
  val data = Bits(32 bits)
  val source = UInt(9 bits)
  val tag = UInt(5 bits)
  val high = Bool()
  val rxq = UInt(9 bits)

  /** Contract §4: `type8[7:0] source9[16:8] tag5[21:17] prio[22] queue9[31:23]`. */
  def meta: Bits = rxq ## high ## tag ## source ## B(1, 8 bits)
}

/** A whole, undamaged Basic packet in a staging buffer. */
case class RingJob() extends Bundle {
  val queue = UInt(3 bits)
  val source = UInt(9 bits)
  val length = UInt(7 bits)
  val payloadWords = UInt(4 bits)
  val lines = UInt(2 bits)
  val tag = UInt(5 bits)
  val high = Bool()
  val word = Bits(32 bits)
}
