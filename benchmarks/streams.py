"""
What a run on pieces of a large file costs, from the file and from a pipe, next to the run that has
it in memory: the rate, and how much memory the process takes at most.

    python -m benchmarks.streams --gigabytes 20 --output benchmarks/results/streams.json

The text, base64 without line breaks, is written to `--folder` before and removed afterwards. Each
row is a process: wall-clock time with its start and compilation (kept from a run before), the rate
of the run alone as the command says it, and its peak of resident memory. `read` reads the file, or
a pipe, and does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.records import Row, record, write
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY, parse_memory

PROGRAM = "examples/base64_literal.mlir"
INPUT = "encoded"
PERIOD = 3 << 18
"""
Characters of the text after which it repeats itself: few, as what this process has in memory when
it starts another counts as memory of that one.
"""
WORDS = ("self", "return", "import", "None", "the", "lambda", "of", "x", "self.value", "\n")


def make_text(path: Path, size: int) -> int:
    """Write `size` characters, rounded to whole periods; how many there are."""
    words = np.random.default_rng(1).choice(WORDS, PERIOD // 4)
    period = b64encode(" ".join(words).encode()[: PERIOD // 4 * 3])
    with path.open("wb") as file:
        for _ in range(max(1, size // PERIOD)):
            file.write(period)
    return path.stat().st_size


def _vyre(given: str, *options: str) -> list[str]:
    arguments = ["run", PROGRAM, "--input", f"{INPUT}={given}", "--json", *options]
    return [str(Path(sys.executable).with_name("vyre")), *arguments]


def _run(command: Sequence[str], source: Path | None, size: int) -> Row:
    """Run a process, with a pipe from `source` where there is one."""
    cat = None if source is None else subprocess.Popen(["cat", source], stdout=subprocess.PIPE)
    begin = perf_counter()
    stdin = None if cat is None else cat.stdout
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
    if cat is not None and cat.stdout is not None:
        cat.stdout.close()
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if cat is not None:
        cat.wait()
    if process.returncode:
        raise SystemExit(f"'{' '.join(command)}' failed")
    row: dict[str, object] = {
        "seconds": round(seconds, 2),
        "gb_per_s": round(size / seconds / 1e9, 2),
        "peak_mib": usage.ru_maxrss >> 10,
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
    }
    if printed.startswith("{"):
        run = json.loads(printed)
        row["run_gb_per_s"] = round(size / run["total_ns"], 2)
        row["outputs"] = run["outputs"]
    return row


def measure(path: Path, memory: str, device: str | None, *, whole: bool) -> Iterator[Row]:
    """A row for each way to take the text."""
    size = path.stat().st_size
    options = [] if device is None else ["--device", device]
    streams = ["--stream", "--memory", memory, *options]
    cases: dict[str, tuple[list[str], Path | None]] = {
        "read": (["dd", f"if={path}", "of=/dev/null", "bs=4M", "status=none"], None),
        "read from a pipe": (["dd", "of=/dev/null", "bs=4M", "status=none"], path),
        "stream from the file": (_vyre(str(path), *streams), None),
        "stream from a pipe": (_vyre("-", *streams), path),
    }
    if whole:
        cases["all in memory"] = (_vyre(str(path), *options), None)
    _run(_vyre(str(path), *streams), None, size)  # so that all is compiled, and the file read
    for name, (command, source) in cases.items():
        yield {"case": name, "bytes": size, "memory": memory, **_run(command, source, size)}


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--memory", default=f"{DEFAULT_MEMORY >> 20}MiB")
    parser.add_argument("--device")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--no-whole", action="store_true", help="leave out the run in memory")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    parse_memory(arguments.memory)
    rows = list[Row]()
    with TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder, "text.b64")
        make_text(path, int(arguments.gigabytes * 1e9))
        whole = not arguments.no_whole
        for row in measure(path, arguments.memory, arguments.device, whole=whole):
            rows.append(row)
            print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    write(arguments.output, record(["numpy", "pyopencl"], rows))


if __name__ == "__main__":
    main()
