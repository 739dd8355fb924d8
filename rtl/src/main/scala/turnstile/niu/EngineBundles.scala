package turnstile.niu

import spinal.core._
import turnstile.bus.BusOp
import turnstile.contract._

/** A command with all that its steps depend on, so that no step decodes: made once, in front of the register it runs from.
  *
  * `lines` line ops (any: `moves`), from line number `firstLine` on, each of kind `lineOp`; `packets` messages of `packetLines` lines. `first`: a
  * tag command before the line ops (compare, PEND_DOWN, TAG), `last`: one after them. `early`: its first READ may start beside
  * the compare; `begins`: it has a line op for its first cycle.
  */
case class DecodedCommand() extends Bundle {
  val op = NiuOpcode()
  val address = UInt(32 bits)
  val size = UInt(3 bits)
  val old, next = Cls()
  val check, set, retags, approve, defer, first, last = Bool()
  val lineOp = BusOp()
  val firstLine = UInt(26 bits)
  val lines = UInt(6 bits)
  val moves, early, begins, puts, forwards, captures = Bool()
  val packets = UInt(5 bits)
  val packetLines = UInt(2 bits)
  val ownWord, acknowledges, high = Bool()
  val tag = Bits(5 bits)
  val word = Bits(32 bits)
  val dest = UInt(9 bits)
  val slot = UInt(6 bits)
  val slotLines = UInt(2 bits)
  val free, notifies = Bool()

  def isTag: Bool = op === NiuOpcode.TAG
}

object DecodedCommand {

  /** What `c` consists of (docs/design/command-engine.md, order of effects). */
  def apply(c: NiuCommand): DecodedCommand = {
    val d = DecodedCommand()
    val isGet = c.op === NiuOpcode.GET
    val isPut = c.op === NiuOpcode.PUT
    val isTag = c.op === NiuOpcode.TAG
    val isSend = c.op === NiuOpcode.SEND
    val touches = isGet || c.op === NiuOpcode.FLUSH || c.op === NiuOpcode.CLEAN || c.op === NiuOpcode.KILL
    val keepsCopies = !c.set || c.next === Cls.SHARED || c.next === Cls.EXCLUSIVE
    val grants = c.next === Cls.SHARED || c.next === Cls.EXCLUSIVE || c.next === Cls.FILL
    val retags = touches && c.set && !(c.check && c.next === c.old)
    val range = U(1, 6 bits) |<< c.size
    d.op := c.op
    d.address := c.address
    d.size := c.size
    d.check := c.check
    d.old := c.old
    d.set := c.set
    d.next := c.next
    d.approve := c.approve
    d.high := c.high
    d.tag := c.tag
    d.dest := c.dest
    d.slot := c.slot
    d.free := c.free
    d.notifies := c.notifies
    d.retags := retags
    d.first := c.check || isTag || retags
    d.last := touches && (retags || c.approve) || isPut && (c.set || c.approve)
    // BZ-33: what was approved completes before its line is taken away.
    d.defer := retags || isTag && c.set && !grants
    d.lineOp := c.op.mux(
      NiuOpcode.GET -> (c.send ? (keepsCopies ? BusOp.READ | BusOp.READ_EXCLUSIVE) | (keepsCopies ? BusOp.CLEAN | BusOp.FLUSH)),
      NiuOpcode.PUT -> BusOp.WRITE_BACK(),
      NiuOpcode.FLUSH -> BusOp.FLUSH(),
      NiuOpcode.CLEAN -> BusOp.CLEAN(),
      default -> BusOp.KILL())
    d.lines := touches ? range | (isPut ? c.lines.resize(6) | U(0, 6 bits))
    d.firstLine := c.address(31 downto 6) & ~(touches ? (range - 1).resize(26) | U(0, 26 bits))
    d.moves := touches || isPut && c.lines =/= 0
    d.puts := isPut
    d.forwards := isSend
    d.captures := isGet && c.send
    d.early := d.captures && keepsCopies
    d.begins := d.moves && (d.early || !d.first)
    d.acknowledges := c.send && !isGet && !isSend
    d.packets := d.captures ? (range(5 downto 1) | U(c.size === 0, 5 bits)) | U(c.send || isSend, 5 bits)
    d.packetLines := isSend ? c.lines | (d.captures ? ((c.size === 0) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits))
    d.ownWord := d.captures && !c.useWord
    d.word := c.useWord ? c.word | c.address.asBits
    d.slotLines := c.lines
    d
  }
}

/** What the sequencer tells mover and sender of the command that runs; all from its registers. */
case class CommandStep() extends Bundle {
  val command = DecodedCommand()
  val active = Bool()

  /** The first cycle of a command: whoever counts starts afresh in it. */
  val fresh = Bool()

  /** The compare, if any, passed. */
  val go = Bool()

  /** The compare failed: nothing more is begun. */
  val mismatch = Bool()

  /** All is done that a message without lines acknowledges. */
  val settled = Bool()
}

/** Where the line mover is; all from its registers. */
case class MoverProgress() extends Bundle {

  /** Lines of this command whose verdict stands, from the next cycle on; 0 before `go`. `all`: that is all of them. */
  val judged = UInt(6 bits)
  val all = Bool()

  /** No op is waiting for its verdict or for beats. */
  val idle = Bool()

  /** All beats of the slot were read. */
  val slotRead = Bool()

  /** Nobody answered a line of the command that runs; the last such line. */
  val failed = Bool()
  val failedLine = UInt(26 bits)
}
