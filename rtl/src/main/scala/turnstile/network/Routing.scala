package turnstile.network

import spinal.core._
import spinal.lib._

/** Where a router stands in its fat tree, as pins, so that all routers of a tree are one module.
  *
  * A root has four ports down. Any other router has ports 0 and 1 down, 2 and 3 up. A router of level l is above
  * 2^(l+1) sites, those whose number shares its `prefix` in the bits of `prefixMask`.
  */
case class RouterPosition() extends Bundle {
  val root = Bool()

  /** Levels below this one; at a root the two bits of destSite from here choose the port. */
  val level = UInt(3 bits)
  val prefixMask = Bits(6 bits)
  val prefix = Bits(6 bits)
}

object Routing {

  /** Output port of a packet, from its destination alone: no table (VY-48).
    *
    * Down when the destination lies below, else up by the destination's bit of this level, so a pair of sites has one path
    * and the traffic of different destinations spreads over the roots. What came from above only ever goes down, whatever
    * the header says: damaged or wrong destinations cannot close a cycle of waiting buffers.
    */
  def port(position: RouterPosition, fromAbove: Boolean, destSite: UInt): UInt = {
    val digits = (destSite >> position.level).resize(2 bits)
    val above = if (fromAbove) False else (destSite.asBits & position.prefixMask) =/= position.prefix
    position.root ? digits | (above ## digits(0)).asUInt
  }
}
