package turnstile.registers

import spinal.core._
import turnstile.contract.RegPort
import scala.collection.mutable

/** Serves the registers of `blocks` at `port`: a load answers in the next cycle, 0 where there is no register to be read. */
class RegisterBank(port: RegPort, blocks: RegisterBlock*) extends RegisterDecode(port.command.address, blocks: _*) {
  private val now, next = mutable.ListBuffer[(Bool, Bits)]()
  private val command = port.command
  Component.current.addPrePopTask(() => answer())

  /** `value`, of the cycle of the load. */
  def read(r: Register)(value: Bits): Unit = now += reads(r) -> value
  /** `value`, of the cycle after the load: from a block RAM that is read at [[index]], say. */
  def readNext(r: Register)(value: Bits): Unit = next += reads(r) -> value
  /** A load of `r` in this cycle. */
  def loads(r: Register): Bool = command.valid && !command.write && at(r)
  /** A store to `r` in this cycle, of `port.command.data`. */
  def stores(r: Register): Bool = command.valid && command.write && writes(r)

  private def either(values: Seq[(Bool, Bits)]): Seq[Bits] =
    values.map { case (hit, value) => hit ? value.resize(32) | B(0, 32 bits) }.reduceOption(_ | _).toSeq

  private def answer(): Unit = {
    val early = either(now.toSeq).map(RegNextWhen(_, command.valid))
    val late = either(next.toSeq.map { case (hit, value) => (RegNextWhen(hit, command.valid), value) })
    port.data := (early ++ late).reduceOption(_ | _).getOrElse(B(0, 32 bits))
  }
}
