package turnstile.board

import spinal.core._
import spinal.lib._
import turnstile.bus.DramHomeParams
import turnstile.site.Site

/** What a board shows on its LEDs. `beat` changes every 2^24 cycles, the others stay until reset.
  *
  * ended     the program ended; failed: with a status other than 0
  * trapped   the sP's firmware died
  * lost      characters of the console were lost
  * stray     memory was accessed that the board does not have
  */
case class BoardStatus() extends Bundle {
  val beat, ended, failed, trapped, lost, stray = Bool()
}

/** A site with all that it needs to run a program on a board of its own: memory, console line, status. Firmware and program are in its RAMs
  * when the device has been configured, so that it runs as soon as `reset` falls; a reset alone does not bring back what they changed.
  * It is site 0 of a cluster of 1: its link ends in itself.
  *
  * All outputs are registers.
  */
class BoardSite(val p: BoardParams) extends Component {
  val io = new Bundle {
    val uart = out Bool ()
    val status = out(BoardStatus())
  }
  val site = new Site(p.site)
  val memory = new BlockMemory(DramHomeParams(p.site.bus).axi, p.regions)
  val console = new Console(p.clock, p.baud, p.consoleDepth)

  site.io.siteId := 0
  site.io.sites := 1
  site.io.spReset := False
  site.io.host.command.valid := False
  site.io.host.command.payload.clearAll()
  site.io.axi <> memory.io.axi
  site.io.link.in << site.io.link.out

  console.io.ap << site.io.apConsole.translateWith(site.io.apConsole.value)
  console.io.sp << site.io.spConsole
  io.uart := console.io.line

  private def once(event: Bool): Bool = RegInit(False) setWhen event
  io.status.beat := CounterFreeRun(1 << 25).value.msb
  io.status.ended := once(site.io.exit.valid)
  io.status.failed := once(site.io.exit.valid && site.io.exit.value =/= 0)
  io.status.trapped := once(site.io.trap.valid)
  io.status.lost := once(console.io.lost)
  io.status.stray := once(memory.io.stray)
}
