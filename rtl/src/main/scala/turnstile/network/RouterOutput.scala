package turnstile.network

import spinal.core._
import spinal.lib._

/** One virtual channel of one output of a router: which input's packet goes out.
  *
  * `allowed` holds every input while the channel is free and only the owner while a packet is going through, which is the
  * whole lock. Between packets the first waiting input after the last winner wins, so an input waits for at most three
  * packets of its virtual channel once the next buffer accepts flits.
  *
  * @param requests inputs whose head flit wants this output on this channel
  * @param lasts    whether each input's head flit ends its packet
  * @param credits  return of credits from the next buffer
  */
case class RouterChannel(params: NetworkParams, requests: Bits, lasts: Bits, returned: Bool) extends Area {
  private val ports = widthOf(requests)
  val send = Bool()

  private val allowed = Reg(Bits(ports bits)) init B(ports bits, default -> True)
  private val afterWinner = Reg(Bits(ports bits)) init 0
  private val candidates = requests & allowed
  private val preferred = candidates & afterWinner

  /** The input that goes next, one bit set when `ready`. */
  val choice = OHMasking.first(preferred.orR ? preferred | candidates)
  val last = (choice & lasts).orR
  when(send) {
    allowed := last ? B(ports bits, default -> True) | choice
    afterWinner := ~(choice | (choice.asUInt - 1).asBits)
  }

  private val credits = Credits(params, send, returned)

  /** A flit and a credit are there. */
  val ready = candidates.orR && credits.available
}

/** One output of a router: two channels onto one link, high strictly before low (VY-42), the link a register.
  *
  * @param heads heads(input)(vc), the first flit of every input FIFO
  */
case class RouterOutput(params: NetworkParams, port: Int, heads: Seq[Vec[Stream[BufferedFlit]]], link: Link) extends Area {
  val channels = for (vc <- 0 until Vc.count) yield RouterChannel(
    params,
    requests = B(heads.map(head => head(vc).valid && head(vc).note.asUInt === port)),
    lasts = B(heads.map(_(vc).last)),
    returned = link.credit(vc)
  )
  channels(Vc.high).send := channels(Vc.high).ready
  channels(Vc.low).send := channels(Vc.low).ready && !channels(Vc.high).ready

  /** takes(input)(vc): that head flit leaves through this output now. */
  val takes = for (input <- heads.indices) yield channels.map(channel => channel.send && channel.choice(input))

  private val high = channels(Vc.high).ready
  private val send = channels.map(_.ready).orR
  private val choice = high ? channels(Vc.high).choice | channels(Vc.low).choice
  private val flit = LinkFlit()
  flit.data := Vec(heads.flatMap(_.map(_.data)))((OHToUInt(choice) ## high).asUInt)
  flit.last := high ? channels(Vc.high).last | channels(Vc.low).last
  flit.vc := high.asUInt

  private val valid = RegNext(send) init False
  private val sent = RegNextWhen(flit, send)
  link.flit.valid := valid
  link.flit.payload := sent
}
