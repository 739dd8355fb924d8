package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._

/** Where the rings of the 8 Basic queues lie and how far each is (VY-16 to VY-19).
  *
  * Bases are addresses of 128 B slots, `log2` 1 to 12 the number of slots, 0 switches the ring off. Pointers are free running
  * 32-bit slot counts; writing a `log2` sets both pointers of its ring to 0, so a ring is set up base first, and only while
  * nothing moves in it. Tag-on bases: 0 is off; a message's offset reaches 64 KB from the base of its queue.
  *
  * `regs` (byte offset in 0xE00..0xEBF): `16i` tx base, `+4` tx log2, `+8` rx base, `+C` rx log2; `80 + 8i` tx tag-on base,
  * `+4` rx tag-on base. Reads answer the next cycle.
  */
class RingTable extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(8))
    val pointer = slave(Flow(PointerWrite()))
    val query = in(WindowQuery())
    val answer = out(UInt(32 bits))

    /** Queues with an unsent slot, perhaps: `checked` clears a bit that was not so. */
    val pending = out(Bits(8 bits))
    val checked = slave(Flow(UInt(3 bits)))
    val rxOn, tagRxOn = out(Bits(8 bits))

    val tx = slave(RingView())
    val rx = slave(RingView())
  }

  private class Side(base: Int, tagAt: Int) extends Area {
    val bases, tags = Mem(UInt(26 bits), 8)
    val producer, consumer = Mem(UInt(32 bits), 8)
    val log2 = Vec.fill(8)(Reg(UInt(4 bits)) init 0)
    val tagOn = Reg(Bits(8 bits)) init 0
    val on = B(log2.map(_ =/= 0))

    val command = io.regs.command
    val index = command.address(6 downto 4)
    val tagIndex = command.address(5 downto 3)
    val isTag = command.address(7)
    val writes = command.valid && command.write
    val setBase = writes && !isTag && command.address(3 downto 2) === base
    val setLog2 = writes && !isTag && command.address(3 downto 2) === base + 1
    val setTag = writes && isTag && command.address(2) === Bool(tagAt == 1)
    bases.write(index, command.data(31 downto 6).asUInt, setBase)
    tags.write(tagIndex, command.data(31 downto 6).asUInt, setTag)
    when(setLog2) {
      log2(index) := command.data(3 downto 0).asUInt
    }
    when(setTag) {
      tagOn(tagIndex) := command.data =/= 0
    }

    /** Whoever moves a pointer, one write a cycle; setting the ring up goes first. */
    def move(pointer: Mem[UInt], valid: Bool, queue: UInt, value: UInt): Unit =
      pointer.write(setLog2 ? index | queue, setLog2 ? U(0, 32 bits) | value, setLog2 || valid)

    def view(port: RingView): Unit = {
      port.base := bases.readAsync(port.queue) @@ U(0, 6 bits)
      port.tagBase := tags.readAsync(port.queue) @@ U(0, 6 bits)
      port.log2 := log2(port.queue)
      port.producer := producer.readAsync(port.queue)
      port.consumer := consumer.readAsync(port.queue)
    }
  }

  private val tx = new Side(0, 0)
  private val rx = new Side(2, 1)
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
    value := (address(2) ? rx.tags.readAsync(address(5 downto 3)) | tx.tags.readAsync(address(5 downto 3))) @@ U(0, 6 bits)
  } otherwise {
    value := address(3 downto 2).mux(
      0 -> (tx.bases.readAsync(address(6 downto 4)) @@ U(0, 6 bits)),
      1 -> tx.log2(address(6 downto 4)).resize(32 bits),
      2 -> (rx.bases.readAsync(address(6 downto 4)) @@ U(0, 6 bits)),
      3 -> rx.log2(address(6 downto 4)).resize(32 bits)
    )
  }
  io.regs.data := RegNextWhen(value.asBits, io.regs.command.valid)
}

/** One ring of the table, combinationally; `advance` moves the pointer that belongs to the engine. master = the engine. */
case class RingView() extends Bundle with IMasterSlave {
  val queue = UInt(3 bits)
  val base, tagBase = UInt(32 bits)
  val log2 = UInt(4 bits)
  val producer, consumer = UInt(32 bits)
  val advance = Bool()

  override def asMaster(): Unit = {
    out(queue, advance)
    in(base, tagBase, log2, producer, consumer)
  }

  /** Address of the 128 B slot that `count` names in a ring at `from`. */
  def slot(from: UInt, count: UInt): UInt = {
    val mask = ((U(1, 13 bits) |<< log2) - 1).resize(12 bits)
    from + ((count(11 downto 0) & mask) @@ U(0, 7 bits)).resized
  }
}
