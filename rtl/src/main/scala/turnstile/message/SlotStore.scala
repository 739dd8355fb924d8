package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.{PacketHeader, Vc}

/** Slot SRAM and its free list: `slots` of 128 B, and the header flit of the packet that filled each, with the lines it brought (VY-28).
  *
  * Low messages leave `reservedSlots` alone. Freeing a slot that is free changes nothing. Reads answer the next cycle; `lines` and
  * `headerRead` too.
  */
class SlotStore(params: MessageParams) extends Component {
  val io = new Bundle {
    val taker = slave(SlotTaker())
    val ports = Vec.fill(2)(slave(SlotPort()))
    val headerSlot = in(UInt(6 bits))
    val headerRead = out(Bits(64 bits))
    val free = out(UInt(7 bits))
  }

  // Slot numbers have 6 bits everywhere; a smaller store uses the lower ones.
  private def hot(slot: UInt) = UIntToOh(slot.resize(log2Up(params.slots)), params.slots)

  // Even and odd words: written one at a time, read as beats. Nobody reads a slot, or its header, before the packet's end gave it to him.
  private val write = io.taker.write
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), params.slots * 8).addAttribute("no_rw_check"))
  for ((lane, i) <- lanes.zipWithIndex)
    lane.write((write.address >> 1).resized, write.data, write.valid && write.address(0) === Bool(i == 1))
  for (port <- io.ports) {
    port.data := Cat(lanes.map(_.readSync(port.read.payload.resized, port.read.valid)))
  }

  // `held` marks slots in use: one returned twice is counted once. Offered is one that is not, and another when it is taken.
  private val held = Reg(Bits(params.slots bits)) init 0
  private val offered = Reg(Bits(params.slots bits)) init 0
  private val candidate = Reg(UInt(log2Up(params.slots) bits))
  private val ready = Reg(Bool()) init False
  private val pick = FirstOf(~(held | offered))
  when(!ready || io.taker.take) {
    ready := pick.orR
    offered := pick
    candidate := OHToUInt(pick)
  }
  // A damaged packet's slot: the CRC's verdict is late in its cycle.
  private val returns = io.ports.map(_.free) :+ io.taker.drop.stage()
  private val returned = returns.map(r => r.valid ? hot(r.payload) | B(0, params.slots bits)).reduce(_ | _)
  assert(!io.taker.take || ready, "a slot taken that was not offered", FAILURE)

  private val count = Reg(UInt(7 bits)) init params.slots
  private val back = returns.map(r => (r.valid && held(r.payload.resize(log2Up(params.slots)))).asUInt(7 bits)).reduce(_ + _)
  count := count + back - io.taker.take.asUInt(7 bits)
  when(io.taker.take || returns.map(_.valid).orR) {
    held := (held | (io.taker.take ? offered | B(0, params.slots bits))) & ~returned
  }

  private val lines = Mem(UInt(2 bits), params.slots)
  lines.write(candidate, io.taker.header.as(PacketHeader()).lines, io.taker.take)
  for (port <- io.ports) port.lines := lines.readSync(port.asked.resized)

  private val headers = Mem(Bits(64 bits), params.slots).addAttribute("no_rw_check")
  headers.write(candidate, io.taker.header, io.taker.take)
  io.headerRead := headers.readSync(io.headerSlot.resized)

  io.taker.next := candidate.resized
  io.taker.available(Vc.high) := ready
  io.taker.available(Vc.low) := ready && count > params.reservedSlots
  io.free := count
}

/** A taker's side of the slot SRAM: `next` is a free slot, known a cycle ahead, and `available` says for each channel whether a
  * message of it may take it; `take` takes it, for the packet of `header`, and another appears the cycle after next at the
  * latest. `drop` gives one back. master = the taker.
  */
case class SlotTaker() extends Bundle with IMasterSlave {
  val next = UInt(6 bits)
  val available = Bits(Vc.count bits)
  val take = Bool()
  val header = Bits(64 bits)
  val drop = Flow(UInt(6 bits))
  val write = Flow(SlotWrite())

  override def asMaster(): Unit = {
    in(next, available)
    out(take, header)
    master(drop, write)
  }
}

/** A received word of 64 bits. */
case class SlotWrite() extends Bundle {
  val address = UInt(10 bits)
  val data = Bits(64 bits)
}
