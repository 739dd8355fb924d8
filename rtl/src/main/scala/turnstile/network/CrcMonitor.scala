package turnstile.network

import spinal.core._
import spinal.lib._

/** Watches the flits of a link without touching them, both virtual channels: `error` pulses 2 cycles after the tail of a
  * damaged packet (VY-41).
  *
  * One XOR network serves both channels; the comparison has a cycle of its own.
  */
case class CrcMonitor(flit: Flow[LinkFlit]) extends Area {
  // A memory of two words, so that the XOR network has one reader and a simulator evaluates it only for a flit.
  private val states = Mem(Bits(32 bits), Vc.count)
  private val first = Reg(Bits(Vc.count bits)) init B(Vc.count bits, default -> True)
  private val before = first(flit.vc) ? Crc32.start | states.readAsync(flit.vc, writeFirst)
  states.write(flit.vc, Crc32.next(before, flit.data), flit.valid)
  when(flit.valid) {
    first(flit.vc) := flit.last
  }

  private val ended = RegNext(flit.valid && flit.last) init False
  private val endedVc = RegNext(flit.vc)
  val error = RegNext(ended && states.readAsync(endedVc, writeFirst) =/= Crc32.residue) init False
}
