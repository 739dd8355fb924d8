package turnstile.pcie

import spinal.core._
import spinal.lib._

/** Cuts a read into what one completion may carry: an endpoint's completions end at multiples of 128 bytes, which is the smallest payload a
  * root complex may set, so its setting does not matter.
  *
  * Latency: the first part is there in the cycle after the read, then one a cycle; the next read is taken as the last part goes.
  */
class ReadSplit extends Component {
  val io = new Bundle {
    val read = slave(Stream(HostRead()))
    val part = master(Stream(ReadPart()))
  }
  private val read = Reg(HostRead())
  private val running = RegInit(False)
  private val word = Reg(UInt(10 bits))
  private val left = Reg(UInt(11 bits))
  private val bytes = Reg(UInt(13 bits))
  private val lower = Reg(UInt(2 bits))

  private val room = U(32, 6 bits) - word(4 downto 0)
  private val ends = left <= room || read.status =/= CompletionStatus.SUCCESSFUL
  io.part.valid := running
  io.part.read := read
  io.part.ends := ends
  io.part.address := read.address(BarAddress.width - 1 downto 12) @@ word @@ U"00"
  io.part.dwords := (left <= room) ? left.resize(6) | room
  when(read.status =/= CompletionStatus.SUCCESSFUL)(io.part.dwords := 0)
  io.part.byteCount := bytes
  io.part.lowerAddress := word(4 downto 0) @@ lower
  when(io.part.fire) {
    word := word + room
    left := left - room
    bytes := bytes - ((room @@ U"00") - lower)
    lower := 0
    running := !ends
  }

  // Bytes before the first enabled one and behind the last; a read of none counts as one.
  private def lead(be: Bits): UInt = PriorityMux((0 to 3).map(i => be(i) -> U(i, 2 bits)) :+ (True -> U(0, 2 bits)))
  private def trail(be: Bits): UInt = PriorityMux((0 to 3).map(i => be(3 - i) -> U(i, 2 bits)) :+ (True -> U(3, 2 bits)))
  private val one = io.read.descriptor.dwords === 1
  io.read.ready := !running || io.part.fire && ends
  when(io.read.fire) {
    read := io.read.payload
    running := True
    word := io.read.address(11 downto 2)
    left := io.read.descriptor.dwords
    lower := lead(io.read.firstBe)
    bytes := (io.read.descriptor.dwords @@ U"00") - lead(io.read.firstBe) - trail(one ? io.read.firstBe | io.read.lastBe)
  }
}
