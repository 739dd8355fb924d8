package turnstile.link

import spinal.core._
import spinal.lib.bus.amba4.axis.{Axi4Stream, Axi4StreamConfig}

/** What stands on the wire (docs/design/wire.md has the table). A frame is beats of 64 bits, the first byte in bits 7 to 0. */
object Wire {

  /** Ethernet's type for local experiments (IEEE 802). */
  val etherType = 0x88b5

  /** A port refuses frames of another version. */
  val version = 1

  /** Beats before the body and behind it. */
  val headBeats = 3
  val footBeats = 2

  /** The shortest frame Ethernet carries, without its check sequence, in beats. */
  val leastBeats = 8

  /** Most flits of a frame: its `last` bits are one beat. */
  val frameFlits = 64

  /** Frames that may be unacknowledged; the map of a CONTROL frame has a bit for each. */
  val frames = 256
  val mapBeats = frames / 64

  /** AXI-Stream to and from a MAC, `bits` wide; ours has whole beats of 64 bits. Any bit of `user` beside a received frame's last beat: it is damaged; none
    * of ours is.
    */
  def stream(bits: Int = 64): Axi4StreamConfig = Axi4StreamConfig(dataWidth = bits / 8, useKeep = true, useLast = true, useUser = true, userWidth = 1)

  /** AXI-Stream's names for a port's pins. */
  def named(prefix: String, valid: Bool, ready: Option[Bool], payload: Axi4Stream.Axi4StreamBundle): Unit = {
    valid.setName(s"${prefix}_tvalid")
    ready.foreach(_.setName(s"${prefix}_tready"))
    payload.data.setName(s"${prefix}_tdata")
    payload.keep.setName(s"${prefix}_tkeep")
    payload.last.setName(s"${prefix}_tlast")
    payload.user.setName(s"${prefix}_tuser")
  }

  object Kind {
    /** Training: who I am, whom I know. */
    val hello = 0
    /** Acknowledges, tells credits and what is missing: the body is the map of frames that have come, by number modulo `frames`. */
    val control = 1
    /** Flits of one virtual channel. */
    val data = 2
  }
}
