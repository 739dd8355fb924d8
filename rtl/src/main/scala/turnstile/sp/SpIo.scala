package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.bus.BusMasterPort
import turnstile.contract._
import turnstile.registers._

/** Everything of the sP's address space that is not RAM (contract §5): its registers, Express transmit, slots, DRAM.
  *
  * Stores take one cycle; they wait for a full command or Express FIFO, and launches and Express stores for a DRAM store
  * under way (what they tell others must be true). Loads of registers and handler addresses answer in the next cycle, of
  * slots in the one after it, of registers in other units (`regs`) 2 + `regLatency` cycles later (their words come from far), of DRAM when
  * the bus has answered.
  * One load at a time: `access` is not ready while one is unanswered, but in the cycle of its answer. Registers are words:
  * a narrower store writes the whole word.
  */
class SpIo(p: SpParams) extends Component {
  val io = new Bundle {
    val access = slave(Stream(SpAccess()))
    val reply = master(Flow(SpReply()))
    /** No load waits for an answer, but for one of this cycle: what is asked for now may be the next. */
    val free = out Bool ()
    val blocked = out Bool ()
    val push = Vec(slave(Stream(SiteEvent())), 3)
    val taken = master(Flow(SiteEvent()))
    val bus = master(BusMasterPort())
    val express = master(Stream(ExpressTx()))
    val command = master(Stream(NiuCommand()))
    val engine = in(EngineStatus())
    val slot = master(SlotPort())
    val regs = master(RegPort(20))
    val console = master(Flow(Bits(8 bits)))
    val trap = master(Flow(Bits(32 bits)))
    val apRun = out Bits (p.aps bits)
    val txFree = in(TxFree())
    val siteId = in UInt (6 bits)
    val sites = in UInt (7 bits)
    /** The sP starts anew: no page is open. */
    val restart = in Bool ()
    /** A store the sP's RAMs refused: its address. */
    val refused = slave(Flow(UInt(32 bits)))
  }

  // Where the access goes -----------------------------------------------------------------------------------------------
  private val a = io.access
  private val offset = a.address(19 downto 0)
  private val toDram = AddressMap.spBus.has(a.address)
  private val toRegister = AddressMap.spRegisters.has(a.address)
  private val toExpress = AddressMap.spExpress.has(a.address) && a.write
  private val toSlot = AddressMap.spSlots.has(a.address) && !a.write
  private val own = new RegisterDecode(offset, RegisterMaps.ownOfSp(p.pages): _*)
  private val foreign = toRegister && !own.any
  private def stores(r: Register): Bool = toRegister && a.write && own.writes(r)
  private val launching = stores(CommandBlock.launch)
  private val askingHome = stores(EventBlock.askHome)
  private val sending = toExpress || askingHome
  private val opening = stores(PageBlock.attributes)
  private val nowhere = !toDram && !toRegister && !toExpress && !toSlot

  private val pending = RegInit(False)
  private val free = !pending || io.reply.valid
  io.free := free
  // What never stalls must not look at the ready of what may.
  private val calm = a.valid && free

  // Events --------------------------------------------------------------------------------------------------------------
  private val events = new EventQueue(p)
  events.io.enable := (RegNextWhen(a.data(2 downto 0), calm && stores(EventBlock.enable)) init 7)
  private val taking = toRegister && !a.write && own.reads(EventBlock.next)
  private val asks = a.valid && taking
  private val waited = Reg(UInt(log2Up(p.waitCycles) bits)) init 0
  private val given = SiteEvent()
  given := events.io.next.payload
  when(!events.io.next.valid)(given.index := EventIndex.idle)
  private val answerable = events.io.next.valid || waited === p.waitCycles - 1 || !a.patient
  waited := (asks && a.patient && !answerable) ? (waited + 1) | U(0)
  private val take = asks && free && answerable
  events.io.next.ready := take
  private val current = RegNextWhen(given, take)
  private val renames = calm && stores(EventBlock.arg)
  when(renames)(current.arg := a.data)
  when(calm && stores(EventBlock.meta))(current.meta := a.data)
  private val context = new PageContext(p.pages)
  context.io.restart := io.restart
  context.io.page := own.index(PageBlock.attributes).resized
  if (p.pages > PageBlock.pages) context.io.page(log2Up(p.pages) - 1 downto log2Up(PageBlock.pages)) :=
    RegNextWhen(a.data(log2Up(p.pages / PageBlock.pages) - 1 downto 0).asUInt, calm && stores(PageBankBlock.bank))
  context.io.data := a.data
  context.io.writeAttributes := calm && opening && context.io.known
  context.io.writeState := calm && stores(PageBlock.state)
  context.io.event.valid := take || renames
  context.io.event.payload := a.write ? a.data | given.arg
  events.io.pages << context.io.modes
  events.io.known := context.io.known
  io.taken.valid := take
  io.taken.payload := given
  io.blocked := asks && !answerable

  // DRAM, other units, what stalls --------------------------------------------------------------------------------------
  private val dram = new DramWindow
  private val ordered = !dram.io.busy
  private val commands = new CommandRegisters
  io.bus <> dram.io.bus
  a.ready := free && !(taking && !answerable) && !(launching && !(commands.io.launch.ready && ordered)) &&
    !(sending && !(io.express.ready && ordered)) && !(toDram && !dram.io.access.ready) && !(opening && !context.io.known)
  dram.io.access.valid := calm && toDram
  dram.io.access.payload := a.payload

  io.express.valid := calm && sending && ordered
  private def sent(field: String) = WordFormat.expressTransmit.field(field).of(a.address.asBits)
  io.express.payload.queue := sent("QUEUE").asUInt
  io.express.tag := sent("TAG")
  io.express.dest := sent("DEST").asUInt
  io.express.high := sent("PRIO").asBool
  io.express.data := a.data
  when(askingHome) {
    io.express.payload.queue := 0
    io.express.tag := own.index(EventBlock.askHome).asBits
    io.express.dest := context.io.attributes.home @@ U"000"
    io.express.high := False
  }

  commands.io.launch.valid := calm && launching && ordered
  commands.io.op.assignFromBits(own.index(CommandBlock.launch).asBits)
  commands.io.address := a.data.asUInt
  commands.io.data := a.data
  commands.io.writeCtrl := calm && stores(CommandBlock.ctrl)
  commands.io.writeDest := calm && stores(CommandBlock.dest)
  commands.io.writeWord := calm && stores(CommandBlock.word)
  commands.io.askedLines := io.slot.lines
  commands.io.meta := current.meta
  commands.io.page := context.io.attributes
  io.command << commands.io.command

  io.slot.read.valid := calm && toSlot
  io.slot.read.payload := a.address(12 downto 4)
  io.slot.free.valid := False
  io.slot.free.payload := 0
  io.slot.asked := commands.io.askedSlot

  io.regs.command.valid := RegNext(calm && foreign) init False
  io.regs.command.write := RegNext(calm && foreign && a.write) init False
  io.regs.command.address := RegNextWhen(offset, free)
  io.regs.command.data := RegNextWhen(a.data, free)

  // Own registers -------------------------------------------------------------------------------------------------------
  private val arms = calm && stores(SiteBlock.timer)
  private val now = Reg(UInt(64 bits)) init 0
  now := now + 1
  private val asksTime = own.reads(SiteBlock.timeLo)
  private val nowHigh = RegNextWhen(now(63 downto 32), calm && toRegister && asksTime)
  private val alarm = RegNextWhen(a.data.asUInt, arms)
  private val armed = RegInit(False)
  private val due = armed && !(now(31 downto 0) - alarm).msb
  private val run = RegNextWhen(a.data(p.aps - 1 downto 0), calm && stores(SiteBlock.apRun)) init 0
  io.apRun := run
  io.console.valid := calm && stores(SiteBlock.console)
  io.console.payload := a.data(7 downto 0)
  io.trap.valid := calm && stores(SiteBlock.trap)
  io.trap.payload := a.data

  // At mode * 128 + event; those of mode 0 are HANDLER's.
  private val handlers = Mem(Bits(AddressMap.instructionRam.bits bits), PageBlock.modes * EventBlock.handler.count)
  private val handlerIndex = own.index(EventBlock.handler).resize(handlers.addressWidth)
  private val (pageMode, pageEvent) = own.index(PageBlock.handler).splitAt(6)
  private val asksHandler = own.reads(EventBlock.handler)
  private val storesPage = stores(PageBlock.handler)
  handlers.write(storesPage ? (pageMode ## B(0, 1 bits) ## pageEvent).asUInt | handlerIndex, a.data(AddressMap.instructionRam.bits - 1 downto 0),
    calm && (stores(EventBlock.handler) || storesPage && pageMode =/= 0))
  private val handlerAddress = handlers.readSync(taking ? (events.io.mode @@ given.index) | handlerIndex)

  // Answers: which register is held, its word is taken in the next cycle. Whether the access may go on is known too late to say so. ---
  private val loads = calm && !a.write && (!taking || answerable) && (!toDram || dram.io.access.ready)
  private def ofAccess[T <: Data](value: T): T = RegNextWhen(value, free)
  private val askedWord = ofAccess(offset(3 downto 2))
  private val fromHandlers = ofAccess(taking || toRegister && asksHandler)
  private val fromSlot = ofAccess(toSlot)
  private val fromForeign = ofAccess(foreign)
  private val refused = ofAccess(nowhere)
  private val age = Reg(UInt(3 bits))
  pending := loads || pending && !io.reply.valid
  age := free ? U(0) | age + 1
  private val quick = RegInit(False)
  quick := loads && !toDram && !foreign && !toSlot
  // Words that come from far, and late in the cycle, take another.
  private val slotThere = pending && fromSlot && age === 0
  private val foreignThere = pending && fromForeign && age === p.regLatency
  private val slow = RegNext(slotThere || foreignThere) init False
  private val slowWord = RegNext(slotThere.mux(io.slot.data.subdivideIn(32 bits)(askedWord), B(0)) | foreignThere.mux(io.regs.data, B(0)))

  private val counts = events.io.counts
  // Of the page: registers, for a load comes a cycle after the event at the earliest and its answer two.
  private val words = Seq(
    own.reads(EventBlock.state) -> RegNext(context.io.state).asBits, own.reads(EventBlock.page) -> RegNext(context.io.attributes).asBits,
    own.reads(EventBlock.arg) -> current.arg, own.reads(EventBlock.meta) -> current.meta,
    own.reads(EventBlock.count) -> (counts(0) ## counts(1) ## counts(2)), own.reads(EventBlock.enable) -> events.io.enable,
    own.reads(EventBlock.depth) -> (B(p.high, 10 bits) ## B(p.local, 10 bits) ## B(p.low, 10 bits)),
    own.reads(CommandBlock.ctrl) -> commands.io.ctrl, own.reads(CommandBlock.dest) -> commands.io.dest,
    own.reads(CommandBlock.word) -> commands.io.word,
    own.reads(CommandBlock.status) -> (io.engine.waits.asBits ## io.engine.op.asBits ## io.engine.busy ## io.engine.free),
    own.reads(SiteBlock.txFree) -> (io.txFree.high ## io.txFree.low), asksTime -> now(31 downto 0).asBits,
    own.reads(SiteBlock.timeHi) -> nowHigh.asBits, own.reads(SiteBlock.timer) -> alarm.asBits,
    own.reads(SiteBlock.siteId) -> io.siteId.asBits, own.reads(SiteBlock.sites) -> io.sites.asBits,
    own.reads(SiteBlock.aps) -> B(p.aps, 3 bits), own.reads(SiteBlock.apRun) -> run)
  private val plain = words.map { case (here, value) => ofAccess(here && toRegister) ? value.resize(32) | B(0, 32 bits) }.reduce(_ | _)
  io.reply.valid := quick || slow || dram.io.reply.valid
  io.reply.error := dram.io.reply.valid ? dram.io.reply.error | quick && refused
  // The block RAM's word comes last.
  io.reply.data := plain | slowWord | dram.io.reply.valid.mux(dram.io.reply.data, B(0)) | fromHandlers.mux(handlerAddress.resize(32), B(0))

  // Own events: the timer, then stores that nobody took -----------------------------------------------------------------
  private val timer = Stream(SiteEvent())
  timer.valid := due
  timer.index := EventIndex.timer
  timer.arg := alarm.asBits
  timer.meta := 0
  armed := arms || armed && !timer.fire
  private val lost = new LostStores(sources = 3, who = 4)
  private val unanswered = Flow(UInt(32 bits))
  unanswered.valid := calm && a.write && nowhere
  unanswered.payload := a.address
  for ((to, from) <- lost.io.lost zip Seq(io.refused, dram.io.storeError, unanswered)) to << from.stage()
  events.io.push(0) << io.push(0)
  events.io.push(1) << StreamArbiterFactory().lowerFirst.noLock.onArgs(timer, lost.io.event, io.push(1))
  events.io.push(2) << io.push(2)
}
