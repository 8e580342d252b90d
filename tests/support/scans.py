"""Build, expand and interpret programs of one scanner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32, i64

from support.interpreting import interpreter
from vyre_dialect.builder import Buffer, Program, aggregate, program, select
from vyre_dialect.ir.tuning import Choice, HasParametersInterface
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.library import LibraryOp
from vyre_dialect.ops.literals import LiteralOp, LiteralsOp, LocateOp
from vyre_dialect.ops.scan import DictionaryFilterOp, FilterOp, HistogramOp, PrefixSumOp
from vyre_dialect.passes.program.expand import ExpandPass

Array = npt.NDArray[np.signedinteger]


def expanded(build: Callable[[Program], object], **choices: Choice) -> ModuleOp:
    """
    The module of a program that `build` fills, with its library ops expanded once parameters have
    been chosen of them.
    """
    with program("scan") as p:
        build(p)
    module = p.module
    choose_all(module, choices)
    ExpandPass().apply(Context(), module)
    module.verify()
    return module


def outputs(module: ModuleOp, **inputs: npt.NDArray[np.integer]) -> Mapping[str, Array]:
    """What the reference interpreter computes from named inputs, as signed integers."""
    results = interpreter(module).run(inputs).outputs
    return {name: array.view(f"i{array.itemsize}") for name, array in results.items()}


def choose_all(module: ModuleOp, choices: Mapping[str, Choice]) -> None:
    """Choose parameters of every library op that has some."""
    ops = [op for op in module.walk() if isinstance(op, LibraryOp)]
    for op in ops if choices else ():
        assert isinstance(op, HasParametersInterface)
        for name, value in choices.items():
            op.choose(name, value)


def text_buffer(p: Program) -> Buffer:
    return p.buffer("text", i8, access=Access.READ_ONLY)


def result_buffer(p: Program, name: str, type: IntegerType, count: int) -> Buffer:
    return p.buffer(name, type, count, live_out=True)


def as_bytes(text: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text, np.uint8)


@lru_cache
def literal_scan(
    literal: bytes, type: IntegerType = i32, positions: int = 0, **choices: Choice
) -> ModuleOp:
    """Counts `literal` in `text`, and finds the first `positions` of its occurrences."""

    def build(p: Program) -> None:
        text, count = text_buffer(p), result_buffer(p, "count", type, 1)
        found = None
        if positions:
            found = p.buffer("positions", type, positions, live_out=True, fill=-1)
        LiteralOp(literal, text.ssa, count.ssa, found.ssa if found else None)

    return expanded(build, **choices)


@lru_cache
def literals_scan(
    literals: tuple[bytes, ...],
    type: IntegerType = i32,
    chunk: int | None = None,
    **choices: Choice,
) -> ModuleOp:
    """Counts each of `literals` in `text`."""

    def build(p: Program) -> None:
        text, matches = text_buffer(p), result_buffer(p, "matches", type, len(literals))
        LiteralsOp(literals, text.ssa, matches.ssa, chunk=chunk)

    return expanded(build, **choices)


@lru_cache
def locate_scan(
    literals: tuple[bytes, ...],
    type: IntegerType = i32,
    size: int | None = None,
    chunk: int | None = None,
    **choices: Choice,
) -> ModuleOp:
    """Locates `literals` in `text`: all of their occurrences, or as many as `size`."""

    def build(p: Program) -> None:
        text = text_buffer(p)
        positions = p.buffer("positions", type, size, live_out=True)
        which = p.buffer("which", type, size, live_out=True)
        LocateOp(literals, text, positions, which, chunk=chunk)

    return expanded(build, **choices)


@lru_cache
def histogram_scan(type: IntegerType = i32, size: int | None = None, **choices: Choice) -> ModuleOp:
    """Counts each byte value in `text`, in `bins`."""

    def build(p: Program) -> None:
        text = p.buffer("text", i8, size, access=Access.READ_ONLY)
        HistogramOp(text.ssa, result_buffer(p, "bins", type, 256).ssa)

    return expanded(build, **choices)


@lru_cache
def filter_scan(
    low: int, high: int, type: IntegerType = i32, with_sum: bool = True, **choices: Choice
) -> ModuleOp:
    """Counts, and adds up, what lies in `[low, high)` among `values`."""

    def build(p: Program) -> None:
        values = p.buffer("values", i32, access=Access.READ_ONLY)
        count = result_buffer(p, "count", type, 1)
        total = result_buffer(p, "sum", i64, 1).ssa if with_sum else None
        FilterOp(values.ssa, low, high, count.ssa, total)

    return expanded(build, **choices)


@lru_cache
def dictionary_filter_scan(
    low: int,
    high: int,
    *,
    codes: IntegerType = i8,
    count: IntegerType = i32,
    with_sum: bool = True,
    size: int | None = None,
    **choices: Choice,
) -> ModuleOp:
    """Counts, and adds up, which elements of `table` that `codes` choose lie in `[low, high)`."""

    def build(p: Program) -> None:
        source = p.buffer("codes", codes, access=Access.READ_ONLY)
        table = p.buffer("table", i32, size, access=Access.READ_ONLY)
        errors = p.buffer("errors", i32, 1, fill=-1)
        found = result_buffer(p, "count", count, 1)
        total = result_buffer(p, "sum", i64, 1) if with_sum else None
        DictionaryFilterOp(source, table, errors, low, high, found, total)

    return expanded(build, **choices)


@lru_cache
def prefix_sum_scan(
    type: IntegerType = i32,
    sizes: tuple[int, int] | None = None,
    *,
    source: IntegerType = i32,
    **choices: Choice,
) -> ModuleOp:
    """Adds up `values`, of `source`, in `sums`, whose size is the same unless both are given."""

    def build(p: Program) -> None:
        source_size, size = sizes or (None, None)
        values = p.buffer("values", source, source_size, access=Access.READ_ONLY)
        count = values.length if size is None else size
        sums = p.buffer("sums", type, count, access=Access.WRITE_ONLY, live_out=True)
        PrefixSumOp(values.ssa, sums.ssa)

    return expanded(build, **choices)


GROUPS = 6
"""Keys that `aggregate_scan` takes; it drops rows with another one."""


@lru_cache
def aggregate_scan(type: IntegerType = i32) -> ModuleOp:
    """Aggregates the even ones of `values` by what is left of the byte that a value is made of."""

    def build(p: Program) -> None:
        values = p.buffer("values", i32, access=Access.READ_ONLY)
        counts = result_buffer(p, "counts", type, GROUPS)
        sums = result_buffer(p, "sums", i64, GROUPS)
        least = p.buffer("least", i32, GROUPS, live_out=True, fill=(1 << 31) - 1)
        firsts = p.buffer("firsts", type, GROUPS, live_out=True, fill=-1)
        with aggregate(values) as query:
            (value,) = query.row
            # The inverse of the factor that the values have, modulo 2^32.
            byte = value * pow(-9_000_001, -1, 1 << 32)
            query.group_by(byte % 7)
            query.where((value & 1).eq(0))
            query.count(into=counts)
            query.sum(value.to(i64, signed=True), into=sums)
            query.min(value, into=least, signed=True)
            query.first(into=firsts)

    return expanded(build)


@lru_cache
def select_scan(low: int, high: int, type: IntegerType = i32) -> ModuleOp:
    """Keeps what lies in `[low, high)` of `values`."""

    def build(p: Program) -> None:
        values = p.buffer("values", i32, access=Access.READ_ONLY)
        bits = p.buffer("bits", i8, live_out=True)
        positions = p.buffer("positions", type, live_out=True)
        kept = p.buffer("kept", i32, live_out=True)
        with select(values) as query:
            (value,) = query.row
            query.where(value.compare("sge", low) & value.compare("slt", high))
            query.bitmap(into=bits)
            query.positions(into=positions)
            query.values(value, into=kept)

    return expanded(build)


def starts(text: bytes, literal: bytes) -> list[int]:
    """Where `literal` occurs in `text`, overlapping occurrences too."""
    found, start = list[int](), text.find(literal)
    while start >= 0:
        found.append(start)
        start = text.find(literal, start + 1)
    return found


def occurrences(text: bytes, literals: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where which of `literals` occurs, in the order of `vyre.scan.locate`."""
    found = [
        (start, number) for number, each in enumerate(literals) for start in starts(text, each)
    ]
    return sorted(found, key=lambda each: (each[0] + len(literals[each[1]]), each[0], -each[1]))
