"""Arithmetic in every combination, as programs that store what they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float64Type,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.builder import Buffer, Program, Value, program
from vyre_dialect.ir.types import Access, lane_count, scalar_type

ROWS = 64
"""Invocations, each of which computes with other numbers."""

Compute = Callable[[Value, Value], Value]


def _plain(op: Callable[[SSAValue, SSAValue], Operation]) -> Compute:
    return lambda a, b: Value(op(a.ssa, b.ssa).results[0])


def _compare(predicate: str) -> Compute:
    """A comparison as a number, so that it combines with everything else."""

    def compute(a: Value, b: Value) -> Value:
        return a.compare(predicate, b).select(a, b)

    return compute


def _compare_bits(predicate: str) -> Compute:
    """A comparison of single bits, which is one itself."""
    return lambda a, b: a.compare(predicate, b)


ARITHMETIC: dict[str, Compute] = {
    "addi": _plain(arith.AddiOp),
    "subi": _plain(arith.SubiOp),
    "muli": _plain(arith.MuliOp),
    "andi": _plain(arith.AndIOp),
    "ori": _plain(arith.OrIOp),
    "xori": _plain(arith.XOrIOp),
    "divui": _plain(arith.DivUIOp),
    "divsi": _plain(arith.DivSIOp),
    "remui": _plain(arith.RemUIOp),
    "remsi": _plain(arith.RemSIOp),
    "floordivsi": _plain(arith.FloorDivSIOp),
    "ceildivsi": _plain(arith.CeilDivSIOp),
    "ceildivui": _plain(arith.CeilDivUIOp),
    "minui": _plain(arith.MinUIOp),
    "maxui": _plain(arith.MaxUIOp),
    "minsi": _plain(arith.MinSIOp),
    "maxsi": _plain(arith.MaxSIOp),
    "shli": _plain(arith.ShLIOp),
    "shrui": _plain(arith.ShRUIOp),
    "shrsi": _plain(arith.ShRSIOp),
}
COMPARISONS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
INTEGER_OPS = ARITHMETIC | {name: _compare(name) for name in COMPARISONS}
BIT_OPS = ARITHMETIC | {name: _compare_bits(name) for name in COMPARISONS}
VECTOR_OPS = ARITHMETIC
FLOAT_OPS: dict[str, Compute] = {
    "addf": _plain(arith.AddfOp),
    "subf": _plain(arith.SubfOp),
    "mulf": _plain(arith.MulfOp),
    "minimumf": _plain(arith.MinimumfOp),
    "maximumf": _plain(arith.MaximumfOp),
    "minnumf": _plain(arith.MinnumfOp),
    "maxnumf": _plain(arith.MaxnumfOp),
    "copysign": _plain(math.CopySignOp),
}


def ops_of(type: Attribute) -> dict[str, Compute]:
    """The binary operations on a type, by name."""
    if isinstance(type, VectorType):
        return VECTOR_OPS
    if type == i1:
        return BIT_OPS
    return INTEGER_OPS if isinstance(type, IntegerType | IndexType) else FLOAT_OPS


def storage(type: Attribute) -> Attribute:
    """A type of buffer elements for values of `type`: an index is kept as an i64."""
    return i64 if isinstance(type, IndexType) else type


def load(buffer: Buffer, position: Value, type: Attribute) -> Value:
    return buffer[position].to(type) if isinstance(type, IndexType) else buffer[position]


def store(buffer: Buffer, position: Value, value: Value) -> None:
    buffer[position] = value.to(i64) if isinstance(value.type, IndexType) else value


def build(
    type: Attribute,
    columns: int,
    tables: Sequence[Callable[[Sequence[Value]], Value]],
    *,
    per_arm: int = 64,
) -> ModuleOp:
    """
    A program with inputs `in0`, `in1`, … of `type` and one output row of all `tables` per
    invocation; each table computes one value of `type` from the row's inputs.
    """
    with program("sheet") as p:
        sources = [_input(p, f"in{n}", type) for n in range(columns)]
        out = p.buffer("out", storage(type), ROWS * len(tables), live_out=True)
        for begin in range(0, len(tables), per_arm):
            with p.arm(f"columns.{begin}", ROWS) as row:
                inputs = [load(source, row, type) for source in sources]
                for number, table in enumerate(tables[begin : begin + per_arm], begin):
                    store(out, row * len(tables) + number, table(inputs))
    return p.module


def _input(p: Program, name: str, type: Attribute) -> Buffer:
    return p.buffer(name, storage(type), ROWS, access=Access.READ_ONLY)


_DTYPES = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def numbers(type: Attribute, seed: int) -> NDArray[np.generic]:
    """`ROWS` numbers of a type: small ones, large ones, and those at the edges."""
    random = np.random.default_rng(seed)
    lanes = lane_count(type)
    lane = scalar_type(storage(type))
    count = ROWS * lanes
    if lane in (f32, f64):
        values = random.integers(-1000, 1000, count) / 8
        values[random.integers(0, count, 4)] = [0.0, -0.0, 1.0, -1.0]
        return values.astype(np.float64 if isinstance(lane, Float64Type) else np.float32)
    assert isinstance(lane, IntegerType)
    width = lane.width.data
    edges = [0, 1, 2, 2**width - 1, 2 ** (width - 1), 2 ** (width - 1) - 1, 7]
    choices = np.array([edge % 2**width for edge in edges], dtype=np.uint64)
    values = random.integers(0, 2**width, count, dtype=np.uint64, endpoint=False)
    at_edge = random.random(count) < 0.4
    small = random.random(count) < 0.3
    values[small] %= 16
    values[at_edge] = random.choice(choices, int(at_edge.sum()))
    return values.astype(_DTYPES[width])


__all__ = ["ROWS", "build", "numbers", "ops_of"]
