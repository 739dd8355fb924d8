package turnstile.link

import spinal.core._
import spinal.lib._

/** Brings the wire up and sees it go down.
  *
  * A port says HELLO, with its session and that of the peer if it has heard one, every 256 cycles until the peer's HELLO names the port's own
  * session, or a frame of both sessions comes. It goes down when the peer has another session (it was reset) or when
  * nothing comes for `silence` cycles; then it takes a new session itself, so that the peer goes down, too. `clear` is the cycle in
  * which all that was under way is forgotten, at both ends.
  */
class Training extends Component {
  val io = new Bundle {

    /** Differs from that before the last reset: of a counter that reset leaves alone, or of the host. */
    val seed = in(UInt(16 bits))

    /** Cycles without a frame, in units of 256, 8 to 255. */
    val silence = in(UInt(8 bits))
    val hello = slave(Flow(Hello()))

    /** A frame of these sessions has come. */
    val heard = in(Bool())
    val say = master(Event)
    val sessions = out(Sessions())
    val up, clear = out(Bool())
  }

  private val own, peer = Reg(UInt(16 bits))
  private val known, up, owed = RegInit(False)
  private val fresh = RegInit(True)
  private val pause, quiet = Reg(UInt(16 bits)) init 0
  private val knowsMe = io.hello.known && io.hello.peer === own
  private val other = io.hello.valid && !(known && io.hello.session === peer)
  private val lost = up && quiet >= (io.silence << 8)
  private val falls = up && (other || lost)

  when(fresh) {
    own := io.seed
    fresh := False
  }
  pause := io.say.fire ? U(0, 16 bits) | pause + (!pause(8)).asUInt
  quiet := (io.hello.valid || io.heard) ? U(0, 16 bits) | quiet + (!quiet.andR).asUInt
  when(io.say.fire)(owed := False)
  when(io.hello.valid) {
    peer := io.hello.session
    known := True
    when(!up && knowsMe)(up := True)
    when(!knowsMe || !up)(owed := True)
  }
  when(io.heard)(up := True)
  when(falls)(up := False)
  when(lost) {
    own := own + 1
    known := False
  }
  io.say.valid := !fresh && (owed && pause >= 32 || !up && pause(8))
  io.up := up
  io.clear := falls
  io.sessions.own := own
  io.sessions.peer := peer
  io.sessions.known := known
}
