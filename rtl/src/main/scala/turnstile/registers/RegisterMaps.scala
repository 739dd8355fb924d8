package turnstile.registers

/** The register maps of a site. Registers are described here and nowhere else: the RTL decodes by these blocks ([[RegisterDecode]]),
  * and the C header, the constants of the benches and the reference page are made from them (docs/developer/registers.md). */
object RegisterMaps {
  /** Blocks by who serves them. */
  private val alwaysOfSp = Seq(EventBlock, PageBlock, CommandBlock, SiteBlock)
  /** Of an sP whose site has a heap of so many pages. */
  def ownOfSp(pages: Int): Seq[RegisterBlock] = if (pages > PageBlock.pages) alwaysOfSp :+ PageBankBlock else alwaysOfSp
  val snooper = Seq(SnooperBlock)
  val niuSlave = Seq(ScratchBlock, GuardBlock)
  val message = Seq(MessageBlock, RingBlock, NameBlock)
  /** What the sP reaches at its register port. */
  val elsewhere = snooper ++ niuSlave ++ message

  val sp = RegisterMap("NIU", "Registers of the sP", AddressMap.spRegisters.base, (alwaysOfSp :+ PageBankBlock) ++ elsewhere)
  val ap = RegisterMap("AP", "Registers of aPs", AddressMap.apRegisters.base, Seq(ApBlock))
  val expressReceive = RegisterMap("AP_EXPRESS_RX", "Express receive", AddressMap.apExpressReceive.base, Seq(ExpressReceivePage))
  val basic = RegisterMap("AP_BASIC", "Basic pointers", AddressMap.apBasic.base, Seq(BasicPage))
  val all = Seq(sp, ap, expressReceive, basic)
}
