package turnstile.sp

import spinal.core._
import spinal.lib._
import turnstile.registers.{AddressMap, PageBlock}

/** What the sP's RAMs hold when the device has been configured, words from their first address on, the rest zeros. Empty: anything, and the
  * host writes them before the sP starts (contract §7). A reset does not bring it back.
  */
case class SpContents(instructions: Seq[BigInt] = Nil, data: Seq[BigInt] = Nil) {
  for ((name, words, region) <- Seq(("instructions", instructions, AddressMap.instructionRam), ("data", data, AddressMap.dataRam)))
    require(words.size <= region.bytes / 4, s"contents of the sP's RAMs: ${words.size * 4} bytes of $name, legal at most ${region.bytes}")
}

/** Parameters of the service processor.
  *
  * @param aps          application processors of the site, 1 to 4
  * @param high         event FIFO of high messages: every reply that may be outstanding fits (contract §5), 16 to 512
  * @param local        event FIFO of local events, 16 to 512
  * @param low          event FIFO of low messages, 16 to 512
  * @param waitCycles   how long EV_NEXT blocks while there is no event, 16 to 4096 cycles
  * @param regLatency   cycles from a command on `regs` to its read data, 1 to 7
  * @param pages        pages of the heap that have attributes, a power of two, 2048 to 131072
  * @param contents     what its RAMs begin with
  */
case class SpParams(aps: Int = 1, high: Int = 512, local: Int = 64, low: Int = 256, waitCycles: Int = 256, regLatency: Int = 1,
  pages: Int = PageBlock.pages, contents: SpContents = SpContents()) {
  require(aps >= 1 && aps <= 4, s"service processor: $aps aPs, legal 1 to 4")
  for ((name, depth) <- Seq("high" -> high, "local" -> local, "low" -> low))
    require(isPow2(depth) && depth >= 16 && depth <= 512, s"service processor: $name event FIFO of $depth, legal a power of two from 16 to 512")
  require(waitCycles >= 16 && waitCycles <= 4096, s"service processor: EV_NEXT waits $waitCycles cycles, legal 16 to 4096")
  require(regLatency >= 1 && regLatency <= 7, s"service processor: register latency $regLatency, legal 1 to 7 cycles")
  require(isPow2(pages) && pages >= PageBlock.pages && pages <= (1 << 17), s"service processor: $pages pages, legal a power of two from ${PageBlock.pages} to ${1 << 17}")
}

/** An access to what is not RAM. `mask`: bytes stored. `patient`: EV_NEXT may wait for an event (the sP, not the host). */
case class SpAccess() extends Bundle {
  val write = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
  val patient = Bool()
}

/** A page's mode is now this. */
case class PageMode(pages: Int) extends Bundle {
  val page = UInt(log2Up(pages) bits)
  val mode = UInt(log2Up(PageBlock.modes) bits)
}

/** Attributes of a page, as PAGE_ATTRIBUTES has them. */
case class PageAttributes() extends Bundle {
  val mode = UInt(log2Up(PageBlock.modes) bits)
  val home = UInt(6 bits)
  val size = UInt(3 bits)
  val stateShift = UInt(3 bits)
}

/** Answer to a load. */
case class SpReply() extends Bundle {
  val data = Bits(32 bits)
  val error = Bool()
}

/** A word access of the host into the sP's address space (contract §7). */
case class HostCommand() extends Bundle {
  val write = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
}

/** Host port: one `response` a read, in order; an access nobody answers reads as 0xFFFFFFFF. master = the host. */
case class HostPort() extends Bundle with IMasterSlave {
  val command = Stream(HostCommand())
  val response = Flow(Bits(32 bits))

  override def asMaster(): Unit = {
    master(command)
    slave(response)
  }
}

/** Free Express entries of transmit queue 0. */
case class TxFree() extends Bundle {
  val low, high = UInt(16 bits)
}

/** An event as traces see it. */
case class EventTrace() extends Bundle {
  val index = UInt(7 bits)
  val arg = Bits(32 bits)
}

/** For traces and reports, all a cycle late. `eventPush`: high, local, low. `waiting`: the sP is blocked in EV_NEXT. */
case class SpProbe() extends Bundle with IMasterSlave {
  val eventPush = Vec(Flow(EventTrace()), 3)
  val eventTake = Flow(EventTrace())
  val waiting = Bool()

  override def asMaster(): Unit = {
    eventPush.foreach(master(_))
    master(eventTake)
    out(waiting)
  }
}
