package turnstile.dma

import spinal.core._
import spinal.lib._

/** Lines as they were read into the body of a packet, whose first flit is the first 8 B of a line of the target: bytes before its first and behind
  * its last are of no meaning.
  *
  * A flit a cycle: two cycles a packet, then one for each 8 B of the lines read, or of the body if that is longer (with source and target alike
  * in their place within a line both are the same).
  */
class DmaAlign extends Component {
  val io = new Bundle {
    val part = slave(Stream(DmaPart()))
    val words = slave(Stream(Bits(64 bits)))
    val flits = master(Stream(Bits(64 bits)))

    /** A part whose flits have all left. */
    val made = master(Stream(DmaPart()))
  }
  private object State extends SpinalEnum {
    val IDLE, PAD, SKIP, MOVE, DROP, MADE = newElement()
  }
  private val state = RegInit(State.IDLE)
  private val part = Reg(DmaPart())
  private val shift = Reg(UInt(3 bits))

  /** Words read that are before the first byte, at it or behind; flits before it, from it on. */
  private val skips, moves, wanted = Reg(UInt(6 bits))
  private val pads, flits = Reg(UInt(6 bits))
  private val preload = Reg(Bool())
  private val held = Reg(Bits(64 bits))

  // Into a flit go the word that comes and, shifted out, the one before it.
  private val comes = io.words.payload
  private val pair = ((wanted === 0) ? B(0, 64 bits) | comes) ## held
  private val shifted = Vec((0 until 8).map(bytes => if (bytes == 0) comes else pair(8 * bytes, 64 bits)))(shift)
  private val feeds = wanted === 0 || io.words.valid
  private val moving = state === State.MOVE && !preload && flits =/= 0

  io.part.ready := state === State.IDLE
  io.flits.valid := state === State.PAD || (moving && feeds)
  io.flits.payload := (state === State.PAD) ? B(0, 64 bits) | shifted
  io.words.ready := state === State.SKIP || state === State.DROP ||
    (state === State.MOVE && wanted =/= 0 && (preload || (moving && io.flits.ready)))
  io.made.valid := state === State.MADE
  io.made.payload := part

  private val given = io.part.payload
  private val offset = given.target(2 downto 0)
  private val end = given.target(5 downto 0) +^ given.bytes
  switch(state) {
    is(State.IDLE) {
      part := given
      held := 0
      shift := given.source(2 downto 0) - offset
      preload := given.source(2 downto 0) > offset
      pads := given.target(5 downto 3).resized
      flits := (((end + 7) >> 3) - given.target(5 downto 3)).resized
      skips := given.source(5 downto 3).resized
      moves := given.lines @@ U(0, 3 bits)
      wanted := ((given.source(2 downto 0) +^ given.bytes + 7) >> 3).resized
      when(io.part.valid) {
        state := given.end ? State.MADE | ((given.target(5 downto 3) =/= 0) ? State.PAD | ((given.source(5 downto 3) =/= 0) ? State.SKIP | State.MOVE))
      }
    }
    is(State.PAD) {
      when(io.flits.ready) {
        pads := pads - 1
        when(pads === 1)(state := (skips =/= 0) ? State.SKIP | State.MOVE)
      }
    }
    is(State.SKIP) {
      when(io.words.valid) {
        skips := skips - 1
        when(skips === 1)(state := State.MOVE)
      }
    }
    is(State.MOVE) {
      when(io.words.fire) {
        held := comes
        wanted := wanted - 1
        preload := False
      }
      when(io.flits.fire)(flits := flits - 1)
      when(moving && flits === 1 && io.flits.fire)(state := (moves === U(io.words.fire)) ? State.MADE | State.DROP)
    }
    is(State.DROP) {
      when(io.words.fire && moves === 1)(state := State.MADE)
    }
    is(State.MADE) {
      when(io.made.ready)(state := State.IDLE)
    }
  }
  when(io.words.fire)(moves := moves - 1)
}
