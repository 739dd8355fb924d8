package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.{NameBlock, RegisterBank}

/** The name translation, 16 transmit queues of 512 rows (VY-33): block RAM, a port for the sP and one for TxU.
  *
  * Both ports read in 1 cycle. Rows are zero, that is invalid, when the device is configured; a warm reset keeps them.
  * `regs`: [[turnstile.registers.NameBlock]], row `txq4 dest9`.
  */
class NameTable extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(15))
    val look = slave(Flow(UInt(13 bits)))
    val row = out(NameRow())
  }

  private val rows = Mem(Bits(26 bits), 16 * 512)
  io.row.assignFromBits(rows.readSync(io.look.payload, io.look.valid))

  private val command = io.regs.command
  private val bank = new RegisterBank(io.regs, NameBlock)
  private val read = rows.readWriteSync(
    address = bank.index(NameBlock.translation),
    data = command.data(31) ## command.data(24 downto 0),
    enable = command.valid,
    write = bank.stores(NameBlock.translation)
  )
  bank.readNext(NameBlock.translation)(read(25) ## B(0, 6 bits) ## read(24 downto 0))
}
