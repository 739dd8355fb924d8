package turnstile.board

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** A part of the DRAM that is there.
  *
  * @param base     from the start of DRAM, a multiple of a power of two that is not below `bytes`
  * @param bytes    whole lines
  * @param contents beats of 16 bytes from `base` on when the device has been configured; the rest zeros
  */
case class BlockRegion(base: BigInt, bytes: BigInt, contents: Seq[BigInt] = Nil) {
  require(bytes > 0 && bytes % 64 == 0, s"block RAM of $bytes bytes at $base, legal a multiple of 64")
  private val bits = log2Up(bytes)
  require(base % (BigInt(1) << bits) == 0, s"block RAM of $bytes bytes at $base, legal a multiple of ${BigInt(1) << bits}")
  require(contents.size * 16 <= bytes, s"block RAM of $bytes bytes at $base: contents of ${contents.size * 16} bytes, legal at most $bytes")

  val words: Int = (bytes / 16).toInt
  def word(address: UInt): UInt = address(bits - 1 downto 4)
  def has(address: UInt): Bool = address(address.high downto bits) === (base >> bits) && word(address) <= words - 1
}

/** Block RAM in place of a site's DRAM, of which only `regions` are there, one behind the other in one memory. Elsewhere a read is zeros, a
  * write is lost, both are answered SLVERR and `stray` pulses.
  *
  * Latency: a read's first beat is on `r` three cycles after `ar`, then one a cycle; a write's beat one a cycle, `b` the cycle after the
  * last. Reads and writes pass each other: the DRAM home never has both of one line on their way.
  */
class BlockMemory(config: Axi4Config, regions: Seq[BlockRegion]) extends Component {
  val io = new Bundle {
    val axi = slave(Axi4(config))
    val stray = out Bool ()
  }
  private val words = regions.map(_.words).sum
  private val ram = Mem(Bits(config.dataWidth bits), words).addAttribute("no_rw_check")
  if (regions.exists(_.contents.nonEmpty)) ram.initBigInt(regions.flatMap(r => r.contents.padTo(r.words, BigInt(0))))
  private def inside(address: UInt): Bool = regions.map(_.has(address)).orR
  private def word(address: UInt): UInt = {
    val begins = regions.scanLeft(0)(_ + _.words)
    regions.zip(begins).map { case (r, begin) => (r.word(address).resize(log2Up(words)) + begin).andMask(r.has(address)) }.reduce(_ | _)
  }
  private def response(fine: Bool): Bits = fine ? Axi4.resp.OKAY | Axi4.resp.SLVERR

  private val asked = io.axi.ar.unburstify.m2sPipe()
  private val answered = asked.m2sPipe()
  private val there = RegNextWhen(inside(asked.addr), asked.ready)
  private val data = ram.readSync(word(asked.addr), asked.ready)
  io.axi.r.arbitrationFrom(answered)
  io.axi.r.data := there.mux(data, B(0))
  io.axi.r.id := answered.id
  io.axi.r.last := answered.last
  io.axi.r.resp := response(there)

  private val placed = io.axi.aw.unburstify.m2sPipe()
  private val written = StreamJoin.arg(placed, io.axi.w)
  private val here = inside(placed.addr)
  ram.write(word(placed.addr), io.axi.w.data, written.fire && here, io.axi.w.strb)
  private val done = Stream(Axi4B(config))
  done.arbitrationFrom(written.takeWhen(placed.last))
  done.id := placed.id
  done.resp := response(here)
  io.axi.b << done.m2sPipe()

  io.stray := RegNext(asked.fire && !inside(asked.addr) || written.fire && !here) init False
}
