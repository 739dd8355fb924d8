package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort
import turnstile.registers.{LoaderBlock, RegisterBank}
import turnstile.sp.{HostCommand, HostPort}

/** Which site a card is, of how many. */
case class SitePlace() extends Bundle {
  val number = UInt(6 bits)
  val sites = UInt(7 bits)
}

/** A driver's way to the sP (contract §7): holds it, writes its firmware, reads how it is ([[turnstile.registers.LoaderBlock]]).
  *
  * Words written and reads go to the sP one after another, [[LoaderBlock.places]] wait; a word more is lost and counted. Latency: a word is at the
  * host port 2 cycles after its store; registers 1.
  *
  * @param held whether the sP is held after reset: on a card whose RAMs are empty
  */
class SpLoader(held: Boolean) extends Component {
  val io = new Bundle {
    val regs = slave(RegPort(12))
    val sp = master(HostPort())
    val held = out(Bool())

    /** What the driver says, and what is so. */
    val place = out(SitePlace())
    val site = in(SitePlace())

    /** The firmware asks for an event. */
    val turn = in(Bool())
  }
  private val bank = new RegisterBank(io.regs, LoaderBlock)
  private val data = io.regs.command.data

  private val place = Reg(SitePlace())
  place.number.init(0)
  place.sites.init(1)
  private def field(of: turnstile.registers.Register, name: String) = of.field(name).of(data).asUInt
  when(bank.stores(LoaderBlock.site)) {
    place.number := field(LoaderBlock.site, "NUMBER")
    place.sites := field(LoaderBlock.site, "SITES")
  }
  io.place := place
  bank.read(LoaderBlock.site)(B(0, 17 bits) ## io.site.sites ## B(0, 2 bits) ## io.site.number)

  private val holds, holding = RegInit(Bool(held))
  when(bank.stores(LoaderBlock.control))(holds := data(0))
  io.held := holding
  bank.read(LoaderBlock.control)(holding.asBits)

  // Words to the sP, in order --------------------------------------------------------------------------------------------
  private val address = Reg(UInt(32 bits)) init 0
  private val reads = bank.stores(LoaderBlock.read)
  private val asked = bank.stores(LoaderBlock.data) || reads
  private val command = Stream(HostCommand())
  command.valid := asked
  command.write := !reads
  command.address := address
  command.data := data
  when(asked)(address := address + 4)
  when(bank.stores(LoaderBlock.address))(address := data.asUInt(31 downto 2) @@ U"00")
  private val waiting = StreamFifo(HostCommand(), LoaderBlock.places)
  waiting.io.push << command
  io.sp.command << waiting.io.pop.stage()
  // The sP is let go when the words before are written: it must not run into them.
  holding := holds || holding && (asked || waiting.io.occupancy =/= 0 || io.sp.command.valid)

  private val reading = RegInit(False)
  private val word = RegNextWhen(io.sp.response.payload, io.sp.response.valid)
  when(io.sp.response.valid)(reading := False)
  when(reads && command.ready)(reading := True)
  bank.read(LoaderBlock.address)(address.asBits)
  bank.read(LoaderBlock.status)(reading ## waiting.io.availability.asBits.resize(8))
  bank.read(LoaderBlock.word)(word)

  private def counted(event: Bool): Bits = {
    val count = Reg(UInt(32 bits)) init 0
    count := count + event.asUInt
    count.asBits
  }
  bank.read(LoaderBlock.turns)(counted(io.turn))
  bank.read(LoaderBlock.lost)(counted(asked && !command.ready))
}
