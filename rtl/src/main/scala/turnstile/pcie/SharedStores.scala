package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.bus._
import turnstile.registers.AddressMap

/** 16 bytes of the heap, those that `mask` has, and when they came. */
case class SharedStore() extends Bundle {
  val address = BarAddress()
  val data = Bits(128 bits)
  val mask = Bits(16 bits)
  val since = UInt(16 bits)
}

/** The store-absorb FIFO: stores of the host to shared memory, which no bus can refuse, wait here until they may proceed (VY-T23).
  *
  * Dwords of the same 16 bytes that come in successive cycles become one store. Stores go to the bus one at a time, in order: WRITE_PARTIAL,
  * retried and woken as an aP's; one that is older than the limit is tried once more, then given up and recorded. A store that finds no
  * place is lost, counted and recorded: who must not lose any reads STORES_FREE (the library's credit) or fences with a load. Nothing else of the
  * card ever waits for a store.
  *
  * `given`: how many stores have come, `done`: how many are over; both modulo 65536, so a load waits for the stores before it.
  *
  * Latency: the request of a store is on the bus 5 cycles after the beat (CQ) of its last dword; then one in 9 cycles while none is retried.
  */
class SharedStores(p: PcieParams) extends Component {
  val io = new Bundle {
    val write = slave(Flow(HostWrite()))
    val time = in(UInt(16 bits))
    val limit = in(UInt(15 bits))
    val given, done = out(UInt(16 bits))
    val free = out(UInt(16 bits))
    val fault = master(Flow(HostFault()))
    val bus = master(BusMasterPort())
  }

  // Gathers ---------------------------------------------------------------------------------------------------------------
  private val place = p.sharedOffset(io.write.address)(BarAddress.width - 1 downto 4)
  private val lane = io.write.address(3 downto 2)
  private val gathered = Reg(SharedStore())
  private val some = RegInit(False)
  private val joins = io.write.valid && some && place === gathered.address(BarAddress.width - 1 downto 4)
  some := io.write.valid
  when(io.write.valid) {
    gathered.address := place @@ U"0000"
    gathered.since := io.time
    gathered.data.subdivideIn(32 bits)(lane) := io.write.data
    when(!joins)(gathered.mask := 0)
    gathered.mask.subdivideIn(4 bits)(lane) := io.write.mask
  }

  // Waits -----------------------------------------------------------------------------------------------------------------
  private val fifo = StreamFifo(SharedStore(), p.stores)
  fifo.io.push.valid := some && !joins && gathered.mask =/= 0
  fifo.io.push.payload := gathered
  private val given, done = Reg(UInt(16 bits)) init 0
  when(fifo.io.push.fire)(given := given + 1)
  io.given := given
  io.done := done
  io.free := RegNext(fifo.io.availability.resize(16)) init 0

  // Stores ----------------------------------------------------------------------------------------------------------------
  private val client = new BusClient(BusClientParams(bypass = false, backOff = 24, staged = true))
  client.io.bus.head <> io.bus
  private val head = fifo.io.pop
  private val running = RegInit(False)
  private val over = Bool()
  client.io.op.valid := head.valid && !running && !over
  client.io.op.op := BusOp.WRITE_PARTIAL
  client.io.op.address := AddressMap.memory.base | head.address.resize(32)
  client.io.op.mask := head.mask
  client.io.write.valid := running
  client.io.write.payload := head.data
  client.io.abandon := RegNext(running && io.time - head.since >= io.limit.resize(16)) init False
  when(client.io.op.fire)(running := True)

  private val judged, refused = Reg(Bool())
  when(client.io.op.fire) {
    judged := False
    refused := False
  }
  when(client.io.done.valid) {
    judged := True
    refused := client.io.done.payload
  }
  // `done` may come in the cycle in which the client is idle again.
  over := RegNext(running && client.io.idle) init False
  head.ready := over
  when(over)(done := done + 1)
  when(running && client.io.idle)(running := False)

  private val lost = fifo.io.push.isStall
  private val fault = Flow(HostFault())
  fault.valid := lost || over && (!judged || refused)
  fault.cause := HostFaultCause.STORE_GIVEN_UP
  when(judged)(fault.cause := HostFaultCause.REFUSED)
  when(lost)(fault.cause := HostFaultCause.STORE_LOST)
  fault.address := lost ? gathered.address | head.address
  io.fault << fault.m2sPipe()
}
