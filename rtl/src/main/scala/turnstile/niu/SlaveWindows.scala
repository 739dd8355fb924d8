package turnstile.niu

import spinal.core._
import turnstile.bus.{BusOp, SnoopRequest}

/** What a claimed op means to the slave. SCRATCH: what the snooper claimed. */
object SlaveTarget extends SpinalEnum(binarySequential) {
  val REGISTER, EXPRESS_SEND, EXPRESS_RECEIVE, BASIC, SCRATCH = newElement()
}

/** The `0xF...` windows of aPs (contract §1, §4): where an address leads, and what may be done there. */
object SlaveWindows {
  def target(a: UInt): SlaveTarget.C = {
    val target = SlaveTarget()
    target := SlaveTarget.SCRATCH
    when(a(31 downto 12) === 0xf0000)(target := SlaveTarget.REGISTER)
    when(a(31 downto 21) === 0xf02 >> 1)(target := SlaveTarget.EXPRESS_SEND)
    when(a(31 downto 16) === 0xf040)(target := SlaveTarget.EXPRESS_RECEIVE)
    when(a(31 downto 16) === 0xf050)(target := SlaveTarget.BASIC)
    target
  }

  /** Whole words of what is there, in the direction it has. */
  def legal(request: SnoopRequest, target: SlaveTarget.C): Bool = {
    val a = request.address
    val at = a(11 downto 2) @@ U(0, 2 bits)
    val loads = request.op === BusOp.READ_PARTIAL
    val stores = request.op === BusOp.WRITE_PARTIAL
    val word = request.mask.subdivideIn(4 bits)(a(3 downto 2)).andR
    val there = target.mux(
      SlaveTarget.REGISTER -> Mux(loads, at <= 0x14, stores && (at === 0x20 || at === 0x24 || at === 0x28)),
      SlaveTarget.EXPRESS_SEND -> stores,
      SlaveTarget.EXPRESS_RECEIVE -> (loads && at <= 4),
      SlaveTarget.BASIC -> (Mux(loads, at === 0x08 || at === 0x0c || at === 0x18 || at === 0x1c,
        stores && (at === 0x08 || at === 0x1c)) && a(15)),
      default -> False
    )
    there && (loads || word)
  }

  def queue(target: SlaveTarget.C, a: UInt): UInt = (target === SlaveTarget.EXPRESS_SEND) ? a(20 downto 17) | a(15 downto 12)

  /** The aP of a bus master; its data cache is an even one. */
  def ap(master: UInt): UInt = master(2 downto 1)
}
