package turnstile.link

import spinal.core._

/** Sizes of a [[WirePort]], the same at both ends of a wire.
  *
  * @param windowFlits flits of each virtual channel that are kept until the other end has acknowledged them, and that wait here for the
  *                    site's credits: 64 to 16384, a power of two. What is sent in two round trips must fit, so that a
  *                    loss stops nothing: 10 us of 10 Gbit/s are 1563 flits.
  * @param localFlits  flits of each virtual channel behind the site's links (`NetworkParams.bufferFlits`), 31 to 256
  */
case class WireParams(windowFlits: Int = 4096, localFlits: Int = 32) {
  require(
    windowFlits >= 64 && windowFlits <= 16384 && isPow2(windowFlits),
    s"WireParams.windowFlits is $windowFlits; legal: a power of two, 64 to 16384 (flit numbers have 16 bits)"
  )
  require(localFlits >= 31 && localFlits <= 256, s"WireParams.localFlits is $localFlits; legal: 31 to 256, as behind any link")
  require(windowFlits > localFlits, s"WireParams.windowFlits is $windowFlits, localFlits $localFlits; legal: fewer local flits than the window holds")
}
