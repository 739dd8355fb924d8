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

  private val command = io.regs.command
  private val bank = new RegisterBank(io.regs, NameBlock)
  private val written = command.data(31) ## command.data(24 downto 0)
  private val stores = bank.stores(NameBlock.translation)

  // Of two bits each: as deep as a block RAM is with so few, so that no multiplexer of several follows its late output.
  private val columns = for (data <- written.subdivideIn(2 bits)) yield new Area {
    val memory = Mem(Bits(2 bits), 16 * 512)
    val looked = memory.readSync(io.look.payload, io.look.valid)
    val read = memory.readWriteSync(bank.index(NameBlock.translation), data, command.valid, stores)
  }
  io.row.assignFromBits(Cat(columns.map(_.looked)))
  private val read = Cat(columns.map(_.read))
  bank.readNext(NameBlock.translation)(read(25) ## B(0, 6 bits) ## read(24 downto 0))
}
