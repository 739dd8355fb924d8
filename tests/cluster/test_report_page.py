"""The page of a run says what report.json says, and its bars are as long as their numbers."""
import re
import sys
from xml.etree import ElementTree

import pytest
from cluster_runs import ROOT, right, run

sys.path.insert(0, str(ROOT / "tools"))
import plots  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def bar_lengths(svg: str) -> list[float]:
    """Widths of the filled rectangles in the axes: those clipped to them."""
    found = []
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("clip-path"):
            xs = [float(x) for x, _ in re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path.get("d"))]
            found.append(max(xs) - min(xs))
    return found


@pytest.mark.parametrize("share", [1, 5, 50, 99])
def test_a_bar_of_a_share_fills_that_share(share):
    part, whole = bar_lengths(plots.stacked(["a", "b"], {"": [share, 100]}, "%", most=100))
    assert part / whole == pytest.approx(share / 100, abs=0.002)


def test_grouped_bars_are_in_the_ratio_of_their_numbers():
    lengths = bar_lengths(plots.grouped(["read", "write"], {"here": [10, 40], "there": [20, 5]}, "cycles"))
    assert [length / lengths[0] for length in lengths] == pytest.approx([1, 4, 2, 0.5], abs=0.01)


def test_no_label_leaves_the_picture():
    label = "a very long label of a stage that nobody expected"
    svg = ElementTree.fromstring(plots.stacked([label], {"": [123456789]}, "cycles"))
    (text,) = [t for t in svg.iter(f"{SVG}text") if t.text == label]
    x, _ = map(float, re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", text.get("transform")).groups()) if "translate" in (text.get("transform") or "") else (
        float(text.get("x")), 0)
    narrowest = 3.5  # of a letter, at 9 points
    ends = "end" in (text.get("style") or "") or text.get("text-anchor") == "end"
    assert (x - narrowest * len(label) if ends else x) >= 0


def test_the_page_shows_the_speed_up_of_the_parallel_part():
    """1 and 2 sites of one program: the page's factor is that of the cycles between marks 1 and 2, as in `make demo`."""
    runs = [right(run("em3d", sites=sites, arguments="-n 48", page=1, name=f"test-page-s{sites}")) for sites in (1, 2)]
    parallel = []
    for done in runs:
        at = {value: cycle for cycle, site, ap, value, _ in done.report["marks"] if (site, ap) == (0, 0)}
        parallel.append(at[2] - at[1])
    page = (ROOT / "build/run/test-page-s2/report.html").read_text()
    assert f">{parallel[0] / parallel[1]:.2f}x<" in page
    uncached, local = runs[1].report["misses"]["uncached"], runs[1].report["misses"]["local"]
    assert f"{uncached:,}, mean" in page and f"{local:,}, mean" in page
    assert sum(runs[1].report["misses"]["local_histogram"].values()) == local, "what an aP does to look for a message is no miss"
    dearest = runs[1].report["hot_pages"][0]
    assert f"<td>{dearest['page']:#x}<td>{dearest['misses']:,}<td>{dearest['cycles']:,}<td>" in page
