package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusOp, SnoopRequest}
import turnstile.contract._
import turnstile.registers.{AddressMap, ApBlock, BasicPage, StoreDecode, WordFormat}

/** A beat of a write that is kept for the sP: op, and where the beat lies in its line. */
case class KeptBeat() extends Bundle {
  val address = UInt(32 bits)

  /** `master4[3:0] op4[7:4] mask16[31:16]`; the mask is all ones for a line. */
  val info = Bits(32 bits)
  val index = UInt(2 bits)
  val data = Bits(128 bits)
}

/** Claimed stores wait here for their data, which comes in verdict order; each takes effect the cycle after its beat: an Express
  * message, a Basic pointer, a value of an aP, or (`keep`, in the cycle of the beat) a write for the scratch.
  */
class SlaveStores extends Component {
  val io = new Bundle {
    val store = slave(Flow(SnoopRequest()))
    val beat = slave(Stream(Fragment(Bits(128 bits))))
    val express = master(Flow(ExpressTx()))
    val pointer = master(Flow(PointerWrite()))
    val console = master(Flow(ApValue(8)))
    val exit, mark = master(Flow(ApValue(32)))
    val keep = master(Flow(Fragment(KeptBeat())))
  }
  private val waiting = new StreamFifo(SnoopRequest(), 8, withAsyncRead = true)
  waiting.io.push.valid := io.store.valid
  waiting.io.push.payload := io.store.payload
  assert(!io.store.valid || waiting.io.push.ready, "more claimed stores than masters", FAILURE)
  private val store = waiting.io.pop.payload
  private val comes = io.beat.valid && waiting.io.pop.valid
  io.beat.ready := waiting.io.pop.valid
  waiting.io.pop.ready := comes && io.beat.last

  private val target = SlaveWindows.target(store.address)
  private val queue = SlaveWindows.queue(target, store.address)
  private val sends = target === SlaveTarget.EXPRESS_SEND
  private def effect(condition: Bool): Bool = RegNext(comes && condition) init False
  private val ap = RegNext(SlaveWindows.ap(store.master))
  private val word = RegNext(io.beat.fragment.subdivideIn(32 bits)(store.address(3 downto 2)))
  private val address = RegNext(store.address)
  private val storedQueue = RegNext(queue)

  io.express.valid := effect(sends)
  io.express.payload.queue := storedQueue
  private def sent(field: String) = WordFormat.expressTransmit.field(field).of(address.asBits)
  io.express.tag := sent("TAG")
  io.express.dest := sent("DEST").asUInt
  io.express.high := sent("PRIO").asBool
  io.express.data := word
  private val pointers = new StoreDecode(store.address(4 downto 0), BasicPage)
  private val consumes = pointers.writes(BasicPage.rxConsumer)
  io.pointer.valid := effect(target === SlaveTarget.BASIC && (consumes || pointers.writes(BasicPage.txProducer)))
  io.pointer.payload.queue := storedQueue
  io.pointer.consumer := RegNext(consumes)
  io.pointer.value := word.asUInt
  private val page = new StoreDecode(store.address(log2Up(AddressMap.pageBytes) - 1 downto 0), ApBlock)
  for ((port, register) <- Seq(io.console -> ApBlock.console, io.exit -> ApBlock.exit, io.mark -> ApBlock.mark)) {
    port.valid := effect(target === SlaveTarget.REGISTER && page.writes(register))
    port.ap := ap
    port.value := word.resized
  }

  private val partial = BusOp.partial(store.op)
  private val beatIndex = Reg(UInt(2 bits)) init 0
  when(io.keep.valid)(beatIndex := io.beat.last ? U(0, 2 bits) | (beatIndex + 1))
  io.keep.valid := comes && target === SlaveTarget.SCRATCH
  io.keep.last := io.beat.last
  io.keep.fragment.address := store.address
  io.keep.fragment.info := (partial ? store.mask | B(0xffff, 16 bits)) ## B(0, 8 bits) ## store.op.asBits.resize(4 bits) ## store.master
  io.keep.fragment.index := partial ? store.address(5 downto 4) | beatIndex
  io.keep.fragment.data := io.beat.fragment
}
