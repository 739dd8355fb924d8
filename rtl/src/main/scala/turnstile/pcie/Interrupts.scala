package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract.{FirstOf, RegPort}
import turnstile.registers.{MsixBlock, RegisterBank}

/** A posted write of one dword, which is an interrupt to the host. `address` in dwords. */
case class InterruptMessage() extends Bundle {
  val address = UInt(62 bits)
  val data = Bits(32 bits)
}

/** Interrupts as PCI has them (MSI-X): the table that the host's system writes, the vectors that are pending.
  *
  * A vector fires when it is **armed** and its cause is there, and is armed no more: one message for however many events, until who got it has
  * looked and arms it again. A cause is a level, so that who finds nothing, arms and then sleeps is woken by what came between. It is pending until its
  * message leaves, which it may while the vector is not masked and `enabled`; one that fires meanwhile is told by that message. The lowest vector goes first.
  *
  * A table entry that is nonsense, or a host that takes no message, costs the host its interrupts and nobody else anything.
  *
  * Latency: a message is on `message` 2 cycles after its cause. Registers: 1.
  */
class Interrupts extends Component {
  private val vectors = MsixBlock.vectors
  val io = new Bundle {
    val causes = in(Bits(vectors bits))
    val arm, disarm = slave(Flow(Bits(vectors bits)))
    val armed = out(Bits(vectors bits))

    /** The host lets the card interrupt: MSI-X is enabled, the function is not masked. */
    val enabled = in(Bool())
    val regs = slave(RegPort(12))
    val message = master(Stream(InterruptMessage()))
  }
  private val none = B(0, vectors bits)
  private val armed, pending = Reg(Bits(vectors bits)) init 0
  private val fires = armed & io.causes
  io.armed := armed
  armed := (armed | (io.arm.valid ? io.arm.payload | none)) & ~fires & ~(io.disarm.valid ? io.disarm.payload | none)

  private val bank = new RegisterBank(io.regs, MsixBlock)
  private val masked = Reg(Bits(vectors bits)) init (1 << vectors) - 1
  when(bank.stores(MsixBlock.control))(masked(bank.index(MsixBlock.control)) := MsixBlock.control.field("MASK").of(io.regs.command.data).asBool)
  bank.read(MsixBlock.control)(masked(bank.index(MsixBlock.control)).asBits)
  bank.read(MsixBlock.pending)(pending)

  private val ready = FirstOf(pending & ~masked)
  private val chosen = OHToUInt(ready)
  private def column(register: turnstile.registers.Register): Bits = {
    val words = Mem(Bits(32 bits), vectors)
    words.write(bank.index(register), io.regs.command.data, bank.stores(register))
    bank.read(register)(words.readAsync(bank.index(register)))
    words.readAsync(chosen)
  }
  private val leaves = Stream(InterruptMessage())
  leaves.valid := io.enabled && ready.orR
  leaves.data := column(MsixBlock.data)
  leaves.address := (column(MsixBlock.addressHigh) ## column(MsixBlock.address)(31 downto 2)).asUInt
  pending := (pending & ~(leaves.fire ? ready | none)) | fires
  io.message << leaves.m2sPipe()
}
