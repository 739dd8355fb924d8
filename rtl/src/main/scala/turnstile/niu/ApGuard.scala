package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus.SnoopRequest
import turnstile.contract.RegPort
import turnstile.registers.{GuardBlock, RegisterBank}

/** Says what the aP of an op may reach: queues by a mask of owners a queue, memory by its private window, the heap and a range of its own.
  *
  * A queue has owners, for both directions, and an Express queue senders beside them, so that the aPs of a site share a transmit queue, and not what
  * comes for its owner (VY-27).
  *
  * `owns` and `reaches` are combinational from `request` and `queue`, for a stage that registers what it makes of them. `regs`:
  * [[turnstile.registers.GuardBlock]]; reads answer the next cycle.
  */
class ApGuard(params: NiuSlaveParams) extends Component {
  val io = new Bundle {
    val request = in(SnoopRequest())
    val queue = in(UInt(4 bits))

    /** It is a store to an Express transmit queue. */
    val sends = in(Bool())
    val owns, reaches = out(Bool())

    /** The queues of the aP that `coming` was in the cycle before. */
    val coming = in(UInt(2 bits))
    val owned = out(Bits(16 bits))

    /** An access was refused: it is counted. */
    val queueRefused, memoryRefused = in(Bool())
    val regs = slave(RegPort(8))
  }
  private val ap = SlaveWindows.ap(io.request.master)
  private val bank = new RegisterBank(io.regs, GuardBlock)
  private val data = io.regs.command.data

  private def ownedAtReset(queue: Int) = (0 until 4).filter(i => queue == 2 + i || queue == 10 + i).map(1 << _).sum
  private val owners = Vec((0 until 16).map(queue => Reg(Bits(4 bits)) init ownedAtReset(queue)))
  private val senders = Vec.fill(8)(Reg(Bits(4 bits)) init 0)
  private val stored = bank.index(GuardBlock.owners)
  when(bank.stores(GuardBlock.owners)) {
    owners(stored) := data(3 downto 0)
    when(!stored.msb)(senders(stored(2 downto 0)) := data(7 downto 4))
  }
  bank.read(GuardBlock.owners)((stored.msb ? B(0, 4 bits) | senders(stored(2 downto 0))) ## owners(stored))
  io.owns := owners(io.queue)(ap) || (io.sends && senders(io.queue(2 downto 0))(ap))
  io.owned := RegNext(B(owners.map(_(io.coming)))) init 0

  private def bounds(register: turnstile.registers.Register) = {
    val lines = Vec.fill(4)(Reg(UInt(26 bits)) init 0)
    when(bank.stores(register))(lines(bank.index(register)) := data(31 downto 6).asUInt)
    bank.read(register)((lines(bank.index(register)) @@ U(0, 6 bits)).asBits)
    lines
  }
  private val from = bounds(GuardBlock.from)
  private val until = bounds(GuardBlock.until)
  private val address = io.request.address
  private val line = address(31 downto 6)
  private val window = params.bus.memory.privateWindow.bits
  private val own = U(params.bus.memory.base >> window, 32 - window bits) + ap
  io.reaches := address(31 downto window) === own || params.bus.inHeap(address) || (line >= from(ap) && line < until(ap))

  for ((register, more) <- Seq(GuardBlock.queueRefused -> io.queueRefused, GuardBlock.memoryRefused -> io.memoryRefused)) {
    val count = Reg(UInt(32 bits)) init 0
    when(more)(count := count + 1)
    bank.read(register)(count.asBits)
  }
}
