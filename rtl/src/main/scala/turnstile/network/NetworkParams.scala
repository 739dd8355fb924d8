package turnstile.network

/** What a network is built from.
  *
  * @param sites       number of sites joined, 1 to 64 (destSite is six bits). One site needs no network: its messages to
  *                    itself loop back inside its TxU, so only `FatTree` asks for two or more.
  * @param bufferFlits flits of storage behind every link, for each virtual channel, 31 to 256. At least the longest packet
  *                    (`NetworkParams.longestPacket`, 30 flits), so that a packet whose output is blocked always fits into
  *                    the buffer it has begun to enter (VY-48: virtual cut-through). Memories round up to a power of two.
  */
case class NetworkParams(sites: Int, bufferFlits: Int = 32) {
  require(sites >= 1 && sites <= 64, s"NetworkParams.sites is $sites; legal: 1 to 64 (destSite is six bits)")
  require(
    bufferFlits >= 31 && bufferFlits <= 256,
    s"NetworkParams.bufferFlits is $bufferFlits; legal: 31 to 256 (a buffer holds the longest packet, " +
      s"${NetworkParams.longestPacket} flits)"
  )
}

object NetworkParams {

  /** Body flits a packet may carry: 88 B of payload (11), two tag-on lines of 64 B (16), one spare. */
  val maxBody = 28

  /** Header, body, tail; in flits. */
  val longestPacket: Int = 1 + maxBody + 1
}
