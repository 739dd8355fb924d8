package turnstile.snoop

import spinal.core._
import turnstile.bus.BusOp

/** What an op asks of the protocol: the class of its fault event (docs/design/contract.md §5), 2 bits. */
object AccessClass extends SpinalEnum(binarySequential) {
  val READ, WRITE, UPGRADE, OTHER = newElement()
}

/** What an op asks for, one bit each: the notice of a waiting op also serves ops of the same or a weaker need. */
case class Need() extends Bundle {
  val exclusive, other = Bool()

  /** other serves other; exclusive serves exclusive and read; read serves read. */
  def covers(op: Need): Bool = other === op.other && (exclusive || !op.exclusive)
}

/** Properties of bus ops the approval rules need. */
object OpRules {
  /** Ops that never wait for the permission another op of the line waits for. */
  def maintenance(op: BusOp.C): Bool =
    op === BusOp.WRITE_BACK || op === BusOp.FLUSH || op === BusOp.CLEAN || op === BusOp.KILL

  def read(op: BusOp.C): Bool = op === BusOp.READ || op === BusOp.READ_PARTIAL
  def other(op: BusOp.C): Bool = op === BusOp.FLUSH || op === BusOp.CLEAN || op === BusOp.KILL
  /** Needs the line exclusive: READ_EXCLUSIVE, UPGRADE, WRITE_PARTIAL, WRITE_BACK. */
  def exclusive(op: BusOp.C): Bool = !read(op) && !other(op)

  def need(op: BusOp.C): Need = {
    val n = Need()
    n.exclusive := exclusive(op)
    n.other := other(op)
    n
  }

  def classOf(op: BusOp.C): AccessClass.C = {
    val c = AccessClass()
    c := AccessClass.WRITE
    when(read(op))(c := AccessClass.READ)
    when(op === BusOp.UPGRADE)(c := AccessClass.UPGRADE)
    when(other(op))(c := AccessClass.OTHER)
    c
  }
}
