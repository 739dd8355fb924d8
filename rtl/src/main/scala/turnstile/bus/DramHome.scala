package turnstile.bus

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** @param bus    the Site Bus it serves
  * @param writes writes on their way, and lines kept, 2 to 32, a power of two. More hide a slow write channel; each costs a
  *               comparator and 64 B of RAM
  */
case class DramHomeParams(bus: BusParams, writes: Int = 8) {
  require(isPow2(writes) && writes >= 2 && writes <= 32, s"DRAM home: $writes writes, legal 2, 4, 8, 16, 32")

  /** 128-bit data, 4-bit ids; addresses count from the start of DRAM. */
  val axi = Axi4Config(
    addressWidth = 32, dataWidth = 128, idWidth = 4, useRegion = false, useLock = false, useCache = false,
    useQos = false, useProt = false)
}

/** DRAM behind the Site Bus: memory commands to AXI4 (S-COMA hits run at its speed, VY-13).
  *
  * Lines are bursts of four beats, partial ops one beat. Reads carry the master's id: up to one a master is outstanding and
  * they may return in any order. Writes are posted, all with id 0, so that AXI keeps their order, also on one line. A read of
  * a line with an unfinished write waits for that write's response, unless the line was written whole: of the last `writes`
  * writes those of whole lines are kept here, and a read of such a line is served at once. (An access that waited for a PUT
  * reads just such a line.) A later write of the line ends that. The bus itself keeps a write from meeting an older read.
  *
  * Latency: `ar` the cycle after the command; `r` passes to the bus in its own cycle (the bus has the register); the first
  * beat of a kept line three cycles after the command; `aw` two cycles after it; a write beat is on `w` the cycle after it was taken. `b` is always ready, `r` but for
  * the cycles in which a kept line is served.
  */
class DramHome(p: DramHomeParams) extends Component {
  val io = new Bundle {
    val bus = slave(MemoryPort())
    val axi = master(Axi4(p.axi))
  }

  private val lineWidth = log2Up(p.bus.memory.bytes) - 6
  private case class Burst() extends Bundle {
    val line = UInt(lineWidth bits)
    val beat = UInt(2 bits)
    val whole = Bool()
  }

  private val command = io.bus.command.s2mPipe().m2sPipe()
  private val burst = Burst()
  burst.line := command.address(6, lineWidth bits)
  burst.beat := Mux(command.line, U(0), command.address(5 downto 4))
  burst.whole := command.line

  // Writes on their way ------------------------------------------------------------------------------------------------
  private val busy = RegInit(B(0, p.writes bits))
  private val lines = Vec.fill(p.writes)(Reg(UInt(lineWidth bits)))
  private val next, oldest = Counter(p.writes)
  private val same = B(lines.map(_ === burst.line))
  private val hazard = (busy & same).orR
  private val full = busy(next)

  private val addresses = StreamFifo(Burst(), p.writes, latency = 1)
  private val masks = StreamFifo(Bits(16 bits), p.writes, latency = 1)
  private val beats = StreamFifo(Fragment(Bits(128 bits)), 16, latency = 1)
  private val push = command.fire && command.write
  addresses.io.push.valid := push
  addresses.io.push.payload := burst
  masks.io.push.valid := push
  masks.io.push.payload := command.mask | B(16 bits, default -> command.line)

  // Lines written lately, whole, their data still here: a read of one is served at once (the access that waited for a PUT).
  private val kept = RegInit(B(0, p.writes bits))
  private val whole = RegInit(B(0, p.writes bits))
  private val store = Mem(Bits(128 bits), p.writes * p.bus.beats)
  private val filling = Counter(p.writes)
  private val beat = Counter(p.bus.beats)
  private val announced = new Area {
    val count = Reg(UInt(log2Up(p.writes + 1) bits)) init 0
    val some = count =/= 0
  }
  io.bus.write.ready := beats.io.push.ready && announced.some
  beats.io.push.valid := io.bus.write.valid && announced.some
  beats.io.push.payload := io.bus.write.payload
  private val arrived = beats.io.push.fire && io.bus.write.last
  store.write(filling.value @@ beat.value, io.bus.write.fragment, beats.io.push.fire)
  when(beats.io.push.fire)(beat.increment())
  when(arrived) {
    beat.clear()
    filling.increment()
  }
  announced.count := announced.count + U(push) - U(arrived)

  private val hits = kept & same
  private val hit = hits.orR
  private val serving = RegInit(False)
  private val servedBeat = Reg(UInt(2 bits))
  private val servedOne = Reg(Bool())
  private val servedEntry = Reg(UInt(log2Up(p.writes) bits))
  private val servedMaster = Reg(UInt(4 bits))
  private val serves = command.valid && !command.write && hit && !serving
  when(serves) {
    serving := True
    servedBeat := burst.beat
    servedOne := !burst.whole
    servedEntry := OHToUInt(hits)
    servedMaster := command.master
  }
  private val servedLast = servedOne || servedBeat === p.bus.beats - 1
  when(serving) {
    servedBeat := servedBeat + 1
    when(servedLast)(serving := False)
  }
  private val servedData = store.readSync(servedEntry @@ servedBeat, serving)
  private val served = RegNext(serving) init False

  command.ready := Mux(command.write, !full, hit ? !serving | (io.axi.ar.ready && !hazard))

  when(io.axi.b.valid) {
    busy(oldest) := False
    oldest.increment()
  }
  // A write ends what older ones of its line keep, also of those whose data are still on the way here.
  private val stale = (same | UIntToOh(next.value)).andMask(push)
  kept := (kept | (UIntToOh(filling.value) & whole).andMask(arrived)) & ~stale
  when(push) {
    whole := whole & ~same
    whole(next) := burst.whole
    busy(next) := True
    lines(next) := burst.line
    next.increment()
  }

  // AXI ----------------------------------------------------------------------------------------------------------------
  private def drive(a: Axi4Ax, b: Burst, id: UInt): Unit = {
    a.addr := (b.line @@ b.beat @@ U(0, 4 bits)).resized
    a.id := id
    a.len := Mux(b.whole, U(p.bus.beats - 1), U(0)).resized
    a.size := log2Up(p.bus.dataWidth / 8)
    a.setBurstINCR()
  }
  io.axi.ar.valid := command.valid && !command.write && !hazard && !hit
  drive(io.axi.ar, burst, command.master)
  io.axi.aw.arbitrationFrom(addresses.io.pop)
  drive(io.axi.aw, addresses.io.pop.payload, U(0, 4 bits))

  io.axi.w.valid := beats.io.pop.valid && masks.io.pop.valid
  io.axi.w.data := beats.io.pop.fragment
  io.axi.w.strb := masks.io.pop.payload
  io.axi.w.last := beats.io.pop.last
  beats.io.pop.ready := io.axi.w.fire
  masks.io.pop.ready := io.axi.w.fire && beats.io.pop.last

  io.axi.b.ready := True
  io.axi.r.ready := !served
  io.bus.read.valid := served || io.axi.r.valid
  io.bus.read.master := served ? RegNext(servedMaster) | io.axi.r.id
  io.bus.read.data := served ? servedData | io.axi.r.data
  io.bus.read.last := served ? RegNext(servedLast) | io.axi.r.last

  assert(!(io.axi.r.valid && !io.axi.r.isOKAY()), "DRAM home: read error from memory", FAILURE)
  assert(!(io.axi.b.valid && !io.axi.b.isOKAY()), "DRAM home: write error from memory", FAILURE)
}
