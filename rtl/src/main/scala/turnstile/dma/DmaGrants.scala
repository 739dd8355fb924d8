package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.bus.BusParams
import turnstile.contract.{FirstOf, RegPort}
import turnstile.registers.{DmaBlock, RegisterBank}

/** What transfers may reach: for each Basic queue a range of its owner's memory, and one that is open to others. Only the sP writes them; the NI
  * TLB's place.
  *
  * An answer comes two cycles after its request, one a cycle in all; lower ports go first. `regs`: the arrays of
  * [[turnstile.registers.DmaBlock]] and its counters, which grow by `counts`; reads answer the next cycle.
  */
class DmaGrants(params: BusParams, ports: Int) extends Component {
  val io = new Bundle {
    val look = Vec.fill(ports)(slave(DmaLook()))
    val counts = in(Vec.fill(4)(UInt(2 bits)))
    val regs = slave(RegPort(8))
  }
  private val bank = new RegisterBank(io.regs, DmaBlock)
  private val row = bank.index(DmaBlock.from)
  private val data = io.regs.command.data
  private val on = Reg(Bits(16 bits)) init 0

  private val asked = StreamArbiterFactory().lowerFirst.noLock.on(io.look.map(_.request))
  private val port = asked.valid ? OHToUInt(FirstOf(io.look.map(_.request.valid))) | U(0)
  asked.ready := True
  private val index = asked.open.asUInt @@ asked.payload.queue
  private def column(width: Int, r: turnstile.registers.Register, value: Bits) = {
    val memory = Mem(Bits(width bits), 16)
    val stored = bank.stores(r)
    memory.write(row, value.resize(width), stored)
    when(stored)(on(row) := Bool(r == DmaBlock.lines) && data =/= 0)
    (memory.readAsync(row), RegNext(memory.readAsync(index)))
  }
  private val (fromRead, from) = column(26, DmaBlock.from, data(31 downto 6))
  private val (busRead, first) = column(26, DmaBlock.bus, data(31 downto 6))
  private val (linesRead, lines) = column(26, DmaBlock.lines, data)
  bank.read(DmaBlock.from)(fromRead ## B(0, 6 bits))
  bank.read(DmaBlock.bus)(busRead ## B(0, 6 bits))
  bank.read(DmaBlock.lines)(on(row) ? linesRead | B(0, 26 bits))
  bank.read(DmaBlock.unit)(B(1, 32 bits))
  for ((register, i) <- Seq(DmaBlock.transfers, DmaBlock.refused, DmaBlock.foreign, DmaBlock.stray).zipWithIndex) {
    val count = Reg(UInt(32 bits)) init 0
    count := count + (RegNext(io.counts(i)) init 0)
    bank.read(register)(count.asBits)
  }

  private val known = RegNext(asked.valid) init False
  private val ahead = RegNext(asked.line) - from.asUInt
  private val legal = RegNext(on(index)) && ahead < lines.asUInt

  // Whatever the sP says: in the heap a line may have to wait for an sP.
  private val line = RegNext(first.asUInt + ahead)
  for ((look, i) <- io.look.zipWithIndex) {
    look.answer.valid := RegNext(known && (RegNext(port) === i)) init False
    look.answer.legal := RegNext(legal) && params.inMemory(line @@ U(0, 6 bits)) && !params.inHeap(line @@ U(0, 6 bits))
    look.answer.line := line
  }
}
