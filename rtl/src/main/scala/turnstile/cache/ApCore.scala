package turnstile.cache

import spinal.core._
import spinal.lib._
import turnstile.bus._
import turnstile.cpu.{AddressPlugin, AtomicPlugin, FloatMemoryPlugin, ProtectionPlugin}
import turnstile.registers.AddressMap
import vexriscv.{VexRiscv, VexRiscvConfig, plugin}
import vexriscv.ip.InstructionCacheConfig
import vexriscv.ip.fpu.FpuParameter
import vexriscv.plugin._

/** @param data   the data cache
  * @param iBytes instruction cache, a power of two from 1024 to 65536
  * @param iWays  its ways, 1, 2 or 4, filled in turn
  * @param fpu    has the F and D extensions
  * @param user   has user mode, and physical memory protection of `pmpRegions`
  */
case class ApCoreParams(data: DataCacheParams = DataCacheParams(), iBytes: Int = 4096, iWays: Int = 1, fpu: Boolean = false, user: Boolean = false) {
  require(isPow2(iBytes) && iBytes >= 1024 && iBytes <= 65536,
    s"aP: instruction cache of $iBytes bytes, legal a power of two from 1024 to 65536")
  require(List(1, 2, 4).contains(iWays), s"aP: instruction cache of $iWays ways, legal 1, 2 or 4")

  val instruction = InstructionCacheConfig(
    cacheSize = iBytes, bytePerLine = 64, wayCount = iWays, addressWidth = 32, cpuDataWidth = 32, memDataWidth = 128,
    catchIllegalAccess = user, catchAccessFault = true, asyncTagMemory = false)
}

/** Application processor: VexRiscv rv32im, with A by `data.atomics`, F and D by `fpu`, user mode by `user`, instruction and data cache on the
  * Site Bus.
  *
  * Starts at 0x4000_0000, its private window, when `run` rises; low `run` holds the core in reset (what the data cache
  * held modified is lost). The caches first finish what they owe the bus; the core
  * stays in reset until they have. Five stages, full bypass, branches in execute, static prediction; load hit: one bubble.
  * Loads of an address nobody answers trap with mcause 5, fetches with 1; stores raise `storeError`. What physical memory protection
  * forbids traps before it leaves the core: fetches with 1, loads 5, stores 7. Its regions are of NAPOT, from 4 KB on, the first that has an
  * address rules.
  *
  * Everything that differs between aPs and sites is a pin, so all of them are one module.
  */
class ApCore(val p: ApCoreParams) extends Component {
  val io = new Bundle {
    val index = in UInt (3 bits)
    val run = in Bool ()
    val data, fetch = master(BusMasterPort())
    val snoop = slave(SnoopPort())
    val storeError = master(Flow(UInt(32 bits)))
    val probe = out(CacheProbe(p.data.atomics))
  }

  val cache = new DataCache(p.data)
  val fetcher = new FetchPort(p.instruction, p.data.backOff)

  /** Until nothing of what the core had asked for is on its way. */
  private val held = RegInit(True)
  held := !io.run || held && !(cache.io.idle && fetcher.io.idle)
  cache.io.halt := held
  fetcher.io.halt := held

  val core = new ResetArea(reset = held, cumulative = true) {
    val cpu = new VexRiscv(ApCore.config(p))
    cache.io.index := io.index
    fetcher.io.index := io.index
    cache.io.bus <> io.data
    cache.io.snoop <> io.snoop
    fetcher.io.bus <> io.fetch
    io.storeError << cache.io.storeError
    io.probe := cache.io.probe

    for (s <- cpu.plugins) s match {
      case i: IBusCachedPlugin =>
        fetcher.io.mem.cmd.arbitrationFrom(i.iBus.cmd)
        fetcher.io.mem.cmd.address := PrivateWindow(i.iBus.cmd.address, io.index, p.data.memory)
        fetcher.io.mem.cmd.size := i.iBus.cmd.size
        i.iBus.rsp << fetcher.io.mem.rsp
      case d: DBusSimplePlugin =>
        val cmd = cache.io.cpu.cmd.clone()
        cmd.arbitrationFrom(d.dBus.cmd)
        cmd.payload.assignSomeByName(d.dBus.cmd.payload)
        if (p.data.atomics) cmd.atomic := cpu.service(classOf[AtomicPlugin]).operation
        val rsp = if (p.fpu) {
          val float = cpu.service(classOf[FloatMemoryPlugin])
          val port = new FloatPort(p.data.atomics)
          port.io.core.cmd << cmd
          port.io.double := float.double
          port.io.waits := float.waits
          port.io.store << float.store
          float.high := port.io.high
          cache.io.cpu.cmd << port.io.cache.cmd.s2mPipe()
          port.io.cache.rsp << cache.io.cpu.rsp
          port.io.core.rsp
        } else {
          cache.io.cpu.cmd << cmd.s2mPipe() // the core's stall takes time of its own: `ready` from a register
          cache.io.cpu.rsp
        }
        d.dBus.rsp.ready := rsp.valid
        d.dBus.rsp.data := rsp.data
        d.dBus.rsp.error := rsp.error
      case c: CsrPlugin =>
        c.timerInterrupt := False
        c.externalInterrupt := False
        c.softwareInterrupt := False
      case _ =>
    }
  }
}

object ApCore {
  val resetVector = AddressMap.privateWindow.base
  val pmpRegions = 8

  private def extended(p: ApCoreParams) = p.data.atomics || p.fpu
  private def extensions(p: ApCoreParams) = "IM" + (if (p.data.atomics) "A" else "") + (if (p.fpu) "FD" else "")

  /** Lean for speed of simulation: no interrupts, no debug, no compressed instructions. */
  def config(p: ApCoreParams): VexRiscvConfig = VexRiscvConfig(plugins = List(
    new IBusCachedPlugin(resetVector = resetVector, prediction = STATIC, config = p.instruction)) ++
    (if (p.user) Nil else List(new StaticMemoryTranslatorPlugin(ioRange = _ => False))) ++ List(
    new DBusSimplePlugin(catchAddressMisaligned = true, catchAccessFault = true, memoryTranslatorPortConfig = if (p.user) () else null),
    new AddressPlugin(atomics = p.data.atomics),
    new DecoderSimplePlugin(catchIllegalInstruction = true),
    new RegFilePlugin(regFileReadyKind = plugin.SYNC, zeroBoot = false),
    new IntAluPlugin,
    new SrcPlugin(separatedAddSub = false, executeInsertion = true),
    new FullBarrelShifterPlugin,
    new MulPlugin,
    new DivPlugin,
    new HazardSimplePlugin(bypassExecute = true, bypassMemory = true, bypassWriteBack = true, bypassWriteBackBuffer = true),
    new BranchPlugin(earlyBranch = true, catchAddressMisaligned = true),
    new CsrPlugin(CsrPluginConfig(
      catchIllegalAccess = true, mvendorid = null, marchid = null, mimpid = null, mhartid = null,
      misaExtensionsInit = if (extended(p)) extensions(p).map(1 << _ - 'A').sum else 0,
      misaAccess = if (extended(p)) CsrAccess.READ_ONLY else CsrAccess.NONE, mtvecAccess = CsrAccess.READ_WRITE, mtvecInit = resetVector,
      mepcAccess = CsrAccess.READ_WRITE, mscratchGen = true, mcauseAccess = CsrAccess.READ_ONLY,
      mbadaddrAccess = CsrAccess.READ_ONLY, mcycleAccess = CsrAccess.READ_ONLY, minstretAccess = CsrAccess.READ_ONLY,
      ucycleAccess = CsrAccess.READ_ONLY, wfiGenAsWait = false, ecallGen = true, ebreakGen = true, userGen = p.user))) ++
    (if (p.user) List(new ProtectionPlugin(pmpRegions, AddressMap.pageBytes)) else Nil) ++
    (if (p.data.atomics) List(new AtomicPlugin) else Nil) ++
    (if (p.fpu) List(new FpuPlugin(p = FpuParameter(withDouble = true)), new FloatMemoryPlugin) else Nil))
}
