package turnstile.translation

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, BusParams, ClientOp}
import turnstile.registers.TranslationBlock

/** What a walk found: where the page is, and what transfers may do with it. */
case class WalkDone() extends Bundle {
  val frame = UInt(20 bits)
  val rights = Bits(3 bits)
  val used, dirty = Bool()
}

/** A store to a row: `column` 0 TLB_FIRST, 1 TLB_TABLE, 2 TLB_PAGES. */
case class RowStore() extends Bundle {
  val column = UInt(2 bits)
  val data = Bits(32 bits)
}

/** Looks a page up in its queue's table, in DRAM (BZ-36): the line with its word is read, and the word is marked USED or DIRTY, a byte that
  * nobody else writes, when the use is allowed and was not marked before.
  *
  * A page outside its table, one without a frame in memory, one whose frame is in the heap, where a line may have to wait for an sP: no
  * rights. From `ask` to `done` 4 cycles and those of a READ, and one for a mark, which is on the bus before any line that is given by it. `ask` stays until `done`.
  */
class TableWalk(params: BusParams) extends Component {
  val io = new Bundle {
    val ask = slave(Flow(LookRequest()))
    val done = master(Flow(WalkDone()))
    val op = master(Stream(ClientOp()))

    /** Beats of its lines. */
    val beat = slave(Flow(Bits(128 bits)))
    val write = master(Stream(Bits(128 bits)))
    val regs = new Bundle {
      val write = slave(Flow(RowStore()))
      val read = in(UInt(3 bits))
      val first, table, pages = out(Bits(32 bits))
    }
  }
  private object State extends SpinalEnum {
    val IDLE, ROW, FIND, WAIT, JUDGE, MARK, BYTE, DONE = newElement()
  }
  private val state = RegInit(State.IDLE)

  // Rows: a range of pages each, open when its number of pages was stored last
  private val on = Reg(Bits(8 bits)) init 0
  private val stored = io.regs.write
  private def column(width: Int, i: Int, value: Bits) = {
    val memory = Mem(Bits(width bits), 8)
    memory.write(io.regs.read, value, stored.valid && stored.payload.column === i)
    (memory.readAsync(io.regs.read), RegNext(memory.readAsync(io.ask.queue)))
  }
  when(stored.valid)(on(io.regs.read) := stored.payload.column === 2 && stored.payload.data =/= 0)
  private val (firstRead, first) = column(20, 0, stored.payload.data(31 downto 12))
  private val (tableRead, table) = column(26, 1, stored.payload.data(31 downto 6))
  private val (pagesRead, pages) = column(21, 2, stored.payload.data(20 downto 0))
  io.regs.first := firstRead ## B(0, 12 bits)
  io.regs.table := tableRead ## B(0, 6 bits)
  io.regs.pages := on(io.regs.read) ? pagesRead.resize(32) | B(0, 32 bits)

  private val offset = Reg(UInt(20 bits))
  private val known = RegNext(on(io.ask.queue))
  private val address = (table ## B(0, 6 bits)).asUInt + (offset << 2)
  private val beats = Reg(UInt(2 bits)) init 0
  private val word = Reg(Bits(32 bits))
  private def field(name: String): Bits = TranslationBlock.page.field(name).of(word)
  private val frame = (field("FRAME") ## B(0, 12 bits)).asUInt
  private val sound = Reg(Bool())
  private val rights = field("OPEN") ## field("TOLD") ## field("READ")
  private val writes = Use.writes(io.ask.use)
  private val right = rights(io.ask.use.asBits.asUInt)
  private val lies = params.inMemory(frame) && !params.inHeap(frame)
  private val marked = field("USED").asBool && (field("DIRTY").asBool || !writes)

  io.op.valid := state === State.FIND || state === State.MARK
  io.op.op := (state === State.MARK) ? BusOp.WRITE_PARTIAL() | BusOp.READ()
  io.op.address := address
  io.op.mask := (state === State.MARK) ? (B(0x8, 16 bits) |<< (offset(1 downto 0) @@ U(0, 2 bits))) | B(0, 16 bits)
  io.write.valid := state === State.BYTE
  io.write.payload := (B(0, 6 bits) ## (writes || field("DIRTY").asBool) ## True ## B(0, 24 bits)) #* 4
  io.done.valid := state === State.DONE
  io.done.frame := field("FRAME").asUInt
  io.done.rights := sound ? rights | B(0, 3 bits)
  io.done.used := field("USED").asBool || (sound && right)
  io.done.dirty := field("DIRTY").asBool || (sound && right && writes)

  switch(state) {
    is(State.IDLE) {
      when(io.ask.valid)(state := State.ROW)
    }
    is(State.ROW) {
      offset := io.ask.line(25 downto 6) - first.asUInt
      word := 0
      beats := 0
      state := State.FIND
      when(!known || (io.ask.line(25 downto 6) - first.asUInt) >= pages.asUInt)(state := State.JUDGE)
    }
    is(State.FIND) {
      when(io.op.ready)(state := State.WAIT)
    }
    is(State.WAIT) {
      when(io.beat.valid) {
        beats := beats + 1
        when(beats === offset(3 downto 2))(word := io.beat.payload.subdivideIn(32 bits)(offset(1 downto 0)))
        when(beats.andR)(state := State.JUDGE)
      }
    }
    is(State.JUDGE) {
      sound := lies
      state := State.MARK
      when(marked || !right || !lies)(state := State.DONE)
    }
    is(State.MARK) {
      when(io.op.ready)(state := State.BYTE)
    }
    is(State.BYTE) {
      when(io.write.ready)(state := State.DONE)
    }
    is(State.DONE)(state := State.IDLE)
  }
}
