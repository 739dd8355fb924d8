package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.PacketHeader

/** Slot SRAM and its free list: 64 slots of 128 B, and the header flit of the packet that filled each, with the lines it brought (VY-28).
  *
  * `next` is a free slot, known a cycle ahead; `take` takes it and another appears the cycle after next at the latest. `high`
  * and `low` say whether a message of that channel may take it: low messages leave `reservedSlots` alone. Freeing a slot that
  * is free changes nothing. Reads answer the next cycle; `lines` and `headerRead` too.
  */
class SlotStore(params: MessageParams) extends Component {
  val io = new Bundle {
    val next = out(UInt(6 bits))
    val high, low = out(Bool())
    val take = in(Bool())
    val header = in(Bits(64 bits))
    val drop = slave(Flow(UInt(6 bits)))
    val write = slave(Flow(SlotWrite()))
    val ports = Vec.fill(2)(slave(SlotPort()))
    val headerSlot = in(UInt(6 bits))
    val headerRead = out(Bits(64 bits))
    val free = out(UInt(7 bits))
  }

  /** Even and odd words: written one at a time, read as beats. */
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), params.slots * 8))
  for ((lane, i) <- lanes.zipWithIndex)
    lane.write(io.write.address >> 1, io.write.data, io.write.valid && io.write.address(0) === Bool(i == 1))
  for (port <- io.ports) {
    port.data := Cat(lanes.map(_.readSync(port.read.payload, port.read.valid)))
  }

  private val lines = Mem(UInt(2 bits), params.slots)
  lines.write(io.next, io.header.as(PacketHeader()).lines, io.take)
  for (port <- io.ports) port.lines := lines.readSync(port.asked)

  private val headers = Mem(Bits(64 bits), params.slots)
  headers.write(io.next, io.header, io.take)
  io.headerRead := headers.readSync(io.headerSlot)

  // The candidate is out of the map already.
  private val map = Reg(Bits(params.slots bits)) init B(params.slots bits, default -> True)
  private val candidate = Reg(UInt(6 bits))
  private val ready = Reg(Bool()) init False
  private val pick = OHMasking.first(map)
  private val load = (!ready || io.take) && map.orR
  when(io.take) {
    ready := False
  }
  when(load) {
    ready := True
    candidate := OHToUInt(pick)
  }
  private val returns = io.ports.map(_.free) :+ io.drop
  private val returned = returns.map(r => r.valid ? UIntToOh(r.payload, params.slots) | B(0, params.slots bits)).reduce(_ | _)
  when(load || returned.orR) {
    map := (load ? (map & ~pick) | map) | returned
  }
  assert(!io.take || ready, "a slot taken that was not offered", FAILURE)

  // `held` marks slots in use, so that a slot returned twice is counted once.
  private val held = Reg(Bits(params.slots bits)) init 0
  private val count = Reg(UInt(7 bits)) init params.slots
  private val back = returns.map(r => (r.valid && held(r.payload)).asUInt(7 bits)).reduce(_ + _)
  count := count + back - io.take.asUInt(7 bits)
  when(io.take || returned.orR) {
    held := (held | (io.take ? UIntToOh(candidate, params.slots) | B(0, params.slots bits))) & ~returned
  }

  io.next := candidate
  io.high := ready
  io.low := ready && count > params.reservedSlots
  io.free := count
}

/** A received word of 64 bits. */
case class SlotWrite() extends Bundle {
  val address = UInt(10 bits)
  val data = Bits(64 bits)
}
