package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.bus.BusParams
import turnstile.contract._
import turnstile.registers.{BasicPage, LoadDecode, Register, RegisterBank, RegisterDecode, RingBlock}

/** Where the rings of the 8 Basic queues lie and how far each is (VY-16 to VY-19).
  *
  * A ring is set up base, `log2`, tag-on base, and only while nothing moves in it: each of them switches off what comes after
  * it. Bases are addresses of 128 B slots, `log2` 1 to 12 the number of slots, 0 is off. Pointers are free running 32-bit slot
  * counts; writing a `log2` sets both pointers of its ring to 0. Tag-on bases are addresses of lines, 0 is off; a transmit area
  * has 64 KB, what a message's offset can reach, a receive area 128 B a slot.
  *
  * **Pointers of aPs** are judged: TX_PRODUCER goes forward and no further than the ring has slots, RX_CONSUMER forward and not past what
  * has come. Others, and those of rings that are off, change nothing, are counted (`misplaced`) and tell so in `STATUS` of their page,
  * as does what `fault` says.
  *
  * **What is refused** stays off, reads 0 and is counted (`refused`): a ring or area that does not lie whole in DRAM outside the
  * heap, whose lines the NIU may claim for the coherence protocol; a base off its bound; a `log2` above 12.
  *
  * A set-up switches off at once; it is judged in the cycle after, and on from the next.
  *
  * `regs`: [[turnstile.registers.RingBlock]]; reads answer the next cycle.
  */
class RingTable(bus: BusParams, reporters: Int = 3) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(8))
    val pointer = slave(Flow(PointerWrite()))
    val query = in(WindowQuery())
    val answer = out(UInt(32 bits))

    /** Queues with an unsent slot, perhaps: `checked` clears a bit that was not so. */
    val pending = out(Bits(8 bits))
    val checked = slave(Flow(UInt(3 bits)))
    /** A message of Basic queue 8 + i was refused or lost: `RingCause`. */
    val fault = Vec.fill(reporters)(slave(Flow(RingFault())))
    val misplaced = out(Bool())

    /** Rings with a slot that has come and was not read. */
    val unread = out(Bits(8 bits))
    val rxOn, tagRxOn = out(Bits(8 bits))
    val refused = out(Bool())

    val tx = slave(RingView())
    val rx = slave(RingView())
  }

  /** Lines `first` to `last` are DRAM on one side of the heap; compared are the bits above the alignment of all bounds. */
  private def lies(first: UInt, last: UInt): Bool = {
    val bounds = Seq(bus.memory.base, bus.heapBase, bus.heapEnd, bus.memory.end)
    val aligned = bounds.map(_.lowestSetBit).min
    val Seq(memory, heap, heapEnd, end) = bounds.map(_ >> aligned)
    val (from, to) = (first >> (aligned - 6), last >> (aligned - 6))
    (from >= memory && to < heap) || (from >= heapEnd && to < end)
  }

  private val bank = new RegisterBank(io.regs, RingBlock)
  private val data = io.regs.command.data.asUInt
  private val isRx = RegisterDecode.has(io.regs.command.address, Seq(RingBlock.rxBase, RingBlock.rxSize, RingBlock.rxTagOn))
  private val isTag = RegisterDecode.has(io.regs.command.address, Seq(RingBlock.txTagOn, RingBlock.rxTagOn))
  private val index = isTag ? bank.index(RingBlock.txTagOn) | bank.index(RingBlock.txBase)
  private def late[T <: Data](value: T): T = RegNextWhen(value, io.regs.command.valid)
  private val judgedIndex = late(index)

  /** A pointer of each ring, 0 from the set-up of its ring until it moves: a set-up does not write `values`, whose one write port is
    * for whatever ring's pointer moves in that cycle. `move` is called once, then `clear`, which wins for a ring with both.
    */
  private class Pointer extends Area {
    private val values = Mem(UInt(32 bits), 8)
    private val zero = Reg(Bits(8 bits)) init 0xFF

    def apply(queue: UInt): UInt = zero(queue) ? U(0, 32 bits) | values.readAsync(queue)
    def move(valid: Bool, queue: UInt, value: UInt): Unit = {
      values.write(queue, value, valid)
      when(valid)(zero(queue) := False)
    }
    def clear(valid: Bool, queue: UInt): Unit = when(valid)(zero(queue) := True)
  }

  private class Side(base: Register, sizeAt: Register, tagAt: Register) extends Area {
    val bases = Mem(UInt(32 bits), 8)
    val tags = Mem(UInt(26 bits), 8)
    val producer, consumer = new Pointer
    val log2 = Vec.fill(8)(Reg(UInt(4 bits)) init 0)
    val tagOn = Reg(Bits(8 bits)) init 0
    val on = B(log2.map(_ =/= 0))

    val setBase = bank.stores(base)
    val setLog2 = bank.stores(sizeAt)
    val setTag = bank.stores(tagAt)
    val judgesSize, judgesTag = RegInit(False)
    judgesSize := setLog2
    judgesTag := setTag
    val ring = bases.readAsync(judgedIndex)
    val size = log2(judgedIndex)
    bases.write(index, data, setBase)
    tags.write(index, data(31 downto 6), setTag)
    def judged(legal: Bool, given: UInt): Unit = {
      when(judgesSize && legal)(log2(judgedIndex) := given)
      when(judgesTag && legal)(tagOn(judgedIndex) := True)
      when(setBase || setLog2)(log2(index) := U(0, 4 bits))
      when(setBase || setLog2 || setTag)(tagOn(index) := False)
    }

    def tagBase(queue: UInt): UInt = tags.readAsync(queue) @@ U(0, 6 bits)
    bank.readNext(base)(ring.asBits)
    bank.readNext(sizeAt)(size.asBits)
    bank.readNext(tagAt)((tagOn(judgedIndex) ? tagBase(judgedIndex) | U(0, 32 bits)).asBits)

    def view(port: RingView): Unit = {
      port.base := bases.readAsync(port.queue)
      port.tagBase := tagBase(port.queue)
      port.on := on(port.queue)
      port.tagOn := tagOn(port.queue)
      port.log2 := log2(port.queue)
      port.producer := producer(port.queue)
      port.consumer := consumer(port.queue)
    }
  }

  private val tx = new Side(RingBlock.txBase, RingBlock.txSize, RingBlock.txTagOn)
  private val rx = new Side(RingBlock.rxBase, RingBlock.rxSize, RingBlock.rxTagOn)

  // A set-up: what it gives, or the base that was given before its size, and how many lines follow the first.
  private val (given, ofRx, ofTag) = (late(data), late(isRx), late(isTag))
  private val size = ofTag ? (ofRx ? rx.size | tx.size) | given(3 downto 0)
  private val start = ofTag ? given | (ofRx ? rx.ring | tx.ring)
  private val more = (ofTag && !ofRx) ? U((64 << 10) / 64 - 1, 13 bits) | U(B(True +: (1 to 12).map(size >= _)))
  private val fitting = ofTag ? (size =/= 0) | (given <= 12 && !start(6))
  private val legal = given =/= 0 && fitting && start(5 downto 0) === 0 && lies(start >> 6, (start >> 6) +^ more)
  for (side <- Seq(tx, rx)) side.judged(legal, given(3 downto 0))
  io.refused := Seq(tx, rx).map(side => side.judgesSize || side.judgesTag).orR && given =/= 0 && !legal

  // Pointers that are legal lie 2^12 apart at most: 13 bits tell how far.
  private val fromAp = io.pointer.queue(2 downto 0)
  private val value = io.pointer.value
  private def half(of: Side => UInt): UInt = io.pointer.consumer ? of(rx) | of(tx)
  private val behind = half(_.consumer(fromAp))
  private val between = half(_.producer(fromAp)(12 downto 0)) - behind(12 downto 0)
  private val far = value - behind
  private val ahead = far(12 downto 0)
  private val near = (far >> 13) === 0
  private val fits = tx.on(fromAp) && near && ahead >= between && ahead <= (U(1, 13 bits) |<< tx.log2(fromAp))
  private val came = rx.on(fromAp) && near && ahead <= between
  private val produced = io.pointer.valid && !io.pointer.consumer && fits
  private val consumed = io.pointer.valid && io.pointer.consumer && came
  io.misplaced := io.pointer.valid && !(io.pointer.consumer ? came | fits)
  tx.producer.move(produced, fromAp, value)
  tx.consumer.move(io.tx.advance, io.tx.queue, io.tx.consumer + 1)
  rx.producer.move(io.rx.advance, io.rx.queue, io.rx.producer + 1)
  rx.consumer.move(consumed, fromAp, value)
  for (side <- Seq(tx, rx); pointer <- Seq(side.producer, side.consumer)) pointer.clear(side.setLog2, index)
  private val unread = Reg(Bits(8 bits)) init 0
  when(consumed && ahead === between)(unread(fromAp) := False)
  when(io.rx.advance)(unread(io.rx.queue) := True)
  when(rx.setLog2)(unread(index) := False)
  io.unread := unread & rx.on
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

  private val misplaced = Flow(RingFault())
  misplaced.valid := io.misplaced
  misplaced.queue := fromAp
  misplaced.cause := io.pointer.consumer ? U(RingCause.consumer, 3 bits) | U(RingCause.producer, 3 bits)
  private val faults = (misplaced +: io.fault).map(_.stage())
  private val status = Vec(for (i <- 0 until 8) yield {
    val cause = Reg(UInt(3 bits)) init 0
    val count = Reg(UInt(16 bits)) init 0
    val mine = faults.map(fault => fault.valid && fault.queue === i)
    count := count + CountOne(mine)
    when(mine.orR)(cause := OHMux.or(FirstOf(mine.asBits()), faults.map(_.cause)))
    (cause @@ count).resize(32 bits)
  })

  private val asked = io.query.queue(2 downto 0)
  private val page = new LoadDecode(io.query.word @@ U"00", BasicPage)
  private val received, read = UInt(32 bits)
  received := rx.producer(asked)
  read := rx.consumer(asked)
  io.answer := Seq(BasicPage.txProducer -> tx.producer(asked), BasicPage.txSent -> tx.consumer(asked), BasicPage.rxProducer -> received,
    BasicPage.rxConsumer -> read, BasicPage.rxStatus -> received(15 downto 0) @@ read(15 downto 0), BasicPage.status -> status(asked))
    .map { case (r, value) => page.reads(r) ? value | U(0, 32 bits) }.reduce(_ | _)
}

/** `BasicPage.status`, CAUSE. */
object RingCause {
  val producer = 1
  val consumer = 2
  val slot = 3
  val name = 4
  val full = 5
  val dma = 6
}

/** Something of Basic queue 8 + `queue` was refused or lost. */
case class RingFault() extends Bundle {
  val queue = UInt(3 bits)
  val cause = UInt(3 bits)
}

/** One ring of the table, combinationally; `advance` moves the pointer that belongs to the engine. master = the engine. */
case class RingView() extends Bundle with IMasterSlave {
  val queue = UInt(3 bits)
  val base, tagBase = UInt(32 bits)
  val on, tagOn = Bool()
  val log2 = UInt(4 bits)
  val producer, consumer = UInt(32 bits)
  val advance = Bool()

  override def asMaster(): Unit = {
    out(queue, advance)
    in(base, tagBase, on, tagOn, log2, producer, consumer)
  }

  /** Address of the first or second line of the 128 B slot that `count` names in a ring at `from`. */
  def line(from: UInt, count: UInt, second: Bool): UInt = {
    val mask = U(B((0 until 12).map(log2 > _)))
    ((from >> 6) + ((count(11 downto 0) & mask) @@ second.asUInt)) @@ U(0, 6 bits)
  }
}
