package turnstile.header

import turnstile.bus.BusOp
import turnstile.contract.{Action, Cls, EventIndex, NiuOpcode}
import turnstile.pcie.HostFaultCause
import turnstile.registers.{Code, Codes, HostCapability, HostVector}

/** Numbers with names: prefix in the headers, meaning, names. */
case class CodeTable(prefix: String, description: String, codes: Seq[Code])

/** What the header, the Python module and the reference page say beside the register maps and the address map. */
object CodeTable {
  val all = Seq(
    CodeTable("EVENT", "Events; a fault's number is EVENT_FAULT + cls * 4 + class (0 read, 1 write, 2 upgrade, 3 other)", Codes.of(EventIndex)),
    CodeTable("BUS_OP", "Site Bus ops; responder table index = cls * 16 + op", Codes.of(BusOp)),
    CodeTable("CLS", "cls codes (VY-09)", Codes.of(Cls)),
    CodeTable("ACTION", "Actions of the responder table (VY-10)", Codes.of(Action)),
    CodeTable("NIU_OP", "Commands, in the order of their launch registers", Codes.of(NiuOpcode)),
    CodeTable("CAPABILITY_KIND", "Blocks that a card tells its driver of", Codes.of(HostCapability)),
    CodeTable("HOST_VECTOR", "Interrupts of a card", Codes.of(HostVector)),
    CodeTable("HOST_CAUSE", "What became of a host's access to shared memory, in HOST_FAULT", Codes.of(HostFaultCause)))
}
