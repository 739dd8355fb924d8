package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** The name translation, 16 transmit queues of 512 rows (VY-33): block RAM, a port for the sP and one for TxU.
  *
  * Both ports read in 1 cycle. Rows are zero, that is invalid, when the device is configured; a warm reset keeps them.
  * `regs` address: byte offset, `txq4[14:11] dest9[10:2]`.
  */
class NameTable extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(15))
    val look = slave(Flow(UInt(13 bits)))
    val row = out(NameRow())
  }

  private val rows = Mem(Bits(25 bits), 16 * 512)
  io.row.assignFromBits(rows.readSync(io.look.payload, io.look.valid))

  // A sP row is `valid[31] source9[23:15] rxq9[14:6] site6[5:0]`.
  private val command = io.regs.command
  private val read = rows.readWriteSync(
    address = command.address(14 downto 2),
    data = command.data(31) ## command.data(23 downto 0),
    enable = command.valid,
    write = command.write
  )
  io.regs.data := read(24) ## B(0, 7 bits) ## read(23 downto 0)
}
