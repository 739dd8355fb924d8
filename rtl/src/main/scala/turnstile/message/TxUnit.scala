package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.Vc

/** Transmit engine: choice among sources, translation, packet (VY-33, VY-40, VY-42). It knows sources by their list alone.
  *
  * From a job offered to its first flit on the link 3 cycles: t chosen, row addressed; t+1 header made; t+2 from a register into
  * the link sender; t+3 on the link. A message without body takes two flits of its virtual channel; the choice is made once a
  * cycle for both channels, high first, by rank, then in turn. A channel without credits stops no other.
  *
  * `loop` has the packets for the own site, `packets` all others.
  */
class TxUnit(sources: Seq[TxSource]) extends Component {
  val io = new Bundle {
    val siteId = in(UInt(6 bits))
    val sources = Vec.fill(TxUnit.this.sources.size)(slave(TxPort()))
    val names = slave(RegPort(15))
    val packets = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val loop = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val fault = master(Flow(TxFault()))
    val paced = master(Flow(UInt(4 bits)))
  }

  private val table = new NameTable
  table.io.regs <> io.names
  private val builders = for (vc <- 0 until Vc.count) yield new PacketBuilder(vc)

  // A source whose body a builder still draws is not asked for another message.
  private val owner = Vec.fill(Vc.count)(Reg(Bits(sources.size bits)) init 0)
  private val drawn = (owner zip builders).map { case (o, builder) => builder.io.draws ? o | B(0, sources.size bits) }.reduce(_ | _)
  private val heads = io.sources.map(_.job)
  private val asks = B(heads.map(_.valid)) & ~drawn
  private val goesHigh = B((sources zip heads).map { case (source, job) => source.goesHigh(job.payload) })

  /** One of `requests`: the lowest rank that asks, in it the first after the last winner. */
  private def pick(requests: Bits, after: Bits): Bits = {
    val ranks = sources.map(_.rank).distinct.sorted.map(rank => requests & B(sources.map(s => Bool(s.rank == rank))))
    val best = ranks.reduceRight((first, later) => first.orR ? first | later)
    FirstOf(best, after)
  }
  private val after = Vec.fill(Vc.count)(Reg(Bits(sources.size bits)) init 0)
  private val requests = Seq(asks & ~goesHigh, asks & goesHigh)
  private val high = requests(Vc.high).orR && builders(Vc.high).io.job.ready
  private val low = requests(Vc.low).orR && builders(Vc.low).io.job.ready
  private val choose = high || low
  private val vc = high.asUInt
  private val choice = high ? pick(requests(Vc.high), after(Vc.high)) | pick(requests(Vc.low), after(Vc.low))
  private val job = MuxOH(choice, heads.map(_.payload))
  for ((head, i) <- heads.zipWithIndex) {
    head.ready := choose && choice(i)
    assert(!head.fire || sources(i).speaksFor(head.payload.queue), s"${sources(i).name} speaks for a queue that is not its own", FAILURE)
  }
  when(choose) {
    after(vc) := FirstOf.above(choice)
    owner(vc) := choice
  }
  table.io.look.valid := choose
  table.io.look.payload := job.queue @@ job.dest

  private val bodies = io.sources.map(_.body)
  for (body <- bodies) body.ready := False
  for ((builder, vc) <- builders.zipWithIndex) {
    builder.io.siteId := io.siteId
    builder.io.job.valid := (if (vc == Vc.high) high else low && !high)
    builder.io.job.payload := job
    builder.io.row := table.io.row
    builder.io.body.valid := (owner(vc) & B(bodies.map(_.valid))).orR
    builder.io.body.payload := MuxOH(owner(vc), bodies.map(_.payload))
    for ((body, i) <- bodies.zipWithIndex) when(owner(vc)(i) && builder.io.body.ready) {
      body.ready := True
    }

    val flit = builder.io.output.translateWith(TupleBundle(builder.io.output.payload, builder.io.own)).s2mPipe().m2sPipe()
    val ways = StreamDemux(flit.translateWith(flit._1), flit._2.asUInt, 2)
    io.packets(vc) << ways(0)
    io.loop(vc) << ways(1)
  }

  io.paced.valid := builders.map(_.io.paced.valid).orR
  io.paced.payload := builders(Vc.high).io.paced.valid ? builders(Vc.high).io.paced.payload | builders(Vc.low).io.paced.payload

  // The choice starts one job a cycle and a fault follows its choice by two, so both channels never fault at once.
  io.fault.valid := builders.map(_.io.fault.valid).orR
  io.fault.payload := builders(Vc.high).io.fault.valid ? builders(Vc.high).io.fault.payload | builders(Vc.low).io.fault.payload
}
