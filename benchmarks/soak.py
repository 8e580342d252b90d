"""
Mixed work in one process for as long as asked: programs compiled, run, tuned and streamed, queries,
and errors, every answer checked against NumPy's, with the memory of the process over time.

    python -m benchmarks.soak --minutes 30 --output benchmarks/results/soak.json

Programs and inputs are those of the gate, drawn by a seed. What is kept between processes goes to a
folder of its own, which is removed. It ends with the first wrong answer.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np

import vyre
from benchmarks.gate.program import FOLDER, GateProgram, Inputs
from benchmarks.gate.programs import PROGRAMS
from benchmarks.records import Row, record, write
from examples.encodings import Array
from vyre_dialect.columns.extras import extra
from vyre_dialect.runtime.cli import main as command_line
from vyre_dialect.runtime.driver.repeated_runs import RepeatedRuns
from vyre_dialect.runtime.program.loading import make_context, parse_module

UNITS = (0, 1, 1000, 4097, 100_003)
"""Rows, bytes or pixels of the programs' inputs."""
PIECES_BYTES = 16 << 20
"""Memory that streams are told to take: small enough that there are several pieces."""
PAGE = os.sysconf("SC_PAGE_SIZE")
Random = np.random.Generator


class Soak:
    """Work of each kind, on one session and on those that come and go."""

    def __init__(self) -> None:
        self._context = make_context()
        self._runs = RepeatedRuns(None, context=self._context)
        self.kinds: Mapping[str, Callable[[Random], None]] = {
            "compiled": self.compiles,
            "run": self.runs,
            "tuned": self.tunes,
            "streamed": self.streams,
            "asked": self.asks,
            "refused": self.refuses,
        }

    def compiles(self, random: Random) -> None:
        """A program compiled, explained and run."""
        program, inputs = _drawn(random)
        compiled = vyre.compile(program.path)
        _require(program, inputs, compiled(**inputs))
        assert compiled.explain().passes

    def runs(self, random: Random) -> None:
        """A program on a session that has run others."""
        program, inputs = _drawn(random)
        module = parse_module(program.path.read_text(), self._context, program.name)
        _require(program, inputs, self._runs.run(module, inputs, key=program.name).outputs)

    def tunes(self, random: Random) -> None:
        """A program run by the fastest of a few forms."""
        program, inputs = _drawn(random)
        module = parse_module(program.path.read_text(), self._context, program.name)
        compiled = vyre.compile(module)
        for _ in range(int(random.integers(2, 12))):  # first calls try forms
            _require(program, inputs, compiled(**inputs))

    def streams(self, random: Random) -> None:
        """A program on pieces of its largest input, from memory or from a pipe, or a refusal."""
        program, inputs = _drawn(random)
        largest = max(inputs, key=lambda name: inputs[name].nbytes)
        given: dict[str, Array | io.BytesIO] = dict(inputs)
        if random.integers(2):
            given[largest] = io.BytesIO(inputs[largest].tobytes())
        with suppress(vyre.VyreError):
            run = vyre.compile(program.path).stream(given, along=largest, memory=PIECES_BYTES)
            _require(program, inputs, run.outputs)

    def asks(self, random: Random) -> None:
        """A query of an Arrow table."""
        rows, bound = int(random.integers(1, 50_000)), int(random.integers(-5, 1000))
        keys, values = random.integers(0, 1000, rows), random.integers(-9, 10, rows)
        table = extra("pyarrow").table({"k": keys, "v": values})
        found = vyre.query(table, select="count(*) as n, sum(v) as s", where=f"k < {bound}")
        chosen = values[keys < bound]
        total = int(chosen.sum()) if len(chosen) else None
        assert found.to_pylist() == [{"n": len(chosen), "s": total}]

    def refuses(self, random: Random) -> None:
        """Programs and inputs that are wrong: one line each."""
        text = (FOLDER / "letter_pairs.mlir").read_text()
        broken = text[: int(random.integers(len(text) // 2))] + "\0"
        with TemporaryDirectory() as folder:
            path = Path(folder) / "broken.mlir"
            path.write_text(broken)
            for arguments in (["compile", path], ["run", path], ["run", "missing.mlir"]):
                errors = io.StringIO()
                with redirect_stdout(io.StringIO()), redirect_stderr(errors):
                    assert command_line([str(each) for each in arguments]) == 1
                assert errors.getvalue().startswith("vyre: error: ")


def _drawn(random: Random) -> tuple[GateProgram, Inputs]:
    program = PROGRAMS[str(random.choice(list(PROGRAMS)))]
    return program, program.inputs(int(random.choice(UNITS)))


def _require(program: GateProgram, inputs: Inputs, found: Mapping[str, Array]) -> None:
    answers = program.answer(**inputs)
    assert found.keys() == answers.keys(), program.name
    for name, answer in answers.items():
        np.testing.assert_array_equal(found[name].view(answer.dtype), answer, program.name)


def resident_mib() -> float:
    """The memory that the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * PAGE / 2**20, 1)


def soak(minutes: float, seed: int, every: float) -> list[Row]:
    """Do mixed work for so long; a row of what was done by then, `every` so many seconds."""
    work, random, done = Soak(), np.random.default_rng(seed), Counter[str]()
    rows, begin = list[Row](), monotonic()
    while (passed := monotonic() - begin) < 60 * minutes:
        if passed >= every * len(rows):
            gc.collect()
            row: Row = {"seconds": round(passed), "resident_mib": resident_mib(), **done}
            rows.append(row)
            print(*(f"{key}={value}" for key, value in row.items()), flush=True)
        kind = str(random.choice(list(work.kinds)))
        work.kinds[kind](random)
        done[kind] += 1
    return rows


def main() -> None:
    """Soak, and write the curve as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=float, default=60, help="seconds between two rows")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="vyre-soak-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        rows = soak(given.minutes, given.seed, given.every)
    write(given.output, record(["numpy", "pyopencl", "xdsl"], rows))


if __name__ == "__main__":
    main()
