package turnstile.snoop

import spinal.core.Component
import turnstile.bus.BusParams
import turnstile.gen.{Params, UnitList}

object Units extends UnitList {
  /** A bus whose heap ends after `words` cls words, 32 or more: what a proof can hold. */
  private class SmallHeap(full: BusParams, words: Int) extends BusParams(full.masters, full.caches, full.memory) {
    override val heapEnd = heapBase + words * 32 * lineBytes
  }

  private def bus(p: Params) = {
    val full = BusParams(masters = p.int("masters", 5), caches = p.int("caches", 2), memory = p.memory)
    val words = p.int("heapWords", 0)
    if (words == 0) full else new SmallHeap(full, words)
  }

  private def params(p: Params) = SnooperParams(
    bus = bus(p),
    entries = p.int("entries", 8),
    ageLimit = p.int("ageLimit", 4096),
    deferTimeout = p.int("deferTimeout", 1024))

  val tops = Seq[(String, Params => Component)]("ClsSram" -> (p => new ClsSram(params(p))), "Snooper" -> (p => new Snooper(params(p))))
}
