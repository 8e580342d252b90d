"""
What unpacking a column of integers to memory takes, in the shapes that its arm can have.

    python -m benchmarks.unpacking --device gpu --mib 256 --output unpacking.json

All shapes of a column run once per round, in an order of its own, on the same buffers, next to a
plain read and a plain copy of them; times are those of events. Every answer of every round is
compared with that of the shape by default, and this, on the first values, with NumPy's.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8

from benchmarks.gate.measure import memory_bound_ns
from benchmarks.gate.program import from_lanes, random_bytes, unpacked
from benchmarks.records import Row, microseconds, record, write
from benchmarks.rounds import Rounds, check
from examples.encodings import Array
from vyre_dialect.builder import program
from vyre_dialect.ir.tuning import value_of
from vyre_dialect.ops.packed import BitUnpackOp, Layout
from vyre_dialect.runtime.cli.arguments import positive_integer
from vyre_dialect.runtime.cli.terminal import print_table
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, make_context

PACKAGES = ("xdsl", "pyopencl", "numpy")
DEFAULT = "default"
COLUMNS = ("column", "shape", "µs", "of bound")
SEED = 28
CHECKED_BYTES = 3 << 16
"""Of the source, from its begin on, that NumPy unpacks, too: whole blocks of any of the columns."""


@dataclass(frozen=True)
class Column:
    """How numbers are packed, and to how many bits they are unpacked."""

    bits: int
    width: int
    layout: Layout

    def __str__(self) -> str:
        return f"{self.bits} of {self.width} bits, {self.layout}"

    def module(self, values: int | None = None, lanes: int | None = None) -> ModuleOp:
        """The program that unpacks such numbers for the host."""
        with program("unpack") as p:
            packed = p.buffer("packed", i8)
            unpacked_ = p.buffer("unpacked", IntegerType(self.width), live_out=True)
            BitUnpackOp(
                packed, unpacked_, self.bits, layout=self.layout, values=values, lanes=lanes
            )
        return p.module

    def shapes(self) -> list[dict[str, int]]:
        """All shapes that its arm can have."""
        (op,) = (op for op in self.module().walk() if isinstance(op, BitUnpackOp))
        shapes: list[dict[str, int]] = [{}]
        for parameter in op.get_parameters():
            assert isinstance(value_of(op, parameter.name), int)
            choices = [int(value) for value in parameter.values]
            shapes = [shape | {parameter.name: each} for shape in shapes for each in choices]
        return [shape for shape in shapes if shape.get("lanes", 1) <= shape.get("values", 32)]

    def answer(self, packed: Array) -> Array:
        """By NumPy."""
        if self.layout == Layout.SEQUENTIAL:
            return unpacked(packed, self.bits)
        return from_lanes(packed, self.bits)


BITS = ((3, 8), (12, 32), (4, 32), (6, 32), (24, 32), (19, 64))
LANED_BITS = ((12, 32), (4, 32), (6, 32), (24, 32))
"""Those that NumPy's answer here is for."""
ALL = (
    *(Column(bits, width, Layout.SEQUENTIAL) for bits, width in BITS),
    *(Column(bits, width, Layout.INTERLEAVED) for bits, width in LANED_BITS),
)


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure every column, and show it as it comes."""
    session = Session(choose_device(arguments.device))
    rows = list[Row]()
    for column in ALL:
        own = _measured(column, session, arguments.mib << 20, arguments.rounds)
        cells = [
            (str(column), str(row["shape"]), f"{row['us']}", f"{row['of_bound']}") for row in own
        ]
        print_table(session.device.info.label, COLUMNS, cells)
        rows += own
    return rows


def _measured(column: Column, session: Session, size: int, rounds: int) -> list[Row]:
    executors = {_name(shape): _executor(column, shape, session) for shape in column.shapes()}
    executors |= {DEFAULT: _executor(column, {}, session)}
    # So many bytes are unpacked; what is read is less.
    length = size * column.bits // column.width
    inputs = {"packed": random_bytes(np.random.default_rng(SEED), length)}
    expected = _expected(column, inputs["packed"], executors[DEFAULT])
    run = Rounds(str(column), inputs, expected, session, executors)
    run.run(rounds)
    bound_ns = memory_bound_ns(run.times, length, expected["unpacked"].nbytes, length)
    return [_row(column, shape, run.times[shape], bound_ns, session) for shape in executors]


def _expected(column: Column, packed: Array, default: Executor) -> Mapping[str, Array]:
    first = packed[: CHECKED_BYTES * column.bits // 3 // 128 * 128]
    answer = column.answer(first).astype(f"i{column.width // 8}")
    check(str(column), default.run({"packed": first}).outputs, {"unpacked": answer})
    return {"unpacked": default.run({"packed": packed}).outputs["unpacked"].copy()}


def _executor(column: Column, shape: Mapping[str, int], session: Session) -> Executor:
    info, module = session.device.info, column.module(**shape)
    return Executor(compile_module(module, context=make_context(), device=info), session)


def _name(shape: Mapping[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in shape.items())


def _row(
    column: Column, shape: str, times: Sequence[int], bound_ns: float, session: Session
) -> Row:
    found = microseconds(times)
    return {
        "device": session.device.info.label,
        "column": str(column),
        "shape": shape,
        **found,
        "of_bound": round(bound_ns / 1e3 / float(str(found["us"])), 2),
    }


def main(given: Sequence[str] | None = None) -> None:
    """Run it from the command line, or with these arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unpacking", description=__doc__)
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=positive_integer, default=48, help="of results, in MiB")
    parser.add_argument("--rounds", type=positive_integer, default=9)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args(given)
    write(arguments.output, record(PACKAGES, measure(arguments)))


if __name__ == "__main__":
    main()
