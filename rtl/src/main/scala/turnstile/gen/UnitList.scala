package turnstile.gen

import spinal.core.Component
import turnstile.registers.{AddressMap, MemoryLayout}

/** What one unit offers to `tools/rtlgen`, to the benches and to `make lint`: its top components by name.
  *
  * A unit package `turnstile.<unit>` holds one `object Units extends UnitList`; [[Main]] finds it by its name.
  */
trait UnitList {

  /** Name of a top (`"Snooper"` of `snoop/Snooper`) to a function that builds it from the `key=value` arguments. */
  def tops: Seq[(String, Params => Component)]
}

/** The `key=value` arguments of one generator run. A key that nobody asks for is an error: see [[unused]]. */
class Params(values: Map[String, String]) {
  private val asked = scala.collection.mutable.LinkedHashSet[String]()

  def string(key: String, default: String): String = { asked += key; values.getOrElse(key, default) }

  /** An integer, decimal or 0x hexadecimal. */
  def int(key: String, default: Int): Int = number(key, default) { t =>
    java.lang.Integer.decode(t).intValue
  }

  def long(key: String, default: Long): Long = number(key, default) { t =>
    java.lang.Long.decode(t).longValue
  }

  /** DRAM of a site: `memoryBytes`, `heapBytes`, `privateBytes`. */
  def memory: MemoryLayout = MemoryLayout(long("memoryBytes", AddressMap.defaultMemory), long("heapBytes", 0), long("privateBytes", AddressMap.privateWindow.bytes))

  def boolean(key: String, default: Boolean): Boolean = string(key, default.toString) match {
    case "true" | "1"  => true
    case "false" | "0" => false
    case other         => throw new BadArgument(s"$key=$other is not a boolean: say true, false, 1 or 0")
  }

  private def number[T](key: String, default: T)(parse: String => T): T = {
    val text = string(key, default.toString)
    try parse(text)
    catch { case _: NumberFormatException => throw new BadArgument(s"$key=$text is not an integer in range") }
  }

  /** The keys given but never asked for; `known` are those asked for. */
  def unused: Seq[String] = values.keys.filterNot(asked.contains).toSeq.sorted
  def known: Seq[String]  = asked.toSeq
}

/** A mistake in the arguments: printed as its message alone, exit status 2. */
class BadArgument(message: String) extends Exception(message)
