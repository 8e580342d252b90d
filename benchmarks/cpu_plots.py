"""
Draws the figures of `benchmarks.cpu` as SVG, by matplotlib.

    python -m benchmarks.cpu_plots benchmarks/results/cpu.json docs

For each kind of data, bars (GB/s of decoded data by workload, of each runtime and each rival) and a
roofline: GB/s of decoded data against the bytes that have to be moved for each of them, below what
plain reads allow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

Figures: TypeAlias = Mapping[str, Any]
FORMS = {"fused": "#2166ac", "unfused": "#92c5de", "fused before": "#bababa", "rival": "#d6604d"}
"""What is drawn, and in which colour."""
MARKERS = "osD^v"
"""One for each workload."""
WHOLE_BUFFERS = "numpy"
"""The rival that moves more than its input, and how much depends on the workload."""


def draw(figures: Mapping[str, Any], folder: Path) -> None:
    """Write the plots of a record into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib: Any = import_module("matplotlib")
    # The same figures give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "vyre", "svg.fonttype": "none", "font.size": 8})
    for data in dict.fromkeys(row["data"] for row in figures["rows"]):
        rows = [row for row in figures["rows"] if row["data"] == data]
        title = f"{figures['decoded_mib']} MiB decoded, {figures['cores']} cores, data: {data}"
        for name, plot in (("bars", _bars), ("roofline", _roofline)):
            figure = plot(rows, title)
            path = folder / f"cpu-{name}-{data}.svg"
            figure.savefig(path, format="svg", metadata={"Date": None}, bbox_inches="tight")


def _workloads(rows: Sequence[Figures]) -> list[str]:
    return list(dict.fromkeys(row["workload"] for row in rows))


def _drawn(rows: Sequence[Figures], workload: str) -> Iterator[Figures]:
    """What a workload has bars for, the fastest last."""
    own = (row for row in rows if row["workload"] == workload and row["form"] in FORMS)
    yield from sorted((row for row in own if "gb_per_s" in row), key=lambda row: row["gb_per_s"])


def _bars(rows: Sequence[Figures], title: str) -> Any:
    """A row of bars for each way, below one another for each workload."""
    workloads = _workloads(rows)
    figure = import_module("matplotlib.figure").Figure(figsize=(7, 2.2 * len(workloads)))
    figure.suptitle(f"GB/s of decoded data; {title}")
    all_axes = figure.subplots(len(workloads), 1, squeeze=False)[:, 0]
    for axes, workload in zip(all_axes, workloads, strict=True):
        drawn = list(_drawn(rows, workload))
        speeds, colors = [row["gb_per_s"] for row in drawn], [FORMS[row["form"]] for row in drawn]
        bars = axes.barh([_label(row) for row in drawn], speeds, color=colors)
        axes.bar_label(bars, fmt="%.2f", padding=2)
        axes.set_title(workload, loc="left")
        axes.margins(x=0.12)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    return figure


def _label(row: Figures) -> str:
    return row["runtime"] if row["form"] == "rival" else f"{row['runtime']}, {row['form']}"


def _roofline(rows: Sequence[Figures], title: str) -> Any:
    """A mark for each way that moves what is known, below the line of plain reads."""
    figure = import_module("matplotlib.figure").Figure(figsize=(7, 4.5))
    axes = figure.subplots()
    limit = max(row["gb_per_s"] for row in rows if row["form"] == "plain read")
    for workload, marker in zip(_workloads(rows), MARKERS, strict=False):
        axes.scatter([], [], color="black", marker=marker, label=workload)
        for row in _drawn(rows, workload):
            if row["runtime"] != WHOLE_BUFFERS:
                color = FORMS[row["form"]]
                axes.scatter(_moved(row), row["gb_per_s"], color=color, marker=marker, s=24)
    for form, color in FORMS.items():
        axes.scatter([], [], color=color, marker="s", label=form)
    ends = 0.8, 6.0
    roof = [limit / moved for moved in ends]
    axes.plot(ends, roof, color="black", linewidth=1, label=f"plain read, {limit:.1f} GB/s")
    axes.set(xscale="log", yscale="log", xlabel="bytes moved for each decoded byte")
    axes.set_xticks([1, 2, 3, 4, 6], labels="12346")
    axes.set_xticks([], minor=True)
    axes.set(ylabel="GB/s of decoded data", title=title)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _moved(row: Figures) -> float:
    """Bytes that a way has to move for each decoded one, where a handoff in the caches is free."""
    encoded = row["encoded_bytes"] / row["decoded_bytes"]
    return encoded + 2 if row["form"].startswith("unfused") else encoded


def main() -> None:
    """Draw what the file of the command line holds into its folder."""
    if len(sys.argv) != 3:
        raise SystemExit("usage: python -m benchmarks.cpu_plots FILE.json FOLDER")
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
