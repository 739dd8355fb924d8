package turnstile.link

import spinal.core._
import spinal.lib._
import turnstile.network.Vc

/** Who speaks to whom: MAC addresses, the first byte on the wire in bits 7 to 0. */
case class WireAddress() extends Bundle {
  val own = Bits(48 bits)
  val peer = Bits(48 bits)
}

/** The two sessions a wire joins. A port that was reset, or that went down, has a new one, so that nothing old is taken for new. */
case class Sessions() extends Bundle {
  val own = UInt(16 bits)
  val peer = UInt(16 bits)

  /** A HELLO of the peer's session has come. */
  val known = Bool()
}

/** A frame's third beat: `number` is that of a DATA frame, whose first flit is number `start`; in others the lowest that has not been seen. */
case class FrameNumbers() extends Bundle {
  val number = UInt(16 bits)
  val start = UInt(16 bits)
}

/** A frame's last beat: how far the receiver may send of each channel (cumulative); `ack`: all frames below have come, those that the map
  * has no longer among them; how many flits the body has.
  */
case class FrameFoot() extends Bundle {
  val limit = Vec.fill(Vc.count)(UInt(16 bits))
  val ack = UInt(16 bits)
  val count = UInt(8 bits)
}

/** What the sender of frames is to send next. */
case class FrameOrder() extends Bundle {
  val kind = UInt(4 bits)
  val vc = UInt(1 bits)
  val number = UInt(16 bits)
  val start = UInt(16 bits)

  /** Flits of a frame that is sent again; a new one ends when no flit is there. */
  val count = UInt(8 bits)
  val again = Bool()
}

/** A frame that came whole and for this session. */
case class FrameSeen() extends Bundle {
  val kind = UInt(4 bits)
  val vc = UInt(1 bits)
  val numbers = FrameNumbers()
  val foot = FrameFoot()

  /** Of each flit whether it ends its packet. */
  val lasts = Bits(Wire.frameFlits bits)
}

/** A HELLO of this version from the peer's address. */
case class Hello() extends Bundle {
  val session = UInt(16 bits)

  /** The session of this port that the peer knows, if it knows one. */
  val peer = UInt(16 bits)
  val known = Bool()
}

/** What any frame of the session says of what was sent to its sender. */
case class Heard() extends Bundle {
  val ack = UInt(16 bits)
  val limit = Vec.fill(Vc.count)(UInt(16 bits))
}

/** A word of a CONTROL frame's map; no frame from `above` on has been seen, which counts when the map's last word is here. */
case class MapWord() extends Bundle {
  val bits = Bits(64 bits)
  val above = UInt(16 bits)
}

/** What this end says in every frame. */
case class Told() extends Bundle {
  val ack = UInt(16 bits)
  val above = UInt(16 bits)
  val limit = Vec.fill(Vc.count)(UInt(16 bits))
  val map = Bits(Wire.frames bits)
}
