package turnstile.snoop

/** Responder table at reset (VY-10; docs/reference/responder-table.md): a row a cls code, a column an op, in the order of their codes. */
object ResponderTableReset {
  private val letters = Map("P" -> 0, "PS" -> 1, "R" -> 2, "r" -> 3, "C" -> 4, "X" -> 5)
  private val rows = Seq(
    //                READ RDX UPG WB RP WP FLUSH CLEAN KILL
    /* OTHER     */  "R  R  R  C  R  R  R  R  R",
    /* INVALID   */  "R  R  r  X  R  R  P  P  P",
    /* SHARED    */  "PS R  R  X  P  R  P  P  P",
    /* EXCLUSIVE */  "P  P  P  P  P  P  P  P  P",
    /* PEND_READ */  "r  r  r  X  r  r  P  P  P",
    /* PEND_EXCL */  "r  r  r  X  r  r  P  P  P",
    /* PEND_DOWN */  "r  r  r  P  r  r  P  P  P",
    /* FILL      */  "r  r  r  r  r  r  r  r  r")

  /** Action codes [cls][op], 8 x 16; ops nobody has defined are retried. */
  val actions: Seq[Seq[Int]] = rows.map(_.split(" +").toSeq.map(letters).padTo(16, 3))
}
