"""Plots as SVG text, drawn by matplotlib: what the pages of runs show. The same numbers give the same text."""
import io
from collections.abc import Sequence

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "turnstile", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False,
                            "axes.spines.right": False})
import matplotlib.pyplot as plt  # noqa: E402

WIDTH = 8.0  # inches
ROW = 0.28
Series = dict[str, Sequence[float]]


def _text(figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    plt.close(figure)
    return out.getvalue()[out.getvalue().index("<svg"):]


def _axes(rows: int):
    figure, axes = plt.subplots(figsize=(WIDTH, 0.9 + ROW * rows), layout="constrained")
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter("{x:,.10g}")
    return figure, axes


def _legend(figure, series: Series) -> None:
    if len(series) > 1:
        figure.legend(loc="outside lower center", ncols=len(series), frameon=False)


def stacked(labels: Sequence[str], series: Series, unit: str, form: str = "{:,.0f}", most: float | None = None) -> str:
    """A bar a label, its parts side by side, the sum at its end. `most`: end of the axis, for shares of a whole."""
    figure, axes = _axes(len(labels) + (len(series) > 1))
    left = [0.0] * len(labels)
    for name, values in series.items():
        bars = axes.barh(labels, values, left=left, label=name, height=0.7)
        left = [a + b for a, b in zip(left, values)]
    axes.bar_label(bars, labels=[form.format(total) for total in left], padding=3)
    axes.set_xlim(0, most or 1.15 * (max(left, default=0) or 1))
    axes.set_xlabel(unit)
    _legend(figure, series)
    return _text(figure)


def grouped(labels: Sequence[str], series: Series, unit: str, form: str = "{:,.0f}") -> str:
    """The series beside each other under each label."""
    figure, axes = _axes(len(labels) * len(series) + 1)
    height = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        bars = axes.barh([k + (i + 0.5) * height - 0.4 for k in range(len(labels))], values, height=height, label=name)
        axes.bar_label(bars, labels=[form.format(v) for v in values], padding=3)
    axes.set_yticks(range(len(labels)), labels)
    axes.margins(x=0.12)
    axes.set_xlabel(unit)
    _legend(figure, series)
    return _text(figure)


def curves(series: dict[str, tuple[Sequence[float], Sequence[float]]], x: str, y: str) -> str:
    """A curve a name, of its x and y; a single point is a mark."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2), layout="constrained")
    for name, (xs, ys) in series.items():
        axes.plot(xs, ys, marker="o", markersize=4, label=name)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=len(series), frameon=False)
    return _text(figure)
