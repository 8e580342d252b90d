"""
Which passes change which of the programs that are shipped, and compiled for what.

    python -m benchmarks.passes_at_work

A pass that changes none of them has nothing to show for its time: it gets a program in
`benchmarks/programs/`, by its name below, or goes. A test asks that of all passes of vyre that take
part in schedules.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vyre_dialect.passes.program.drop_claims import DropClaimsPass
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.registry import scheduled_passes
from vyre_dialect.runtime.program.compilation import load_module, make_context

_ROOT = Path(__file__).resolve().parent.parent
SHOWN = ("layers", "records", "sampled_words", "tags")
"""The programs beside the examples; the others in their folder are of the gate."""
OF_THE_GATE = (
    "edge_pixels",
    "month_of_orders",
    "nibble_histogram",
    "q6_interleaved",
    "two_accounts",
    "utf8_points",
    "volume_surface",
    "weekend_sales",
)
"""Those of the gate by which a pass shows what it is for."""
PROGRAMS = (
    *sorted((_ROOT / "examples").glob("*.mlir")),
    *(_ROOT / "benchmarks" / "programs" / f"{name}.mlir" for name in (*SHOWN, *OF_THE_GATE)),
)
GPU = ("has_own_local_mem=true", "local_mem_bytes=49152", "compute_units=132")
CPU = ("has_own_local_mem=false", "local_mem_bytes=32768", "compute_units=2")
TILES = "vyre-decode-scan-fuse{strategy=workgroup}"
FORMS = {
    "gpu": OptimizePass(device=GPU),
    "cpu": OptimizePass(device=CPU),
    "any device": OptimizePass(),
    "tiles": OptimizePass(options=TILES),
    "vectors": OptimizePass(options="vyre-vectorize{lanes=8}"),
    "work-item loops": OptimizePass(options=f"{TILES},vyre-form-work-item-loops"),
}
"""The policies of devices, no device, and what a tuner may choose besides."""


def passes_at_work() -> dict[str, dict[str, list[str]]]:
    """The programs that each pass of a schedule changes, by pass and form."""
    found = {name: {form: list[str]() for form in FORMS} for name in scheduled_passes()}
    for path in PROGRAMS:
        for form, optimize in FORMS.items():
            for name in _changing(path, optimize):
                found[name][form].append(path.stem)
    return found


def _changing(path: Path, optimize: OptimizePass) -> Iterator[str]:
    """The passes that change a program, each once."""
    context = make_context()
    module = load_module(path, context)
    DropClaimsPass().apply(context, module)
    report = optimize.run(context, module).report
    yield from dict.fromkeys(run.name for run in report.runs if run.changed)


def main() -> None:
    """Print a table of how many programs each pass changes, and name them where they are few."""
    print(f"| of {len(PROGRAMS)} programs | {' | '.join(FORMS)} | |")
    print(f"|---|{'---|' * len(FORMS)}---|")
    for name, forms in passes_at_work().items():
        counts = " | ".join(str(len(programs) or "") for programs in forms.values())
        programs = dict.fromkeys(each for programs in forms.values() for each in programs)
        named = ", ".join(programs) if len(programs) <= 3 else ""
        print(f"| `{name}` | {counts} | {named} |")


if __name__ == "__main__":
    main()
