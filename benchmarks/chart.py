"""
Draws the chart of README from a record of `benchmarks.cpu`, once for light and once for dark pages.

    python -m benchmarks.chart benchmarks/results/cpu.json docs

For each example, GB/s of decoded text on two cores: fused, as two kernels, and the fastest of what
people use instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Figures: TypeAlias = Mapping[str, Any]
DATA = "dense"
"""Text, as the other kind of data has hardly a match."""
INK = {"light": "#1f2328", "dark": "#e6edf3"}
COLORS = {"vyre, fused": "#2f81f7", "vyre, two kernels": "#8ec0f7", "fastest rival": "#d9703c"}


class Bar(NamedTuple):
    """One bar of an example."""

    label: str
    gb_per_s: float
    name: str = ""
    """Of a rival."""


def bars_of(figures: Figures) -> dict[str, tuple[Bar, ...]]:
    """The bars of each example, the better runtime counting; those that were not fused have two."""
    rows = [row for row in figures["rows"] if row["data"] == DATA and "gb_per_s" in row]
    examples = dict.fromkeys(row["workload"] for row in rows)
    return {each: tuple(_bars(rows, each)) for each in examples}


def _bars(rows: Sequence[Figures], example: str) -> Iterator[Bar]:
    for label, form in zip(COLORS, ("fused", "unfused", "rival"), strict=True):
        best = max(
            (row for row in rows if (row["workload"], row["form"]) == (example, form)),
            key=lambda row: row["gb_per_s"],
        )
        yield Bar(label, best["gb_per_s"], best["runtime"] if form == "rival" else "")


def draw(figures: Figures, folder: Path) -> None:
    """Write `chart-light.svg` and `chart-dark.svg`."""
    matplotlib: Any = import_module("matplotlib")
    # The same figures give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "vyre", "svg.fonttype": "none", "font.size": 9})
    for theme, ink in INK.items():
        figure = _figure(bars_of(figures), ink, f"{figures['cores']} cores, text")
        path = folder / f"chart-{theme}.svg"
        metadata = {"Date": None}
        figure.savefig(path, format="svg", metadata=metadata, transparent=True, bbox_inches="tight")


def _figure(examples: Mapping[str, Sequence[Bar]], ink: str, title: str) -> Any:
    figure = import_module("matplotlib.figure").Figure(figsize=(7.2, 2.9))
    axes = figure.subplots()
    width = 0.26
    for number, (label, color) in enumerate(COLORS.items()):
        bars = [bars[number] for bars in examples.values()]
        places = [place + (number - 1) * (width + 0.02) for place in range(len(bars))]
        drawn = axes.bar(places, [bar.gb_per_s for bar in bars], width, color=color, label=label)
        axes.bar_label(drawn, fmt="{:.1f}", padding=2, color=ink, fontsize=7)
    axes.set_xticks(range(len(examples)), [each.replace("_", "\n→ ") for each in examples])
    for place, bars in enumerate(examples.values()):
        _name_rival(axes, place, bars[-1].name, ink)
    axes.margins(y=0.1)
    axes.tick_params(colors=ink, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(ink)
    axes.set_yticks([])
    figure.suptitle(
        f"GB/s of decoded data, {title}", x=0.13, y=1.05, ha="left", color=ink, fontsize=9
    )
    axes.legend(frameon=False, labelcolor=ink, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return figure


def _name_rival(axes: Any, place: int, name: str, ink: str) -> None:
    """Say below an example who the rival is: above its bar there is no room for a word."""
    axes.annotate(
        f"rival: {name}",
        (place, 0),
        xycoords=("data", "axes fraction"),
        xytext=(0, -29),
        textcoords="offset points",
        ha="center",
        va="top",
        color=ink,
        fontsize=7,
    )


def main() -> None:
    """Draw what the file of the command line holds into its folder."""
    if len(sys.argv) != 3:
        raise SystemExit("usage: python -m benchmarks.chart FILE.json FOLDER")
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
