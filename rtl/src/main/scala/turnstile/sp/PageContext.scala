package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.registers.PageBlock

/** Attributes of the pages, and what they say of the block that the current event is about (BZ-05, VY-45).
  *
  * `attributes` and `state` follow `event` in the next cycle and stay. From the rise of `restart` (the sP's reset) on all are
  * cleared, a page a cycle: until then `known` is low and a store to the attributes must wait. The state's address is a bit-wise or: states of a page are aligned to their
  * sum.
  *
  * @param pages of the heap
  */
class PageContext(pages: Int) extends Component {
  val io = new Bundle {
    val restart = in Bool ()
    val known = out Bool ()
    val page = in UInt (log2Up(pages) bits)
    val data = in Bits (32 bits)
    val writeAttributes, writeState = in Bool ()
    /** Argument of the event that is taken. */
    val event = slave(Flow(Bits(32 bits)))
    val attributes = out(PageAttributes())
    val state = out UInt (32 bits)
    val modes = master(Flow(PageMode(pages)))
  }
  private val clearing = RegInit(True)
  private val cleared = Reg(UInt(log2Up(pages) bits)) init 0
  cleared := clearing ? (cleared + 1) | U(0)
  when(cleared.andR)(clearing := False)
  when(io.restart.rise(initAt = True)) {
    clearing := True
    cleared := 0
  }
  io.known := !clearing

  // An access of the sP reads or writes, and no page is open while they are cleared.
  private val attributes = Mem(PageAttributes(), pages).addAttribute("no_rw_check")
  private val states = Mem(UInt(32 bits), pages).addAttribute("no_rw_check")
  private val written = PageAttributes()
  for ((to, from) <- written.elements.map(_._2) zip PageBlock.attributes.fields) to.assignFromBits(from.of(io.data))
  when(clearing)(written := written.getZero)
  private val page = clearing ? cleared | io.page
  attributes.write(page, written, io.writeAttributes || clearing)
  states.write(io.page, io.data.asUInt, io.writeState)
  io.modes.valid := io.writeAttributes || clearing
  io.modes.page := page
  io.modes.mode := written.mode

  private val asked = PageBlock.page(io.event.payload, pages)
  io.attributes := attributes.readSync(asked, io.event.valid)
  private val line = RegNextWhen(io.event.payload(11 downto 6).asUInt, io.event.valid)
  private val block = line |>> io.attributes.size
  io.state := states.readSync(asked, io.event.valid) | (block.resize(13 bits) |<< io.attributes.stateShift).resize(32 bits)
}
