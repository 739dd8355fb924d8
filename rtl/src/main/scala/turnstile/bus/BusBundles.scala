package turnstile.bus

import spinal.core._
import spinal.lib._
import turnstile.registers.MemoryLayout

/** Site Bus operations (contract §2), numbered as the responder table's columns. */
object BusOp extends SpinalEnum(binarySequential) {
  val READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL, FLUSH, CLEAN, KILL = newElement()

  /** Data flows to the master. */
  def reads(op: BusOp.C): Bool = op === READ || op === READ_EXCLUSIVE || op === READ_PARTIAL
  /** Data flows from the master. */
  def writes(op: BusOp.C): Bool = op === WRITE_BACK || op === WRITE_PARTIAL
  /** One beat under a byte mask, not a line. */
  def partial(op: BusOp.C): Bool = op === READ_PARTIAL || op === WRITE_PARTIAL
}

/** Who moves the data of an op that was not retried. NONE: an op without data. */
object Responder extends SpinalEnum(binarySequential) {
  val NONE, MEMORY, CACHE, NIU = newElement()
}

/** Fixed properties of a Site Bus.
  *
  * @param masters     number of masters, 1 to 16
  * @param caches      number of snooping caches (snoop ports before the NIU's two)
  * @param memory      DRAM behind the bus
  */
case class BusParams(masters: Int, caches: Int, memory: MemoryLayout = MemoryLayout()) {
  require(masters >= 1 && masters <= BusParams.ids, s"Site Bus: $masters masters, legal 1 to ${BusParams.ids}")
  require(caches >= 0 && caches < masters, s"Site Bus: $caches caches, legal 0 to ${masters - 1}")
  val addressWidth = 32
  val dataWidth = 128
  val lineBytes = 64
  val beats = lineBytes * 8 / dataWidth
  val heapBase = memory.heapBase
  val heapEnd = memory.heapEnd

  def inMemory(a: UInt): Bool = memory.has(a)
  /** Snooped DRAM: the S-COMA frames of the shared heap. */
  def inHeap(a: UInt): Bool = inMemory(a) && a >= heapBase && a < heapEnd
}

object BusParams {
  /** A master's id has 4 bits. */
  val ids = 16
}

/** What a master asks for. `address`: byte address; line ops ignore [5:0]. `mask`: byte lanes of the 16 B beat, partial ops. */
case class BusRequest() extends Bundle {
  val op = BusOp()
  val address = UInt(32 bits)
  val mask = Bits(16 bits)
  val bypass = Bool()
}

/** Verdict as the master sees it, three cycles after the broadcast. `error`: nobody answers that address. `conflict` (with `retry`):
  * the line is on its way elsewhere and will soon be free. */
case class BusAnswer() extends Bundle {
  val retry, shared, error, conflict = Bool()
}

/** A master's side of the bus. */
case class BusMasterPort() extends Bundle with IMasterSlave {
  val request = Stream(BusRequest())
  val answer = Flow(BusAnswer())
  val read = Flow(Fragment(Bits(128 bits)))
  /** Data out: write-backs, partial writes and, for a cache, interventions, in the order of their verdicts. */
  val write = Stream(Fragment(Bits(128 bits)))
  /** An approval was given: reissue a retried op now. */
  val wake = Bool()

  override def asMaster(): Unit = {
    master(request, write)
    slave(answer, read)
    in(wake)
  }
}

/** T0 broadcast. */
case class SnoopRequest() extends Bundle {
  val master = UInt(4 bits)
  val op = BusOp()
  val address = UInt(32 bits)
  val mask = Bits(16 bits)
  val bypass = Bool()
}

/** T2 answer of one snooper; false when it has nothing to say. */
case class SnoopAnswer() extends Bundle {
  val retry, shared, intervene, claim = Bool()
}

/** T3 verdict. `conflict`: the bus itself retried it; it was not broadcast and no snooper answered it. */
case class Verdict() extends Bundle {
  val request = SnoopRequest()
  val retry, shared, error, conflict = Bool()
  val responder = Responder()
}

/** A snooper's side of the bus: master = the bus. */
case class SnoopPort() extends Bundle with IMasterSlave {
  val request = Flow(SnoopRequest())
  val answer = SnoopAnswer()
  val verdict = Flow(Verdict())

  override def asMaster(): Unit = {
    master(request, verdict)
    in(answer)
  }
}

/** Command to the DRAM home: a whole line, or one masked beat. */
case class MemoryCommand() extends Bundle {
  val write = Bool()
  val line = Bool()
  val address = UInt(32 bits)
  val mask = Bits(16 bits)
  val master = UInt(4 bits)
}

/** A beat of the memory read bus. */
case class ReadBeat() extends Bundle {
  val master = UInt(4 bits)
  val data = Bits(128 bits)
}

/** Bus to DRAM home: master = the bus. Write beats come in the order of the write commands. */
case class MemoryPort() extends Bundle with IMasterSlave {
  val command = Stream(MemoryCommand())
  val write = Stream(Fragment(Bits(128 bits)))
  val read = Flow(Fragment(ReadBeat()))

  override def asMaster(): Unit = {
    master(command, write)
    slave(read)
  }
}

/** Data of claimed ops, in verdict order: master = the bus. `read`: NIU supplies; `write`: NIU sinks. */
case class ClaimPort() extends Bundle with IMasterSlave {
  val read = Stream(Fragment(Bits(128 bits)))
  val write = Stream(Fragment(Bits(128 bits)))

  override def asMaster(): Unit = {
    slave(read)
    master(write)
  }
}
