package turnstile.message

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.network.Vc

/** Express transmit queues (VY-22, VY-24): two sources of the transmit engine, `jobs`, one for each virtual channel.
  *
  * A FIFO for each queue and priority. Within a channel queues take turns, a queue's high messages first. The choice is made in
  * front of a register, so a message stored in cycle t is offered in t+1 when nothing older of its channel waits; a channel
  * offers one every two cycles, as many as a link takes.
  */
class ExpressSend(params: MessageParams) extends Component {
  val io = new Bundle {
    val sp = slave(Stream(ExpressTx()))

    /** Stores of aPs: accepted on the bus already. */
    val window = slave(Flow(ExpressTx()))
    val jobs = Vec.fill(Vc.count)(master(Stream(TxJob())))

    /** Transmit queues that send nothing now. */
    val hold = in(Bits(Queues.express.size bits))

    /** `WindowPort.room`. */
    val room = out(Bits(2 * Queues.express.size bits))

    /** Free entries of queue 0: `high[31:16] low[15:0]`. */
    val free = out(Bits(32 bits))

    /** A store of the sP to a Basic queue. */
    val fault = master(Flow(TxFault()))
  }

  // One push a cycle, those of aPs first. A queue of aPs keeps its room for their accepted stores, and one that is on its way.
  private val sp = io.sp.s2mPipe()
  private val pushed = io.window.valid ? io.window.payload | sp.payload
  private val wrong = !Queues.express.map(sp.payload.queue === _).orR
  private val push = io.window.valid || (sp.fire && !wrong)

  private val channels = for (vc <- 0 until Vc.count) yield new Area {
    val members = for (queue <- Queues.express; high <- Seq(false, true) if (high && Queues.mayHigh(queue)) == (vc == Vc.high)) yield (queue, high)
    val fifo = new MultiQueue(HardType(ExpressEntry()), members.size, params.expressDepth, params.aps + 2)
    val goes = B(members.map { case (queue, high) => pushed.queue === queue && pushed.high === Bool(high) })
    val queues = members.map(_._1).distinct

    // Its turn: queues after the last one first; within a queue its high FIFO, which follows its low one in the list.
    val after = Reg(Bits(queues.size bits)) init 0
    def ofQueue(queue: Int) = members.indices.filter(members(_)._1 == queue)
    val asks = B(queues.map(queue => ofQueue(queue).map(fifo.io.occupied(_)).orR && !io.hold(queue)))
    val turn = FirstOf(asks, after)
    val chosen = B(members.zipWithIndex.map { case ((queue, high), i) =>
      val first = ofQueue(queue).filter(_ > i).map(fifo.io.occupied(_)).fold(False)(_ || _)
      turn(queues.indexOf(queue)) && fifo.io.occupied(i) && !first
    })

    // What may not go at once is on its way to its FIFO in the next cycle, if it may not go then.
    val way = Reg(Flow(ExpressTx()))
    val wayGoes = Reg(Bits(members.size bits))
    way.valid.init(False)
    def held(goes: Bits) = (goes & B(members.map { case (queue, _) => io.hold(queue) })).orR

    val full = RegInit(False)
    val job = Reg(TxJob())
    val idle = !full && !asks.orR
    val load = !full && asks.orR
    val late = way.valid && idle && !held(wayGoes)
    val direct = push && goes.orR && idle && !way.valid && !held(goes)
    full := (full && !io.jobs(vc).ready) || load || late || direct
    way.valid := push && goes.orR && !direct
    way.payload := pushed
    wayGoes := goes
    // The memory is looked at while nothing is offered, chosen or not: its enable waits for no choice.
    fifo.io.look.valid := !full
    fifo.io.look.payload := chosen
    // What was chosen leaves its queue a cycle later: until then nothing is chosen.
    fifo.io.pop.valid := RegNext(load) init False
    fifo.io.pop.payload := OHToUInt(RegNext(chosen))
    fifo.io.push.valid := way.valid && !late
    fifo.io.push.queue := OHToUInt(wayGoes)
    fifo.io.push.entry.dest := way.dest
    fifo.io.push.entry.tag := way.tag
    fifo.io.push.entry.data := way.data
    when(load) {
      after := FirstOf.above(turn)
    }
    when(!full) {
      val next = way.valid ? way.payload | pushed
      job.queue := load ? MuxOH(chosen, members.map { case (queue, _) => U(queue, 4 bits) }) | next.queue
      job.high := load ? MuxOH(chosen, members.map { case (_, high) => Bool(high) }) | next.high
      job.dest := next.dest
      job.tag := next.tag
      job.word := next.data
      job.setExpress(tagOn = U(0, 2 bits))
    }
    // What the queue's memory holds of a loaded message comes with the register.
    val loaded = RegNextWhen(load, !full)
    io.jobs(vc).valid := full
    io.jobs(vc).payload := job
    when(loaded) {
      io.jobs(vc).dest := fifo.io.head.dest
      io.jobs(vc).tag := fifo.io.head.tag
      io.jobs(vc).word := fifo.io.head.data
    }
  }

  private def of[T](queue: Int, high: Boolean)(get: (MultiQueue[ExpressEntry], Int) => T): T = {
    val channel = channels(if (high && Queues.mayHigh(queue)) Vc.high else Vc.low)
    get(channel.fifo, channel.members.indexOf((queue, high)))
  }
  private val all = for (queue <- Queues.express; high <- Seq(false, true)) yield (queue, high)
  io.room := B(all.map { case (queue, high) => of(queue, high)((fifo, i) => fifo.io.room(i)) })
  private def freeOf(high: Boolean) = of(0, high)((fifo, i) => (U(params.expressDepth) - fifo.io.used(i)).resize(16 bits))
  io.free := freeOf(high = true) ## freeOf(high = false)

  private val fits = B(all.map { case (queue, high) =>
    of(queue, high)((fifo, i) => if (Queues.ofSp.contains(queue)) !fifo.io.full(i) else fifo.io.room(i))
  })
  sp.ready := wrong || (!io.window.valid && !channels.map(_.way.valid).orR && fits(sp.payload.queue.resize(3 bits) @@ sp.high))
  io.fault.valid := sp.valid && wrong
  io.fault.queue := sp.payload.queue
  io.fault.dest := sp.dest
  io.fault.tag := sp.tag
  io.fault.high := sp.high
  io.fault.malformed := True
  io.fault.word := sp.data
}
