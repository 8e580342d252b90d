"""The examples as the standard schedule compiles them, for kinds of devices."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace

from examples.data import EXAMPLES
from support.devices import small_device
from vyre_dialect.passes.schedule.optimize import Optimized, OptimizePass
from vyre_dialect.runtime.program.compilation import (
    emit_opencl,
    for_device,
    load_module,
    make_context,
    optimize_module,
)

DEVICES = {
    "cpu": replace(small_device(1 << 15, has_own_local_mem=False), compute_units=2),
    "gpu": replace(small_device(227 << 10), compute_units=132),
}
"""One for each policy of vyre's own, by its name."""
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.mlir")))


@dataclass(frozen=True)
class Made:
    """All that a compilation puts out, timings aside."""

    module: str
    kernels: str
    report: str


class OptimizedExample:
    """An example, once it has been compiled for a kind of device."""

    def __init__(self, name: str, kind: str):
        self._context = make_context()
        self.module = load_module(EXAMPLES / f"{name}.mlir", self._context)
        self._optimize = for_device(OptimizePass(), DEVICES[kind])
        optimized = optimize_module(self.module, self._optimize, self._context)
        report = without_timings(optimized)
        self.made = Made(str(self.module), emit_opencl(self.module).text, report)

    def again(self) -> Optimized:
        """Compile what came out once more, in place."""
        return optimize_module(self.module, self._optimize, self._context)


def without_timings(optimized: Optimized) -> str:
    """The report as a file holds it, but for how long each pass took."""
    report = optimized.report.as_json(optimized.schedule.passes())
    lines = json.dumps(report, indent=1).splitlines()
    return "\n".join(line for line in lines if '"runtime_ns"' not in line)


def main() -> None:
    """Print what comes out for the kind of the command line, with the last example first."""
    made = {name: OptimizedExample(name, sys.argv[1]).made for name in NAMES[::-1]}
    json.dump({name: asdict(each) for name, each in made.items()}, sys.stdout)


if __name__ == "__main__":
    main()
