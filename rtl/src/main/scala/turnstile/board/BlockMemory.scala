package turnstile.board

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** A part of the DRAM that is there.
  *
  * @param base     from the start of DRAM, a multiple of `bytes`
  * @param bytes    a power of two, 64 or more
  * @param contents beats of 16 bytes from `base` on when the device has been configured; the rest zeros
  */
case class BlockRegion(base: BigInt, bytes: BigInt, contents: Seq[BigInt] = Nil) {
  require(isPow2(bytes) && bytes >= 64 && base % bytes == 0, s"block RAM of $bytes bytes at $base, legal a power of two from 64 on, at a multiple of itself")
  require(contents.size * 16 <= bytes, s"block RAM of $bytes bytes at $base: contents of ${contents.size * 16} bytes, legal at most $bytes")

  val words: Int = (bytes / 16).toInt
  def has(address: UInt): Bool = address(address.high downto log2Up(bytes)) === (base >> log2Up(bytes))
  def word(address: UInt): UInt = address(4, log2Up(words) bits)
}

/** Block RAM in place of a site's DRAM, of which only `regions` are there. Elsewhere a read is zeros, a write is lost, both are answered
  * SLVERR and `stray` pulses.
  *
  * Latency: a read's first beat is on `r` three cycles after `ar`, then one a cycle; a write's beat one a cycle, `b` the cycle after the
  * last. Reads and writes pass each other: the DRAM home never has both of one line on their way.
  */
class BlockMemory(config: Axi4Config, regions: Seq[BlockRegion]) extends Component {
  val io = new Bundle {
    val axi = slave(Axi4(config))
    val stray = out Bool ()
  }
  private val rams = regions.map { region =>
    val ram = Mem(Bits(config.dataWidth bits), region.words).addAttribute("no_rw_check")
    if (region.contents.nonEmpty) ram.initBigInt(region.contents.padTo(region.words, BigInt(0)))
    ram
  }
  private def inside(address: UInt): Bits = B(regions.map(_.has(address)))
  private def response(fine: Bool): Bits = fine ? Axi4.resp.OKAY | Axi4.resp.SLVERR

  private val asked = io.axi.ar.unburstify.m2sPipe()
  private val answered = asked.m2sPipe()
  private val from = RegNextWhen(inside(asked.addr), asked.ready)
  private val words = for ((region, ram) <- regions zip rams) yield ram.readSync(region.word(asked.addr), asked.ready)
  io.axi.r.arbitrationFrom(answered)
  io.axi.r.data := MuxOH.or(from, words)
  io.axi.r.id := answered.id
  io.axi.r.last := answered.last
  io.axi.r.resp := response(from.orR)

  private val placed = io.axi.aw.unburstify.m2sPipe()
  private val written = StreamJoin.arg(placed, io.axi.w)
  private val to = inside(placed.addr)
  for (((region, ram), here) <- regions zip rams zip to.asBools)
    ram.write(region.word(placed.addr), io.axi.w.data, written.fire && here, io.axi.w.strb)
  private val done = Stream(Axi4B(config))
  done.arbitrationFrom(written.takeWhen(placed.last))
  done.id := placed.id
  done.resp := response(to.orR)
  io.axi.b << done.m2sPipe()

  io.stray := RegNext(asked.fire && !inside(asked.addr).orR || written.fire && !to.orR) init False
}
