package turnstile.pcie

import spinal.core._
import spinal.lib._
import turnstile.contract.RegPort
import turnstile.sp.HostPort

/** What a driver does to the card beside its queues and memory. master = the bridge.
  *
  * @param wire the card has one
  */
case class CardPort(wire: Boolean) extends Bundle with IMasterSlave {
  val sp = HostPort()
  val held = Bool()

  /** What the driver says of the site, for a card without pins for it; what is so. */
  val place, site = SitePlace()

  /** The firmware asks for an event; it stops. */
  val turn, trapped = Bool()
  val wireRegs = wire generate RegPort(12)
  /** The wire went up or down. */
  val wireChanged = wire generate Bool()

  override def asMaster(): Unit = {
    master(sp)
    out(held, place)
    in(site, turn, trapped)
    if (wire) {
      master(wireRegs)
      in(wireChanged)
    }
  }
}
