package turnstile.board

import java.nio.file.{NoSuchFileException, Path}

import spinal.core._
import spinal.lib.bus.amba4.axi.Axi4SpecRenamer
import turnstile.bus.{BusParams, DramHomeParams}
import turnstile.gen.{BadArgument, Params, UnitList}
import turnstile.site.{Units => SiteUnits}

object Units extends UnitList {
  private def image(folder: String): BoardImage =
    if (folder.isEmpty) BoardImage()
    else
      try BoardImage.read(Path.of(folder))
      catch { case missing: NoSuchFileException => throw new BadArgument(s"image=$folder: there is no ${missing.getMessage}; tools/board_image.py writes it") }

  private def board(p: Params) = BoardParams(
    clock = HertzNumber(p.long("clockHz", 40000000L)), baud = p.int("baud", 115200), window = p.long("windowBytes", 48 << 10),
    heap = p.long("heapBytes", 48 << 10), image = image(p.string("image", "")), assertions = p.boolean("assertions", true))

  /** Two regions, the second with contents, for benches. */
  private def memory = {
    val top = new BlockMemory(DramHomeParams(BusParams(masters = 2, caches = 1)).axi, Seq(BlockRegion(0, 192), BlockRegion(4096, 1024, Seq(BigInt("0123456789ABCDEF", 16)))))
    Axi4SpecRenamer(top.io.axi)
    top
  }

  val tops = Seq[(String, Params => Component)](
    "BlockMemory" -> (_ => memory),
    "Console" -> (p => new Console(HertzNumber(p.long("clockHz", 8000000)), p.int("baud", 1000000), depth = p.int("depth", 16))),
    "BoardSite" -> (p => new BoardSite(board(p))),
    "CardSite" -> (p => new CardSite(SiteUnits.card(p))))
}
