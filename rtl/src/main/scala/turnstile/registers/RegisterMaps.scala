package turnstile.registers

/** The register maps of a site. Registers are described here and nowhere else: the RTL decodes by these blocks ([[RegisterDecode]]),
  * and the C header, the constants of the benches and the reference page are made from them (docs/developer/registers.md). */
object RegisterMaps {
  /** Blocks by who serves them. */
  private val alwaysOfSp = Seq(EventBlock, PageBlock, CommandBlock, SiteBlock)
  /** Of an sP whose site has a heap of so many pages. */
  def ownOfSp(pages: Int): Seq[RegisterBlock] = if (pages > PageBlock.pages) alwaysOfSp :+ PageBankBlock else alwaysOfSp
  val snooper = Seq(SnooperBlock)
  val niuSlave = Seq(ScratchBlock, GuardBlock, OnePollBlock)
  val message = Seq(MessageBlock, RingBlock, NameBlock)
  /** What the sP reaches at its register port. */
  val elsewhere = snooper ++ niuSlave ++ message
  /** Of sites that have DMA. */
  val dma = Seq(DmaBlock, TranslationBlock)

  val sp = RegisterMap("NIU", "Registers of the sP", AddressMap.spRegisters.base, (alwaysOfSp :+ PageBankBlock) ++ elsewhere ++ dma)
  val ap = RegisterMap("AP", "Registers of aPs", AddressMap.apRegisters.base, Seq(ApBlock))
  val expressReceive = RegisterMap("AP_EXPRESS_RX", "Express receive", AddressMap.apExpressReceive.base, Seq(ExpressReceivePage))
  val onePoll = RegisterMap("AP_ONEPOLL", "OnePoll", AddressMap.apOnePoll.base, Seq(ExpressReceivePage))
  val basic = RegisterMap("AP_BASIC", "Basic pointers", AddressMap.apBasic.base, Seq(BasicPage))
  /** Of cards that have a wire. */
  val wire = Seq(WireBlock)
  val host = RegisterMap("HOST", "Registers of the host", 0, Seq(HostBlock, LoaderBlock, MsixBlock) ++ wire)
  val all = Seq(sp, ap, expressReceive, onePoll, basic, host)

  /** Changes with any name, place, access or field of any register: who was made with another header finds out. */
  val buildId: Long = {
    val crc = new java.util.zip.CRC32
    for (map <- all; r <- map.registers)
      crc.update(s"${map.prefix} ${map.base} ${r.name} ${r.offset} ${r.access} ${r.count} ${r.stride} ${r.fields.map(f => (f.name, f.lsb, f.width))}".getBytes("UTF-8"))
    crc.getValue
  }

  /** Name, value, meaning, as [[AddressMap.constants]]. */
  val constants: Seq[(String, Long, String)] = Seq(
    ("HOST_MAGIC_VALUE", HostBlock.magicValue, "what HOST_MAGIC reads"), ("HOST_BUILD_ID_VALUE", buildId, "what HOST_BUILD_ID reads from a card of this header"))
}
