package turnstile.translation

import spinal.core._
import spinal.lib._
import turnstile.bus.{BusParams, ClientOp}
import turnstile.contract.{FirstOf, RegPort}
import turnstile.registers.{DmaBlock, RegisterBank, TranslationBlock}

/** Pages that users name, translated and judged in hardware (BZ-36): 4 ways, `sets` sets; what it does not have it looks up by itself in tables in
  * DRAM ([[TableWalk]]).
  *
  *  - `look`: one line a cycle in all, lower ports first; the answer comes two cycles later. What misses is answered LATER, at once, so a miss holds
  *    nobody; a port's first miss is walked (`pending`), its next ones when they are asked again.
  *  - A page's first use, and its first use that writes, are marked in its table before the line is given, so a page entered for
  *    sending is looked up again for receiving.
  *  - TLB_FORGET: the page is not given any more from 5 cycles later on (all: `sets` + 3). What was given before is in use until `drained`, which
  *    whoever uses lines raises some time after `drains`: when it has nothing of before.
  *
  * `regs`: [[turnstile.registers.TranslationBlock]], and DmaBlock's counters, which grow by `counts`; reads answer the next cycle.
  */
class NiTlb(params: BusParams, ports: Int, sets: Int = 256) extends Component {
  require(isPow2(sets) && sets >= 8 && sets <= 4096, s"NI TLB: $sets sets, legal a power of two from 8 to 4096")
  val io = new Bundle {
    val look = Vec.fill(ports)(slave(Look()))
    val op = master(Stream(ClientOp()))
    val beat = slave(Flow(Bits(128 bits)))
    val write = master(Stream(Bits(128 bits)))
    val drains = out(Bool())
    val drained = in(Bool())
    val counts = in(Vec.fill(4)(UInt(2 bits)))
    val regs = slave(RegPort(8))
  }
  private val ways = 4
  private val setBits = log2Up(sets)
  private val bank = new RegisterBank(io.regs, DmaBlock, TranslationBlock)
  private val data = io.regs.command.data

  private def setOf(p: PageName): UInt = p.page(setBits - 1 downto 0) ^ (p.queue << (setBits - 3))
  private def tagOf(p: PageName): Bits = p.queue ## p.page(19 downto setBits)
  private val tagBits = 3 + 20 - setBits
  private val store = Seq.fill(ways)(Mem(PageEntry(tagBits), sets).addAttribute("no_rw_check").addAttribute("ram_style", "block"))

  // Look-ups: request, set read and compared, answer. The keeper has the port before them.
  private val asked = StreamArbiterFactory().lowerFirst.noLock.on(io.look.map(_.request))
  private val port = asked.valid ? OHToUInt(FirstOf(io.look.map(_.request.valid))) | U(0)
  private val keeper = new Area {
    val reads, writes = Bool()
    val page = PageName()
  }
  asked.ready := !keeper.reads && !keeper.writes
  private val set = keeper.reads ? setOf(keeper.page) | setOf(asked.payload.named)
  private val row = store.map(_.readSync(set))
  private val read = new Area {
    val valid = RegNext(asked.fire) init False
    val of = RegNext(asked.payload)
    val port = RegNext(NiTlb.this.port)
    val hits = row.map(e => e.valid && e.tag === tagOf(of.named))
    val hit = MuxOH(B(hits), row)
    val right = hit.rights(of.use.asBits.asUInt.resized)
    val unmarked = !hit.used || (Use.writes(of.use) && !hit.dirty)
  }
  private val answer = new Area {
    val valid = RegNext(read.valid) init False
    val port = RegNext(read.port)
    val of = RegNext(read.of)
    val line = RegNext(read.hit.frame @@ read.of.line(5 downto 0))
    val found = Reg(Found())
    found := Found.LEGAL
    when(read.unmarked)(found := Found.LATER)
    when(!read.right)(found := Found.REFUSED)
    when(!read.hits.orR)(found := Found.LATER)
  }
  private val missed = Vec.fill(ports)(Reg(LookRequest()))
  private val pending = Reg(Bits(ports bits)) init 0
  for ((look, i) <- io.look.zipWithIndex) {
    look.answer.valid := answer.valid && answer.port === i
    look.answer.found := answer.found
    look.answer.line := answer.line
    look.pending := pending(i)
    when(look.answer.valid && answer.found === Found.LATER && !pending(i)) {
      missed(i) := answer.of
      pending(i) := True
    }
  }

  // The keeper: one page at a time is looked up in its table and entered, or forgotten.
  private object State extends SpinalEnum {
    val IDLE, WALK, READ, ENTER, ALL = newElement()
  }
  private val state = RegInit(State.IDLE)
  private val walk = new TableWalk(params)
  private val walker = Reg(UInt(log2Up(ports) bits)) init 0
  private val job = Reg(PageName())
  private val entry = Reg(PageEntry(tagBits))
  entry.valid.init(False)
  private val counter = Reg(UInt(setBits bits)) init 0
  private val victim = Reg(UInt(2 bits)) init 0
  private val forget = new Area {
    val page = Reg(PageName())
    val all = RegInit(True)
    val given = RegInit(True)
    val works, drains = RegInit(False)
    val stored = bank.stores(TranslationBlock.forget)
    val busy = given || works || drains
    def field(name: String): Bits = TranslationBlock.forget.field(name).of(data)
  }
  private val turn = FirstOf(pending)
  walk.io.ask.valid := state === State.WALK
  walk.io.ask.payload := missed(walker)
  walk.io.regs.write.valid := bank.stores(TranslationBlock.first) || bank.stores(TranslationBlock.table) || bank.stores(TranslationBlock.pages)
  walk.io.regs.read := bank.index(TranslationBlock.first)
  walk.io.regs.write.payload.column := io.regs.command.address(6 downto 5)
  walk.io.regs.write.payload.data := data
  io.op << walk.io.op
  io.write << walk.io.write
  walk.io.beat << io.beat

  keeper.reads := state === State.READ
  keeper.writes := state === State.ENTER || state === State.ALL
  keeper.page := job
  private val same = B(row.map(e => e.valid && e.tag === tagOf(job)))
  private val free = ~B(row.map(_.valid))
  private val chosen = same.orR ? same | (free.orR ? FirstOf(free) | UIntToOh(victim))
  private val at = (state === State.ALL) ? counter | setOf(job)
  for ((way, i) <- store.zipWithIndex)
    way.write(at, entry, state === State.ALL || (state === State.ENTER && (entry.valid ? chosen(i) | same(i))))

  switch(state) {
    is(State.IDLE) {
      walker := OHToUInt(turn)
      entry.valid := False
      job := forget.page
      counter := 0
      when(forget.given) {
        forget.given := False
        forget.all := False
        forget.works := True
        state := forget.all ? State.ALL | State.READ
      } elsewhen (pending.orR) {
        state := State.WALK
      }
    }
    is(State.WALK) {
      job := missed(walker).named
      entry.valid := True
      entry.tag := tagOf(missed(walker).named)
      entry.frame := walk.io.done.frame
      entry.rights := walk.io.done.rights
      entry.used := walk.io.done.used
      entry.dirty := walk.io.done.dirty
      when(walk.io.done.valid)(state := State.READ)
    }
    is(State.READ)(state := State.ENTER)
    is(State.ENTER) {
      state := State.IDLE
      when(entry.valid) {
        pending(walker) := False
        victim := victim + 1
      }
    }
    is(State.ALL) {
      counter := counter + 1
      when(counter.andR)(state := State.IDLE)
    }
  }

  private val forgot = (state === State.ENTER && !entry.valid) || (state === State.ALL && counter.andR)
  io.drains := RegNext(forget.drains, init = False) && forget.drains
  when(io.drains && io.drained)(forget.drains := False)
  when(forgot) {
    forget.works := False
    forget.drains := True
  }
  when(forget.stored) {
    forget.given := True
    forget.all := forget.field("ALL").asBool || forget.busy
    forget.drains := False
    forget.page.queue := forget.field("QUEUE").asUInt
    forget.page.page := forget.field("PAGE").asUInt
  }

  bank.read(TranslationBlock.forget)(forget.busy.asBits << 4)
  bank.read(TranslationBlock.first)(walk.io.regs.first)
  bank.read(TranslationBlock.table)(walk.io.regs.table)
  bank.read(TranslationBlock.pages)(walk.io.regs.pages)
  bank.read(TranslationBlock.entries)(B(ways * sets, 32 bits))
  bank.read(DmaBlock.unit)(B(2, 32 bits))
  private def counts(register: turnstile.registers.Register, by: UInt): Unit = {
    val count = Reg(UInt(32 bits)) init 0
    count := count + by
    bank.read(register)(count.asBits)
  }
  counts(TranslationBlock.looks, RegNext(U(asked.fire)) init 0)
  counts(TranslationBlock.walks, RegNext(U(walk.io.done.valid)) init 0)
  for ((register, i) <- Seq(DmaBlock.transfers, DmaBlock.refused, DmaBlock.foreign, DmaBlock.stray).zipWithIndex)
    counts(register, RegNext(io.counts(i)) init 0)
}
