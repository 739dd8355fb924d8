package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.BusParams
import turnstile.contract._

/** Where the rings of the 8 Basic queues lie and how far each is (VY-16 to VY-19).
  *
  * A ring is set up base, `log2`, tag-on base, and only while nothing moves in it: each of them switches off what comes after
  * it. Bases are addresses of 128 B slots, `log2` 1 to 12 the number of slots, 0 is off. Pointers are free running 32-bit slot
  * counts; writing a `log2` sets both pointers of its ring to 0. Tag-on bases are addresses of lines, 0 is off; a transmit area
  * has 64 KB and a line, what a message's offset can reach, a receive area 128 B a slot.
  *
  * **What is refused** stays off, reads 0 and is counted (`refused`): a ring or area that does not lie whole in DRAM outside the
  * heap, whose lines the NIU may claim for the coherence protocol; a base off its bound; a `log2` above 12.
  *
  * `regs` (byte offset in 0xE00..0xEBF): `16i` tx base, `+4` tx log2, `+8` rx base, `+C` rx log2; `80 + 8i` tx tag-on base,
  * `+4` rx tag-on base. Reads answer the next cycle.
  */
class RingTable(bus: BusParams) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(8))
    val pointer = slave(Flow(PointerWrite()))
    val query = in(WindowQuery())
    val answer = out(UInt(32 bits))

    /** Queues with an unsent slot, perhaps: `checked` clears a bit that was not so. */
    val pending = out(Bits(8 bits))
    val checked = slave(Flow(UInt(3 bits)))
    val rxOn, tagRxOn = out(Bits(8 bits))
    val refused = out(Bool())

    val tx = slave(RingView())
    val rx = slave(RingView())
  }

  /** The bytes `base` to `base + span - 1` are DRAM on one side of the heap. */
  private def lies(base: UInt, span: UInt): Bool = {
    val end = base +^ span
    (base >= bus.memoryBase && end <= bus.heapBase) || (base >= bus.heapEnd && end <= bus.memoryBase + bus.memoryBytes)
  }

  private def bytes(log2: UInt): UInt = U(128, 20 bits) |<< log2

  private class Side(base: Int, tagAt: Int, tagSpan: UInt => UInt) extends Area {
    val bases = Mem(UInt(32 bits), 8)
    val tags = Mem(UInt(26 bits), 8)
    val producer, consumer = Mem(UInt(32 bits), 8)
    val log2 = Vec.fill(8)(Reg(UInt(4 bits)) init 0)
    val tagOn = Reg(Bits(8 bits)) init 0
    val on = B(log2.map(_ =/= 0))

    val command = io.regs.command
    val data = command.data.asUInt
    val isTag = command.address(7)
    val index = isTag ? command.address(5 downto 3) | command.address(6 downto 4)
    val writes = command.valid && command.write
    val setBase = writes && !isTag && command.address(3 downto 2) === base
    val setLog2 = writes && !isTag && command.address(3 downto 2) === base + 1
    val setTag = writes && isTag && command.address(2) === Bool(tagAt == 1)
    val size = isTag ? log2(index) | data(3 downto 0)
    val ring = bases.readAsync(index)
    val wanted = data =/= 0
    val legal = isTag ? (on(index) && data(5 downto 0) === 0 && lies(data, tagSpan(size))) |
      (data <= 12 && ring(6 downto 0) === 0 && lies(ring, bytes(size)))
    val refused = (setLog2 || setTag) && wanted && !legal
    bases.write(index, data, setBase)
    tags.write(index, data(31 downto 6), setTag)
    when(setBase || setLog2) {
      log2(index) := (setLog2 && legal) ? data(3 downto 0) | U(0, 4 bits)
    }
    when(setBase || setLog2 || setTag) {
      tagOn(index) := setTag && wanted && legal
    }

    def tagBase(queue: UInt): UInt = tags.readAsync(queue) @@ U(0, 6 bits)

    /** Whoever moves a pointer, one write a cycle; setting the ring up goes first. */
    def move(pointer: Mem[UInt], valid: Bool, queue: UInt, value: UInt): Unit =
      pointer.write(setLog2 ? index | queue, setLog2 ? U(0, 32 bits) | value, setLog2 || valid)

    def view(port: RingView): Unit = {
      port.base := bases.readAsync(port.queue)
      port.tagBase := tagBase(port.queue)
      port.tagOn := tagOn(port.queue)
      port.log2 := log2(port.queue)
      port.producer := producer.readAsync(port.queue)
      port.consumer := consumer.readAsync(port.queue)
    }
  }

  private val tx = new Side(base = 0, tagAt = 0, tagSpan = _ => U((64 << 10) + 64))
  private val rx = new Side(base = 2, tagAt = 1, tagSpan = bytes)
  io.refused := tx.refused || rx.refused
  private val fromAp = io.pointer.queue(2 downto 0)
  private val produced = io.pointer.valid && !io.pointer.consumer
  tx.move(tx.producer, produced, fromAp, io.pointer.value)
  tx.move(tx.consumer, io.tx.advance, io.tx.queue, io.tx.consumer + 1)
  rx.move(rx.producer, io.rx.advance, io.rx.queue, io.rx.producer + 1)
  rx.move(rx.consumer, io.pointer.valid && io.pointer.consumer, fromAp, io.pointer.value)
  tx.view(io.tx)
  rx.view(io.rx)
  io.rxOn := rx.on
  io.tagRxOn := rx.tagOn

  private val pending = Reg(Bits(8 bits)) init 0
  when(io.checked.valid) {
    pending(io.checked.payload) := False
  }
  when(produced) {
    pending(fromAp) := True
  }
  io.pending := pending & tx.on

  private val asked = io.query.queue(2 downto 0)
  private val pointers = io.query.word.mux(
    2 -> tx.producer.readAsync(asked),
    3 -> tx.consumer.readAsync(asked),
    6 -> rx.producer.readAsync(asked),
    default -> rx.consumer.readAsync(asked)
  )
  io.answer := pointers

  private val address = io.regs.command.address
  private val value = UInt(32 bits)
  when(address(7)) {
    value := Vec(Seq(tx, rx).map(side => side.tagOn(side.index) ? side.tagBase(side.index) | U(0, 32 bits)))(address(2).asUInt)
  } otherwise {
    value := Vec(Seq(tx, rx).flatMap(side => Seq(side.ring, side.log2(side.index).resize(32 bits))))(address(3 downto 2))
  }
  io.regs.data := RegNextWhen(value.asBits, io.regs.command.valid)
}

/** One ring of the table, combinationally; `advance` moves the pointer that belongs to the engine. master = the engine. */
case class RingView() extends Bundle with IMasterSlave {
  val queue = UInt(3 bits)
  val base, tagBase = UInt(32 bits)
  val tagOn = Bool()
  val log2 = UInt(4 bits)
  val producer, consumer = UInt(32 bits)
  val advance = Bool()

  override def asMaster(): Unit = {
    out(queue, advance)
    in(base, tagBase, tagOn, log2, producer, consumer)
  }

  /** Address of the 128 B slot that `count` names in a ring at `from`. */
  def slot(from: UInt, count: UInt): UInt = {
    val mask = ((U(1, 13 bits) |<< log2) - 1).resize(12 bits)
    from + ((count(11 downto 0) & mask) @@ U(0, 7 bits)).resized
  }
}
