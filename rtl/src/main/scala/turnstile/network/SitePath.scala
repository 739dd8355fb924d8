package turnstile.network

import spinal.core._
import spinal.lib._

/** Bench top: everything between the packets of site 0's TxU and the last site's RxU, in a tree of `params.sites`.
  *
  * `flips(0)` is XORed onto the data of the link into the tree, `flips(1)` onto that of the link out of it (VY-T18).
  * `bad` and `output` are those of `LinkRx`.
  */
class SitePath(params: NetworkParams) extends Component {
  val io = new Bundle {
    val input = Vec.fill(Vc.count)(slave(Stream(Fragment(Bits(64 bits)))))
    val output = Vec.fill(Vc.count)(master(Stream(Fragment(Bits(64 bits)))))
    val bad = out(Bits(Vc.count bits))
    val flips = in(Vec.fill(2)(Bits(64 bits)))
    val crcErrors = out(UInt(16 bits))
  }

  private val tree = new FatTree(params)
  private val tx = new LinkTx(params)
  private val rx = new LinkRx(params)
  io.crcErrors := tree.io.crcErrors.map(_.resize(16 bits)).reduceBalancedTree(_ + _)

  private def join(receiver: Link, sender: Link, flip: Bits): Unit = {
    val flit = LinkFlit()
    flit.data := sender.flit.data ^ flip
    flit.assignUnassignedByName(sender.flit.payload)
    receiver.flit << sender.flit.translateWith(flit)
    sender.credit := receiver.credit
  }
  tree.io.fromSite.drop(1).foreach(_.flit.setIdle())
  tree.io.toSite.dropRight(1).foreach(_.credit := 0)
  join(tree.io.fromSite.head, tx.io.link, io.flips(0))
  join(rx.io.link, tree.io.toSite.last, io.flips(1))

  for (vc <- 0 until Vc.count) {
    tx.io.packets(vc) << io.input(vc)
    rx.io.loop(vc).setIdle()
    io.output(vc) << rx.io.packets(vc)
  }
  io.bad := rx.io.bad
}
