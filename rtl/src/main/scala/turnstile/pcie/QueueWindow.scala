package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers._

/** Where a host finds its queues in BAR2: at the offsets, and with the words, that an aP finds its own at behind `0xF000_0000` (contract §1, §4). */
object QueueWindow {
  val bits = 23
  val base = 0xF0000000L
  private def busAddress(address: UInt): UInt = U(base, 32 bits) | address(bits - 1 downto 0).resize(32)
  def sends(address: UInt): Bool = AddressMap.apExpressTransmit.has(busAddress(address))
  def receives(address: UInt): Bool = AddressMap.apExpressReceive.has(busAddress(address))
  def points(address: UInt): Bool = AddressMap.apBasic.has(busAddress(address))
  def queue(address: UInt): UInt = sends(address) ? address(20 downto 17) | address(15 downto 12)

  /** A page of one of the queues that hosts have. */
  def reaches(p: PcieParams, address: UInt): Bool = {
    def among(queues: Seq[Int]) = queues.map(queue(address) === _).orR
    (sends(address) || receives(address)) && among(p.express) || points(address) && among(p.basic)
  }
}

/** BAR2: Express messages and Basic pointers of a host, a page or more a queue, so that a driver maps a queue to a process (VY-02, VY-22, VY-25).
  *
  * A store to the Express transmit window sends a message when its FIFO has room, else it is dropped and counted for its queue: what a host
  * writes can neither be refused nor wait. A load there reads room and count ([[WordFormat.hostExpress]]). A load of META takes a message and keeps its
  * word for DATA; a load of both (8 bytes) takes one. Loads of parts of words take nothing and read 0; stores of parts are dropped.
  *
  * Latency: a store is at the message unit two cycles after `write`, unless an aP's is; a dword of a load 3 cycles after its part, a message
  * one more, and as many as aPs use the port meanwhile.
  */
class QueueWindow(p: PcieParams) extends Component {
  val io = new Bundle {
    val write = slave(Flow(HostWrite()))
    val part = slave(Stream(ReadPart()))
    val answer = master(AnswerPort())
    val window = master(HostWindowPort())
    val refused = out(Bool())
  }
  import QueueWindow._

  // Stores ----------------------------------------------------------------------------------------------------------------
  private val waits = io.write.toStream
  private val stores = waits.queueLowLatency(8, latency = 1)
  private val store = stores.payload
  private val pointers = new StoreDecode(store.address(4 downto 0), BasicPage)
  private val consumes = pointers.writes(BasicPage.rxConsumer)
  private val produces = pointers.writes(BasicPage.txProducer)
  private val whole = store.mask.andR
  private val isPointer = points(store.address) && store.address(11 downto 5) === 0 && (consumes || produces)
  private def sent(field: String) = WordFormat.expressTransmit.field(field).of(store.address.asBits)
  private val room = io.window.room(sent("QUEUE").asUInt(2 downto 0) @@ sent("PRIO").asUInt)
  private val roomless = sends(store.address) && !room
  private val sending, pointing = Stream(NoData())
  sending.valid := stores.valid && whole && sends(store.address) && room
  pointing.valid := stores.valid && whole && isPointer
  io.window.express.arbitrationFrom(sending)
  io.window.express.payload.queue := sent("QUEUE").asUInt
  io.window.express.tag := sent("TAG")
  io.window.express.dest := sent("DEST").asUInt
  io.window.express.high := sent("PRIO").asBool
  io.window.express.data := store.data
  io.window.pointer.arbitrationFrom(pointing)
  io.window.pointer.payload.queue := queue(store.address)
  io.window.pointer.consumer := consumes
  io.window.pointer.value := store.data.asUInt
  stores.ready := (!sending.valid || sending.ready) && (!pointing.valid || pointing.ready)
  // A packet of more dwords than the FIFO has places may lose some while aPs use the port.
  private val spilt = waits.isStall
  io.refused := RegNext(stores.fire && !sending.valid && !pointing.valid && !(whole && roomless) || spilt && !sends(waits.address)) init False
  private val lost = p.express.map { mine =>
    val count = Reg(UInt(16 bits)) init 0
    val here = stores.fire && whole && roomless && queue(store.address) === mine
    count := count + here.asUInt + (spilt && sends(waits.address) && queue(waits.address) === mine).asUInt
    mine -> count
  }

  // Loads -----------------------------------------------------------------------------------------------------------------
  private object Phase extends SpinalEnum { val PART, ASK, TAKE, POP, GIVE = newElement() }
  private val phase = RegInit(Phase.PART)
  private val address = Reg(BarAddress())
  private val left = Reg(UInt(6 bits))
  private val takes, took = Reg(Bool())
  private val word, meta = Reg(Bits(32 bits))
  private val kept = p.express.map(queue => queue -> (Reg(Bits(32 bits)) init 0))
  private val isMeta, isData = Bool()
  private val receive = new LoadDecode(address(2 downto 0), ExpressReceivePage)
  isMeta := receives(address) && address(11 downto 3) === 0 && receive.reads(ExpressReceivePage.meta)
  isData := receives(address) && address(11 downto 3) === 0 && receive.reads(ExpressReceivePage.data)
  private val asks = takes && (isMeta && !took || isData && left =/= 1 || points(address) && address(11 downto 5) === 0)
  private def ofQueue[T <: Data](values: Seq[(Int, T)], zero: T): T = values.foldLeft(zero) { case (rest, (q, value)) => Mux(queue(address) === q, value, rest) }

  io.window.query.valid := phase === Phase.ASK && asks
  io.window.query.basic := points(address)
  io.window.query.payload.queue := queue(address)
  io.window.query.word := address(4 downto 2)
  io.window.pop.valid := phase === Phase.POP
  io.window.pop.payload := queue(address)
  io.answer.part.payload := io.part.payload
  io.answer.part.valid := io.part.valid && phase === Phase.PART
  io.part.ready := io.answer.part.ready && phase === Phase.PART
  io.answer.data.valid := phase === Phase.GIVE
  io.answer.data.payload := word

  private val status = B(0, 32 bits)
  when(sends(address)) {
    val q = queue(address)(2 downto 0)
    status := ofQueue(lost, U(0, 16 bits)) ## B(0, 14 bits) ## io.window.room(q @@ U"1") ## io.window.room(q @@ U"0")
  }
  switch(phase) {
    is(Phase.PART) {
      address := io.part.address
      left := io.part.dwords
      takes := io.part.read.firstBe.andR && (io.part.read.descriptor.dwords === 1 || io.part.read.lastBe.andR)
      took := False
      when(io.part.fire)(phase := Phase.ASK)
    }
    is(Phase.ASK) {
      word := status
      when(isMeta && took)(word := meta)
      when(isData && takes)(word := ofQueue(kept, B(0, 32 bits)))
      when(!asks)(phase := Phase.GIVE) elsewhen (io.window.query.ready)(phase := Phase.TAKE)
    }
    is(Phase.TAKE) {
      val answer = io.window.answer
      val data = answer.message ? answer.data | B(0, 32 bits)
      word := isData ? data | answer.meta
      meta := answer.meta
      phase := Phase.GIVE
      when(isMeta || isData) {
        took := True
        for ((q, register) <- kept) when(queue(address) === q)(register := data)
        when(answer.message)(phase := Phase.POP)
      }
    }
    is(Phase.POP) {
      when(io.window.pop.ready)(phase := Phase.GIVE)
    }
    is(Phase.GIVE) {
      when(io.answer.data.ready) {
        address := address + 4
        left := left - 1
        phase := (left === 1) ? Phase.PART | Phase.ASK
      }
    }
  }
}
