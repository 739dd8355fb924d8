package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Gives the message unit the heads of the running command's packets, each as soon as its first line is judged: what follows is
  * certain to come. A forwarded slot's goes at once, an acknowledgement's when all is settled. All packets but the last have
  * bit 0 of the tag set (contract §5). */
class PacketSender extends Component {
  val io = new Bundle {
    val step = in(CommandStep())
    val judged = in(UInt(6 bits))
    val head = master(Stream(LineMessage()))

    /** No packet of the command is left, from its second cycle on. */
    val told = out(Bool())
  }
  private val c = io.step.command
  private val fresh = io.step.fresh
  private val left = Reg(UInt(5 bits)) init 0
  private val sentLines = Reg(UInt(6 bits))
  private val line = Reg(UInt(26 bits))
  private val some, several = RegInit(False)
  private val leftNow = fresh ? c.packets | left
  private val leftNext = io.head.fire ? (leftNow - 1) | leftNow
  left := leftNext
  some := leftNext =/= 0
  several := leftNext > 1
  when(io.head.fire || fresh) {
    line := fresh ? c.firstLine | (line + 2)
    sentLines := fresh ? U(0) | (sentLines + 2)
  }
  io.told := !some

  // In its first cycle a command has nothing to tell yet but a slot, in one packet. That a head leaves is known late.
  private val captured = RegNext(!fresh && (io.head.fire ? (io.judged > sentLines + 2) | (io.judged > sentLines))) init False
  private val due = c.forwards ? io.step.go | (c.acknowledges ? io.step.settled | captured)
  io.head.valid := io.step.active && (fresh ? (c.forwards && io.step.go) | (some && due))
  io.head.dest := c.dest
  io.head.high := c.high
  io.head.tag := c.tag
  when(several && !fresh)(io.head.tag(0) := True)
  io.head.word := c.ownWord ? (line ## B"000000") | c.word
  io.head.lines := c.packetLines
}
