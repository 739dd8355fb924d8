package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Registers of the message unit that belong to no part of it alone; reads answer the next cycle, 0 where there is none.
  *
  * | offset | |
  * |---|---|
  * | `0D8` | EMPTY_WORD, META of an empty Express receive (VY-25) |
  * | `EC0`+4q | resident queue q: `valid[31] rxq9[8:0]`; queue q after reset (VY-39) |
  * | `F00` `F04` `F08` `F0C` | packets with a CRC error; messages without a valid name or malformed; messages kept for the sP (event 101); packets dropped as malformed or misrouted |
  * | `F10` `F14` `F18` `F1C` `F20` | cycles a packet waited for an Express FIFO, a slot, a staging buffer, an event stream, a full ring |
  * | `F24` | lines of rings at an address that nobody answers (event 104, meta bit 0: a received line, lost) |
  * | `F34` | free slots |
  * | `F38` | slots that low messages never take |
  * | `F3C` | packets of channel high that had to wait (event 105) |
  * | `F80` | rings and tag-on areas refused ([[RingTable]]) |
  * | `F28` | slot whose packet header is read at `F2C` (low half) and `F30` |
  * | `F40`+4q | translation faults of transmit queue q (16 bits, stays at 65535) |
  */
class MessageRegs(params: MessageParams) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val emptyWord = out(Bits(32 bits))
    val resident = out(Vec.fill(16)(ResidentQueue()))
    val faults = Vec.fill(3)(slave(Flow(TxFault())))
    val damaged, malformed, kept, ringFull, busError, stopped, refused = in(Bool())
    val waits = in(Bits(4 bits))
    val freeSlots = in(UInt(7 bits))
    val headerSlot = out(UInt(6 bits))
    val header = in(Bits(64 bits))
  }
  private val command = io.regs.command
  private val writes = command.valid && command.write
  private def at(address: Int) = command.address === address

  private val emptyWord = Reg(Bits(32 bits)) init 0
  io.emptyWord := emptyWord
  private val headerSlot = Reg(UInt(6 bits)) init 0
  io.headerSlot := headerSlot
  when(writes && at(0x0d8)) {
    emptyWord := command.data
  }
  when(writes && at(0xf28)) {
    headerSlot := command.data(5 downto 0).asUInt
  }

  private val resident = for (q <- 0 until 16) yield new Area {
    val rxq = Reg(UInt(9 bits)) init q
    val valid = RegInit(True)
    when(writes && at(0xec0 + 4 * q)) {
      rxq := command.data(8 downto 0).asUInt
      valid := command.data(31)
    }
    io.resident(q).rxq := rxq
    io.resident(q).valid := valid
  }

  private def counter(more: Bool) = {
    val count = Reg(UInt(32 bits)) init 0
    when(more) {
      count := count + 1
    }
    count
  }
  private val faults = Reg(UInt(32 bits)) init 0
  faults := faults + CountOne(io.faults.map(_.valid))
  private val counters = Seq(counter(io.damaged), faults, counter(io.kept), counter(io.malformed)) ++
    (0 until 4).map(i => counter(io.waits(i))) :+ counter(io.ringFull) :+ counter(io.busError)
  private val queueFaults = for (q <- 0 until 16) yield {
    val count = Reg(UInt(16 bits)) init 0
    val hit = io.faults.map(f => f.valid && f.queue === q).orR
    when(hit && !count.andR) {
      count := count + 1
    }
    count
  }

  private val stopped = counter(io.stopped)
  private val refused = counter(io.refused)
  private val data = Bits(32 bits)
  data := 0
  switch(command.address(11 downto 2) @@ U(0, 2 bits)) {
    is(0x0d8)(data := emptyWord)
    for ((count, i) <- counters.zipWithIndex) is(0xf00 + 4 * i)(data := count.asBits)
    is(0xf3c)(data := stopped.asBits)
    is(0xf80)(data := refused.asBits)
    is(0xf34)(data := io.freeSlots.asBits.resized)
    is(0xf38)(data := B(params.reservedSlots, 32 bits))
    is(0xf28)(data := headerSlot.asBits.resized)
    is(0xf2c)(data := io.header(31 downto 0))
    is(0xf30)(data := io.header(63 downto 32))
    for (q <- 0 until 16) is(0xec0 + 4 * q)(data := resident(q).valid ## B(0, 22 bits) ## resident(q).rxq)
    for (q <- 0 until 16) is(0xf40 + 4 * q)(data := queueFaults(q).asBits.resized)
  }
  io.regs.data := RegNextWhen(data, command.valid)
}
