"""
Queries over packed columns of a hundred million rows and more, on one device, in times of events.

    python -m benchmarks.columns_device --device gpu --output columns-device.json

Columns are some millions of rows again and again, so that NumPy's answer for these, as often, is
that for all; sums are modulo 2^64, as the programs have them. Each round runs every form once, by
turns, and compares every answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.gate.forms import DEFAULT, UNFUSED, Forms
from benchmarks.gate.measure import memory_bound_ns
from benchmarks.gate.program import Answers, GateProgram, Inputs
from benchmarks.gate.programs import PROGRAMS
from benchmarks.records import Row, microseconds, record, write
from benchmarks.rounds import Rounds
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.session import Session

PACKAGES = ("xdsl", "pyopencl", "numpy")
REPEATED_ROWS = 5860 * 1024
"""A multiple of 1024, so that they end where bytes and blocks of lanes do."""
ROUNDS = 9
TABLES = {"dictionary"}
"""Inputs that do not grow with the rows."""
UNFUSED_BYTES = 32 << 30
"""Of columns that are decoded to memory, beyond which that is not measured."""
DECODED_BYTES_PER_ROW = 16
SIZES = {
    "q6": (10, 100, 1000),
    "q6_interleaved": (10, 100, 1000),
    "q6_aggregate": (10, 100, 1000),
    "q6_words": (10, 100),
    "q1_aggregate": (100,),
    "bits_in_range": (17,),
    "frames_in_range": (17,),
    "dictionary_of_frames": (17,),
}
"""How often the rows are repeated."""


def repeated(program: GateProgram, times: int) -> tuple[Inputs, Answers]:
    """Inputs of so many times as many rows, and what a program must answer."""
    few = program.inputs(REPEATED_ROWS)
    answers = program.answer(**few)
    inputs = {name: each if name in TABLES else np.tile(each, times) for name, each in few.items()}
    return inputs, {name: (each * times).astype(each.dtype) for name, each in answers.items()}


def rows(arguments: argparse.Namespace) -> Iterator[Row]:
    """A row for each program and size."""
    session = Session(choose_device(arguments.device))
    for name in arguments.programs:
        forms = Forms(PROGRAMS[name], session)
        executors = {DEFAULT: forms.default(), UNFUSED: forms.unfused()}
        for times in SIZES[name]:
            count = REPEATED_ROWS * times
            if count > arguments.most_rows:
                continue
            inputs, answers = repeated(PROGRAMS[name], times)
            if count * DECODED_BYTES_PER_ROW > UNFUSED_BYTES:
                executors.pop(UNFUSED, None)
            rounds = Rounds(name, inputs, answers, session, executors)
            rounds.run(arguments.rounds)
            read = sum(each.nbytes for each in inputs.values())
            largest = max(each.nbytes for each in inputs.values())
            bound = memory_bound_ns(rounds.times, read, 0, largest)
            yield {
                "program": name,
                "device": session.device.info.label,
                "rows": count,
                "input_bytes": read,
                **{form: microseconds(each) for form, each in rounds.times.items()},
                "memory_bound_us": round(bound / 1e3, 1),
            }


def main() -> None:
    """Measure what the command line asks for, show it as it comes, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--programs", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--most-rows", type=int, default=REPEATED_ROWS * 1000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    measured = list[Row]()
    for row in rows(arguments):
        measured.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
        write(arguments.output, record(PACKAGES, measured))


if __name__ == "__main__":
    main()
