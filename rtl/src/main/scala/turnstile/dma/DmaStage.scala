package turnstile.dma

import spinal.core._
import spinal.lib._
import turnstile.message.{Queues, RxPort}
import turnstile.network.Vc

/** A packet of a transfer that lies in its place whole and undamaged. */
case class DmaPacket() extends Bundle {
  val queue = UInt(3 bits)

  /** A Basic queue holds the name it came for, and it has a body. */
  val known = Bool()
  val source = UInt(9 bits)
  val mark = DmaMark()

  /** The last of its transfer; its first flit is `word`, and all there is. */
  val end = Bool()
  val word = Bits(64 bits)
  val flits = UInt(5 bits)
  val target = UInt(32 bits)
  val place = UInt(2 bits)
}

/** The sink of packets of DMA: four places of 32 flits for what transfers bring, on channel low; on channel high come answers to this site's transfers,
  * which need no place.
  *
  * A packet is at `packets` the cycle after its tail. The fifth waits, and its channel with it, until a place is free. A beat of a place comes the cycle after `read`.
  */
class DmaStage extends Component {
  val io = new Bundle {
    val port = slave(RxPort())
    val packets = master(Stream(DmaPacket()))
    val answer = master(Flow(DmaEnd()))
    val read = slave(Flow(UInt(6 bits)))
    val beat = out(Bits(128 bits))

    /** The oldest packet's place is free again. */
    val frees = in(Bool())
  }
  private val places = 4
  private val port = io.port
  private val (low, high) = (port.packet(Vc.low), port.packet(Vc.high))
  private val lanes = Seq.fill(2)(Mem(Bits(64 bits), places * 16).addAttribute("no_rw_check").addAttribute("ram_style", "block"))
  private val place = Reg(UInt(2 bits)) init 0
  private val held = Reg(UInt(3 bits)) init 0
  private val body = port.body
  private val comes = body.valid && body.vc === Vc.low
  for ((lane, i) <- lanes.zipWithIndex) lane.write(place @@ body.index(4 downto 1), body.data, comes && body.index(0) === Bool(i == 1))
  io.beat := Cat(lanes.map(_.readSync(io.read.payload, io.read.valid)))
  port.alwaysOpen()
  port.ready := True ## (held =/= places)

  private val came = Stream(DmaPacket())
  came.valid := port.end.valid && port.end.vc === Vc.low
  came.payload.queue := low.queue(2 downto 0)
  came.known := low.queue >= Queues.basic.head && low.header.body =/= 0
  came.source := low.header.source
  came.mark := DmaMark.of(low.header.tag.asBits, low.aux.length)
  came.end := low.aux.high
  came.word := RegNextWhen(body.data, comes && body.index === 0)
  came.flits := low.header.body
  came.target := port.end.word.asUInt
  came.place := place
  io.packets << came.queueLowLatency(places, latency = 1)
  assert(!came.valid || came.ready, "DMA: a packet without a place", FAILURE)
  when(came.valid)(place := place + 1)
  when(came.valid =/= io.frees)(held := io.frees ? (held - 1) | (held + 1))

  io.answer.valid := RegNext(port.end.valid && port.end.vc === Vc.high && high.queue >= Queues.basic.head) init False
  io.answer.id.queue := RegNext(high.queue(2 downto 0))
  io.answer.id.entry := RegNext(DmaMark.of(high.header.tag.asBits, high.aux.length).entry)
  io.answer.status := RegNext(port.end.word(2 downto 0).asUInt)
}
