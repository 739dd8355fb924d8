package turnstile.link

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle

/** Beats of 64 bits into words of a MAC's width, the first in the lowest bits; a frame's last word may have fewer, as `keep` says. A word goes in the
  * cycle of its last beat. `clear` forgets the beats of a word that has begun.
  */
class WordPacker(macBits: Int) extends Component {
  private val lanes = macBits / 64
  val io = new Bundle {
    val clear = in(Bool())
    val beats = slave(Stream(Axi4StreamBundle(Wire.stream())))
    val words = master(Stream(Axi4StreamBundle(Wire.stream(macBits))))
  }
  private val lane = Reg(UInt(log2Up(lanes) bits)) init 0
  private val before = Vec.fill(lanes - 1)(Reg(Axi4StreamBundle(Wire.stream())))
  private val ends = io.beats.last || lane === lanes - 1
  io.words.valid := io.beats.valid && ends
  io.beats.ready := io.words.ready || !ends
  for (n <- 0 until lanes) {
    val kept = if (n < lanes - 1) Mux(lane > n, before(n), io.beats.payload) else io.beats.payload
    io.words.data.subdivideIn(64 bits)(n) := kept.data
    io.words.keep.subdivideIn(8 bits)(n) := Mux(lane >= n, kept.keep, B(0, 8 bits))
  }
  io.words.last := io.beats.last
  io.words.user.setAllTo(io.beats.user.orR)
  when(io.beats.fire) {
    for (n <- 0 until lanes - 1) when(lane === n)(before(n) := io.beats.payload)
    lane := ends ? U(0) | lane + 1
  }
  when(io.clear)(lane := 0)
}

/** Words of a MAC's width into beats of 64 bits, one a cycle. A last word ends with the highest beat of which `keep` has a byte; any other has all its
  * beats, with the `keep` they came with. `clear` goes back to a word's first beat.
  */
class WordSplitter(macBits: Int) extends Component {
  private val lanes = macBits / 64
  val io = new Bundle {
    val clear = in(Bool())
    val words = slave(Stream(Axi4StreamBundle(Wire.stream(macBits))))
    val beats = master(Stream(Axi4StreamBundle(Wire.stream())))
  }
  private val lane = Reg(UInt(log2Up(lanes) bits)) init 0
  private val keeps = io.words.keep.subdivideIn(8 bits)
  private val above = Vec((0 until lanes).map(n => (n + 1 until lanes).map(keeps(_).orR).orR))
  private val ends = lane === lanes - 1 || io.words.last && !above(lane)
  io.beats.valid := io.words.valid
  io.words.ready := io.beats.ready && ends
  io.beats.data := io.words.data.subdivideIn(64 bits)(lane)
  io.beats.keep := keeps(lane)
  io.beats.last := io.words.last && ends
  io.beats.user.setAllTo(io.words.user.orR)
  when(io.beats.fire)(lane := ends ? U(0) | lane + 1)
  when(io.clear)(lane := 0)
}
