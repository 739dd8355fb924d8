package turnstile.niu

import spinal.core._
import turnstile.bus.{BusOp, SnoopRequest}
import turnstile.registers._

/** What a claimed op means to the slave. SCRATCH: what the snooper claimed. */
object SlaveTarget extends SpinalEnum(binarySequential) {
  val REGISTER, EXPRESS_SEND, EXPRESS_RECEIVE, BASIC, ONE_POLL, SCRATCH = newElement()
}

/** The `0xF...` windows of aPs (contract §1, §4): where an address leads, and what may be done there. */
object SlaveWindows {
  def target(a: UInt): SlaveTarget.C = {
    val target = SlaveTarget()
    target := SlaveTarget.SCRATCH
    when(AddressMap.apRegisters.has(a))(target := SlaveTarget.REGISTER)
    when(AddressMap.apExpressTransmit.has(a))(target := SlaveTarget.EXPRESS_SEND)
    when(AddressMap.apExpressReceive.has(a))(target := SlaveTarget.EXPRESS_RECEIVE)
    when(AddressMap.apBasic.has(a))(target := SlaveTarget.BASIC)
    when(AddressMap.apOnePoll.has(a))(target := SlaveTarget.ONE_POLL)
    target
  }

  /** Whole words of what is described there, in the direction it has. */
  def legal(request: SnoopRequest, target: SlaveTarget.C): Bool = {
    val a = request.address
    val loads = request.op === BusOp.READ_PARTIAL
    val stores = request.op === BusOp.WRITE_PARTIAL
    val word = request.mask.subdivideIn(4 bits)(a(3 downto 2)).andR
    def described(block: RegisterBlock): Bool = {
      def has(may: Register => Boolean) = RegisterDecode.has(a(log2Up(AddressMap.pageBytes) - 1 downto 0), block.registers.filter(may))
      Mux(loads, has(_.readable), stores && has(_.writable))
    }
    val there = target.mux(
      SlaveTarget.REGISTER -> described(ApBlock),
      SlaveTarget.EXPRESS_SEND -> (stores && !a(20)),
      SlaveTarget.EXPRESS_RECEIVE -> (described(ExpressReceivePage) && !a(15)),
      SlaveTarget.BASIC -> (described(BasicPage) && a(15)),
      SlaveTarget.ONE_POLL -> described(ExpressReceivePage),
      default -> False
    )
    there && (loads || word)
  }

  def queue(target: SlaveTarget.C, a: UInt): UInt = (target === SlaveTarget.EXPRESS_SEND) ? a(20 downto 17) | a(15 downto 12)

  /** The aP of a bus master; its data cache is an even one. */
  def ap(master: UInt): UInt = master(2 downto 1)
}
