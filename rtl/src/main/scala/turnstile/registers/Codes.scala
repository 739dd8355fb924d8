package turnstile.registers

import spinal.core.{SpinalEnum, SpinalEnumElement}

/** A name and its number. */
case class Code(name: String, value: Int)

/** Names of things that the RTL numbers. */
object Codes {
  private def members(of: AnyRef, result: Class[_]) = of.getClass.getMethods.toSeq
    .filter(m => m.getParameterCount == 0 && m.getDeclaringClass == of.getClass && result.isAssignableFrom(m.getReturnType))

  /** Elements of an enumeration by the names of its vals, in the order of their codes. */
  def of(e: SpinalEnum): Seq[Code] = members(e, classOf[SpinalEnumElement[_]])
    .map(m => Code(m.getName, m.invoke(e).asInstanceOf[SpinalEnumElement[_]].position)).sortBy(_.value)

  /** Integer vals of an object, in upper case, in the order of their values. */
  def of(numbers: AnyRef): Seq[Code] = members(numbers, classOf[Int])
    .map(m => Code(m.getName.replaceAll("([A-Z])", "_$1").toUpperCase, m.invoke(numbers).asInstanceOf[Int])).sortBy(_.value)
}
