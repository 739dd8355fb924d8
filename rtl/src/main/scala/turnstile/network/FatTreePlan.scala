package turnstile.network

/** One router of a fat tree.
  *
  * @param level 0 next to the sites; the root level has four ports down, the others two down and two up
  * @param group which run of sites lies below: 2^(level+1) of them, all of them at a root
  * @param lane  which of the group's 2^level routers of this level; its bits are the turns taken on the way up
  */
case class RouterPlace(level: Int, group: Int, lane: Int)

/** What a router's port is joined to. */
sealed trait Neighbour
case class SiteBelow(site: Int) extends Neighbour
case class RouterPort(router: RouterPlace, port: Int) extends Neighbour
case object Absent extends Neighbour

/** The shape of a fat tree of 4-port routers for 2 to 64 sites.
  *
  * Up to four sites hang below one root: site, router, site is two hops. Every doubling beyond adds a level, with as many
  * links up as there are sites, so the bisection keeps full width; a pair passes at most 2*levels-1 routers. Sizes that are
  * not a power of two are the next power of two without the routers that have no site below.
  */
case class FatTreePlan(sites: Int) {
  require(
    sites >= 2 && sites <= 64,
    s"FatTree of $sites sites; legal: 2 to 64 (a single site's messages loop back inside the site)"
  )

  /** Bits of a site number that routers look at. */
  val bits: Int = (2 to 6).find(bits => sites <= (1 << bits)).get
  val levels: Int = bits - 1
  private val rootLevel = levels - 1

  def isRoot(router: RouterPlace): Boolean = router.level == rootLevel

  val routers: Seq[RouterPlace] = for {
    level <- 0 until levels
    group <- 0 until (if (level == rootLevel) 1 else 1 << (bits - level - 1))
    if ((group << (level + 1)) < sites)
    lane <- 0 until 1 << level
  } yield RouterPlace(level, group, lane)

  val index: Map[RouterPlace, Int] = routers.zipWithIndex.toMap

  /** Ports of a router that lead down. */
  def downPorts(router: RouterPlace): Range = 0 until (if (isRoot(router)) Router.ports else Router.firstUp)

  def below(router: RouterPlace, port: Int): Neighbour = {
    val child = 2 * router.group + port
    if (router.level == 0) { if (child < sites) SiteBelow(child) else Absent }
    else {
      val level = router.level - 1
      val place = RouterPlace(level, child, router.lane & ((1 << level) - 1))
      if (index.contains(place)) RouterPort(place, Router.firstUp + (router.lane >> level)) else Absent
    }
  }

  private val parents: Map[RouterPort, RouterPort] = (for {
    router <- routers
    port <- downPorts(router)
    child <- Some(below(router, port)).collect { case c: RouterPort => c }
  } yield child -> RouterPort(router, port)).toMap

  /** What every port of a router is joined to, in the order of the ports. */
  def neighbours(router: RouterPlace): Seq[Neighbour] =
    (0 until Router.ports).map(port => if (downPorts(router).contains(port)) below(router, port) else parents(RouterPort(router, port)))

  /** `RouterPosition.prefixMask` and `.prefix`. */
  def prefix(router: RouterPlace): (Int, Int) = {
    val mask = if (isRoot(router)) 0 else ((1 << bits) - 1) & ~((2 << router.level) - 1)
    (mask, (router.group << (router.level + 1)) & mask)
  }
}
