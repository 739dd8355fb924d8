package turnstile.niu

import spinal.core._
import spinal.lib._
import turnstile.contract.{FirstOf, RegPort}
import turnstile.registers.{OnePollBlock, RegisterBank}

/** Groups of receive queues in an order of priority: a load of a group's page takes from the first of them that has something (VY-31, VY-32).
  *
  * An op's page and aP come at T0, its group's members and owners are known at T1, and `winner` is combinational from them and the queues of T1: a load
  * takes no more cycles than one of an Express queue. Members that the aP does not own are passed over, so a group is no way around
  * [[ApGuard]]; a queue may be in any number of groups.
  *
  * Members and owners of a group change in one cycle: a load sees the old ones or the new ones. `regs`: [[turnstile.registers.OnePollBlock]].
  */
class OnePoll(params: NiuSlaveParams) extends Component {
  private val groups = params.onePollGroups
  val io = new Bundle {
    /** T0. */
    val page = in(UInt(6 bits))
    val ap = in(UInt(2 bits))

    /** T1: queues that have something, and those of the aP. */
    val occupied, owned = in(Bits(16 bits))

    /** T1: there is such a group and the aP may load it; the queue to take from, 0 when none has anything. */
    val may = out(Bool())
    val winner = out(UInt(4 bits))
    val regs = slave(RegPort(8))
  }
  private val bank = new RegisterBank(io.regs, OnePollBlock)
  private val data = io.regs.command.data
  private val first = RegNextWhen(data, bank.stores(OnePollBlock.first)) init 0
  private val more = RegNextWhen(data, bank.stores(OnePollBlock.more)) init 0
  private val gives = bank.stores(OnePollBlock.group)
  private val given = OnePollBlock.group.field("NUMBER").of(data).asUInt

  private val lists = Mem(Bits(64 bits), groups)
  private val owners = Vec.fill(groups)(Reg(Bits(4 bits)) init 0)
  private def index(number: UInt) = number.resize(log2Up(groups))
  lists.write(index(given), more ## first, gives && given < groups)
  when(gives && given < groups)(owners(index(given)) := OnePollBlock.group.field("APS").of(data))

  private val members = RegNext(lists.readAsync(index(io.page))).subdivideIn(4 bits).map(_.asUInt)
  io.may := RegNext(io.page < groups && owners(index(io.page))(io.ap)) init False
  private val has = io.occupied & io.owned & ~B(1, 16 bits)
  io.winner := MuxOH.or(FirstOf(members.map(has(_))), members)
}
