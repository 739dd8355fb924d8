package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.bus._

/** The sP's loads and stores to DRAM: READ_PARTIAL and WRITE_PARTIAL with bypass (BZ-11), one at a time.
  *
  * A store is accepted at once and done behind the sP's back; the next access waits. A load answers in the cycle after its
  * beat. Cycles from `access.fire` (0): request 1, verdict of the Site Bus 5, beat of memory with latency L about 6 + L.
  */
class DramWindow extends Component {
  val io = new Bundle {
    val access = slave(Stream(SpAccess()))
    val reply = master(Flow(SpReply()))
    /** `reply` in the next cycle. */
    val replies = out Bool ()
    val bus = master(BusMasterPort())
    /** An op runs. */
    val busy = out Bool ()
    /** A store that nobody took: its address. */
    val storeError = master(Flow(UInt(32 bits)))
  }
  private val client = new BusClient(BusClientParams(staged = true))
  client.io.bus.head <> io.bus
  private val access = RegNextWhen(io.access.payload, io.access.fire)
  io.busy := !client.io.idle

  client.io.op.arbitrationFrom(io.access)
  client.io.op.op := io.access.write ? BusOp.WRITE_PARTIAL | BusOp.READ_PARTIAL
  client.io.op.address := io.access.address
  client.io.op.mask := (io.access.mask << (io.access.address(3 downto 2) @@ U"00")).resized
  client.io.write.valid := True
  client.io.write.payload := access.data #* 4

  // Registered: a reply frees the sP's pipeline in the same cycle and must not reach from the bus into its outputs.
  private val word = client.io.read.fragment.subdivideIn(32 bits)(access.address(3 downto 2))
  io.replies := client.io.read.valid
  io.reply.valid := RegNext(io.replies) init False
  io.reply.error := RegNext(client.io.done.valid && client.io.done.payload)
  io.reply.data := RegNextWhen(word, client.io.read.valid)
  io.storeError.valid := client.io.done.valid && client.io.done.payload && access.write
  io.storeError.payload := access.address
}
