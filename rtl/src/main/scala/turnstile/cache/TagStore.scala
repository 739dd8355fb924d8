package turnstile.cache

import spinal.core._
import spinal.lib._

/** A line as the tags know it. */
case class TagEntry(p: DataCacheParams) extends Bundle {
  val state = Mesi()
  val tag = UInt(p.tagWidth bits)
}

/** `way` and `state` count only with `hit`. */
case class TagLookup(p: DataCacheParams) extends Bundle {
  val hit = Bool()
  val way = UInt(p.wayWidth bits)
  val state = Mesi()

  def writable: Bool = hit && (state === Mesi.EXCLUSIVE || state === Mesi.MODIFIED)
  def dirty: Bool = hit && state === Mesi.MODIFIED
}

/** A question to the tags: master asks with a line's address; the answer is combinational, but for the CPU's ([[TagStore]]). */
case class TagPort(p: DataCacheParams) extends Bundle with IMasterSlave {
  val line = UInt(26 bits)
  val found = TagLookup(p)

  override def asMaster(): Unit = {
    out(line)
    in(found)
  }
}

/** `line`: the line of `address` is in `way` in that state from the next cycle on. */
case class TagWrite(p: DataCacheParams) extends Bundle {
  val way = UInt(p.wayWidth bits)
  val set = UInt(p.setWidth bits)
  val entry = TagEntry(p)

  def line(way: UInt, address: UInt, state: SpinalEnumCraft[Mesi.type]): Unit = {
    this.way := way
    set := address(p.setRange)
    entry.tag := address(p.tagRange)
    entry.state := state
  }
}

/** Tags and states: three lookups (distributed RAM), one write at the cycle's end. Snooper and verdict look in their own cycle. The CPU
  * asks a cycle ahead, so that a hit, on which its stall hangs, comes from a register; the write of that cycle counts already. What it asks is
  * answered for the command that comes and for the one in hand, beside each other, for which it will be is known late.
  *
  * One write port is enough since all state changes but one fall on a verdict, of which there is one a cycle; the one, a
  * store that turns EXCLUSIVE into MODIFIED, stands back. After reset, or `clear`, a sweep of `sets` cycles clears it (`ready` low).
  */
class TagStore(p: DataCacheParams) extends Component {
  val io = new Bundle {
    val ready = out Bool ()

    /** Every line is invalid from the next cycle on; the sweep begins when it is low again. */
    val clear = in Bool ()

    /** CPU, snooper, verdict. */
    val ports = Vec(slave(TagPort(p)), 3)
    /** The CPU's line is that of the access in hand from the next cycle on; otherwise `inHand`, the last one taken, stays. */
    val take = in Bool ()
    val inHand = in UInt (26 bits)

    /** Entries of the CPU's set, to choose a victim; with its answer. */
    val entries = out Vec (TagEntry(p), p.ways)

    /** With several ways: the one of the set of `inHand` whose turn it is to be replaced; `turned`: it was. */
    val turn = p.ways > 1 generate (out UInt (p.wayWidth bits))
    val turned = p.ways > 1 generate (in Bool ())
    val write = slave(Flow(TagWrite(p)))
  }

  private val memories = List.fill(p.ways)(Mem(TagEntry(p), p.sets))
  private val sweep = Reg(UInt(p.setWidth + 1 bits)) init 0
  io.ready := sweep.msb
  when(!sweep.msb)(sweep := sweep + 1)
  when(io.clear)(sweep := 0)

  private def setOf(line: UInt) = line(p.setWidth - 1 downto 0)
  private def writes(way: Int) = io.write.valid && (if (p.ways == 1) True else io.write.way === way)
  private def hits(e: TagEntry, line: UInt) = e.state =/= Mesi.INVALID && e.tag === line(25 downto p.setWidth)
  private def found(hits: collection.Seq[Bool], entries: collection.Seq[TagEntry]): TagLookup = {
    val found = TagLookup(p)
    found.hit := hits.orR && sweep.msb
    found.way := OHToUInt(hits.toIndexedSeq).resized
    found.state := MuxOH(hits.toIndexedSeq, entries.map(_.state).toIndexedSeq: Iterable[SpinalEnumCraft[Mesi.type]])
    found
  }
  private val cpu :: others = io.ports.toList
  for (port <- others) {
    val entries = memories.map(_.readAsync(setOf(port.line)))
    port.found := found(entries.map(hits(_, port.line)), entries)
  }

  /** The entries of a line's set as they will be, and what is found of the line. */
  private class Ahead(line: UInt, were: collection.Seq[TagEntry]) extends Area {
    private val written = were.indices.map(writes(_) && io.write.set === setOf(line))
    val entries = Vec((written zip were).map { case (w, e) => w ? io.write.entry | e })
    val answer = found((written zip were).map { case (w, e) => w ? hits(io.write.entry, line) | hits(e, line) }, entries)
  }
  private val entries = Reg(Vec(TagEntry(p), p.ways))
  private val coming = new Ahead(cpu.line, memories.map(_.readAsync(setOf(cpu.line))))
  private val staying = new Ahead(io.inHand, entries)
  entries := io.take ? coming.entries | staying.entries
  cpu.found := RegNext(io.take ? coming.answer | staying.answer)
  io.entries := entries

  private val cleared = TagEntry(p)
  cleared.state := Mesi.INVALID
  cleared.tag := 0
  for ((m, way) <- memories.zipWithIndex) m.write(
    address = Mux(sweep.msb, io.write.set, sweep.resize(p.setWidth)),
    data = Mux(sweep.msb, io.write.entry, cleared),
    enable = !sweep.msb || writes(way))
  if (p.ways > 1) {
    val turns = Mem(UInt(p.wayWidth bits), p.sets)
    io.turn := turns.readAsync(setOf(io.inHand))
    turns.write(
      address = Mux(sweep.msb, setOf(io.inHand), sweep.resize(p.setWidth)),
      data = Mux(sweep.msb, io.turn + 1, U(0)),
      enable = !sweep.msb || io.turned)
  }
}
