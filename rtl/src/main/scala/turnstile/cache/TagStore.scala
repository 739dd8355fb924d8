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
  * asks a cycle ahead, so that a hit, on which its stall hangs, comes from a register; the write of that cycle counts already.
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

    /** Entries of the CPU's set, to choose a victim; with its answer. */
    val entries = out Vec (TagEntry(p), p.ways)
    val write = slave(Flow(TagWrite(p)))
  }

  private val memories = List.fill(p.ways)(Mem(TagEntry(p), p.sets))
  private val sweep = Reg(UInt(p.setWidth + 1 bits)) init 0
  io.ready := sweep.msb
  when(!sweep.msb)(sweep := sweep + 1)
  when(io.clear)(sweep := 0)

  private def setOf(port: TagPort) = port.line(p.setWidth - 1 downto 0)
  private def writes(way: Int) = io.write.valid && (if (p.ways == 1) True else io.write.way === way)
  private def found(port: TagPort, entries: Seq[TagEntry]): TagLookup = {
    val hits = entries.map(e => e.state =/= Mesi.INVALID && e.tag === port.line(25 downto p.setWidth))
    val found = TagLookup(p)
    found.hit := hits.orR && sweep.msb
    found.way := OHToUInt(hits.toIndexedSeq).resized
    found.state := MuxOH(hits.toIndexedSeq, entries.map(_.state): Iterable[SpinalEnumCraft[Mesi.type]])
    found
  }
  private val cpu :: others = io.ports.toList
  for (port <- others) port.found := found(port, memories.map(_.readAsync(setOf(port))))
  private val ahead = for ((m, way) <- memories.zipWithIndex)
    yield (writes(way) && io.write.set === setOf(cpu)) ? io.write.entry | m.readAsync(setOf(cpu))
  cpu.found := RegNext(found(cpu, ahead))
  io.entries := RegNext(Vec(ahead))

  private val cleared = TagEntry(p)
  cleared.state := Mesi.INVALID
  cleared.tag := 0
  for ((m, way) <- memories.zipWithIndex) m.write(
    address = Mux(sweep.msb, io.write.set, sweep.resize(p.setWidth)),
    data = Mux(sweep.msb, io.write.entry, cleared),
    enable = !sweep.msb || writes(way))
}
