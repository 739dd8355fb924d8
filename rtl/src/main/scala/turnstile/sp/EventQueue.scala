package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.contract._
import turnstile.registers.PageBlock

/** A FIFO in block RAM whose first element waits in a register: a push into an empty one shows at `pop` in the next cycle, what waits
  * behind a taken element one cycle after that: `pop.ready`, which is late, reaches one bit. Holds `depth` + 1. */
class HeadFifo[T <: Data](dataType: HardType[T], depth: Int) extends Component {
  val io = new Bundle {
    val push = slave(Stream(dataType()))
    val pop = master(Stream(dataType()))
    /** What will be at `pop` in the next cycle, when `moves`. */
    val coming = out(dataType())
    val moves = out Bool ()
    val occupancy = out(UInt(log2Up(depth + 2) bits))
  }
  private val store = new StreamFifo(dataType, depth, forFMax = true)
  private val full = RegInit(False)
  private val head = Reg(dataType())
  private val room = !full
  private val direct = store.io.occupancy === 0 && room

  store.io.push.valid := io.push.valid && !direct
  store.io.push.payload := io.push.payload
  io.push.ready := store.io.push.ready
  store.io.pop.ready := room
  full := full ? !io.pop.ready | (store.io.pop.valid || direct && io.push.valid)
  when(room)(head := io.coming)
  io.coming := store.io.pop.valid ? store.io.pop.payload | io.push.payload
  io.moves := room
  io.pop.valid := full
  io.pop.payload := head
  io.occupancy := store.io.occupancy.resize(log2Up(depth + 2)) + U(full)
}

/** The sP's three event FIFOs; `next` is the first of high, local, low that is enabled and not empty; its payload is zero
  * when there is none. `mode` is that of its page as of the cycle before it became the first of its FIFO, 0 for an event without a page.
  *
  * An event pushed in cycle 0 into an empty FIFO is `next` in cycle 1; a FIFO gives one in two cycles. Each FIFO has a copy of the pages' modes, read while an event
  * moves to its head.
  */
class EventQueue(p: SpParams) extends Component {
  val io = new Bundle {
    /** High messages, local events, low messages. */
    val push = Vec(slave(Stream(SiteEvent())), 3)
    val enable = in Bits (3 bits)
    val next = master(Stream(SiteEvent()))
    val mode = out UInt (log2Up(PageBlock.modes) bits)
    val counts = out(Vec(UInt(10 bits), 3))
    val pages = slave(Flow(PageMode(p.pages)))
    /** `pages` has told of every page since reset. */
    val known = in Bool ()
  }
  private val fifos = Seq(p.high, p.local, p.low).map(new HeadFifo(SiteEvent(), _))
  private val modes = for ((f, i) <- fifos.zipWithIndex) yield {
    f.io.push << io.push(i)
    io.counts(i) := f.io.occupancy.resized
    val copy = Mem(PageMode(p.pages).mode, p.pages)
    copy.write(io.pages.page, io.pages.mode, io.pages.valid)
    val read = copy.readSync(PageBlock.page(f.io.coming.arg, p.pages), f.io.moves)
    val known = RegNextWhen(io.known, f.io.moves) init False
    (known && PageBlock.has(f.io.pop.index)) ? read | U(0)
  }
  private val valids = B(fifos.map(_.io.pop.valid)) & io.enable
  private val choice = FirstOf(valids)
  io.next.valid := valids.orR
  io.next.payload := MuxOH.or(choice, fifos.map(_.io.pop.payload))
  io.mode := MuxOH.or(choice, modes)
  for ((f, i) <- fifos.zipWithIndex) f.io.pop.ready := choice(i) && io.next.ready
}
