"""
How long starting takes: what `xdsl-opt` pays for vyre, and a whole `vyre run` of an example.

    python -m benchmarks.startup --output benchmarks/results/startup.json

Figures are wall-clock time in ms, medians of several processes with the quartiles beside them.
The first run of the example, which builds its kernels, is not counted.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.records import Row, milliseconds, parse_output, record, write
from benchmarks.workloads import make
from vyre_dialect.runtime.program.pipelines import UNFUSED

ROUNDS = 9
EXAMPLE = "base64_literal"
# A kernel of each arm, by passes that select themselves and by a plain list of passes.
VARIANTS = {
    "": (),
    ", by a schedule": ("--profile", "dataflow"),
    ", by a list": ("-p", UNFUSED),
}
# Universes of other packages do not count.
TIMED_IMPORT = """
import time
import xdsl.universe
start = time.perf_counter()
import vyre_dialect.universe
print(time.perf_counter() - start)
"""


def seconds_to_import() -> float:
    """What a process that has xDSL pays for vyre's universe."""
    return float(subprocess.check_output([sys.executable, "-c", TIMED_IMPORT], text=True))


def seconds_to_run(encoded: Path, *options: str) -> float:
    """A process that runs the example on the default device."""
    path = make(EXAMPLE, 0).path
    code = "import sys; from vyre_dialect.runtime.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", str(path), "--input", f"encoded={encoded}"]
    command += options
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - start


def _row(name: str, seconds: Callable[[], float]) -> Row:
    return {"what": name} | milliseconds([seconds() for _ in range(ROUNDS)])


def _rows() -> Iterator[Row]:
    yield _row("import of the universe", seconds_to_import)
    with TemporaryDirectory() as folder:
        encoded = Path(folder) / "encoded"
        encoded.write_bytes(make(EXAMPLE, 4000).encoded.tobytes())
        for what, options in VARIANTS.items():
            seconds_to_run(encoded, *options)
            yield _row(f"vyre run {EXAMPLE}{what}", partial(seconds_to_run, encoded, *options))


def main() -> None:
    """Measure, print a line for each figure, and write them if asked to."""
    output = parse_output("How long starting takes.")
    rows = list[Row]()
    for row in _rows():
        rows.append(row)
        print(f"{row['what']:38} {row['ms']:>9} ms", flush=True)
    write(output, record(("xdsl", "pyopencl", "numpy"), rows))


if __name__ == "__main__":
    main()
