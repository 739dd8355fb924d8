package turnstile.cpu

import spinal.core._
import vexriscv.VexRiscv
import vexriscv.plugin.{DBusSimplePlugin, PmpPlugin}

/** Physical memory protection of a core with user mode (RISC-V privileged manual): VexRiscv's, after the [[DBusSimplePlugin]] in the list.
  *
  * NAPOT alone; the first region that has an address rules. What is refused is an access fault, 5 or 7: DBusSimple says 13 or 15, a page's.
  *
  * @param regions     4, 8, 12 or 16
  * @param granularity bytes of the smallest region, from 8 on
  */
class ProtectionPlugin(regions: Int, granularity: Int) extends PmpPlugin(regions, granularity, ioRange = _ => False) {
  override def build(pipeline: VexRiscv): Unit = {
    super.build(pipeline)
    pipeline.service(classOf[DBusSimplePlugin]).memoryExceptionPort.code(3) := False
    for (port <- Seq(dPort, iPort)) port.bus.rsp.bypassTranslation := False // nobody reads it
  }
}
