"""Every scanner gives Python's answer on every device, also at the tails, and runs clean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from support.oclgrind import CheckedRun
from support.scans import (
    GROUPS,
    aggregate_scan,
    filter_scan,
    histogram_scan,
    literal_scan,
    literals_scan,
    locate_scan,
    occurrences,
    prefix_sum_scan,
    select_scan,
    starts,
)
from support.tiers import slow_if
from xdsl.dialects.builtin import IntegerType, ModuleOp, i32, i64

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

Results = Mapping[str, list[int]]
LITERAL, LONG, WITH_ZERO = b"abab", b"ab" * 20, b"b\0"
PATTERNS = (b"ab", b"b", b"abab", b"bb" * 9, b"ab")
WITH_PAIRS = (b"abab", b"bb" * 9, b"ababb")
ZEROS = (b"\0", b"b\0", b"\0\0\0")
LOW, HIGH = -(1 << 30), 1 << 30
I32_MAX = (1 << 31) - 1
POSITIONS = 5


@dataclass(frozen=True)
class Case:
    """A scanner, and what it is to find in a text or in the values that the text spells."""

    module: Callable[[IntegerType], ModuleOp]
    expected: Callable[[bytes], Results]
    of_values: bool = False


def first_positions(text: bytes, literal: bytes) -> Results:
    found = starts(text, literal)
    filled = found[:POSITIONS] + [-1] * (POSITIONS - len(found))
    return {"count": [len(found)], "positions": filled}


def located(text: bytes, literals: Sequence[bytes]) -> Results:
    found = occurrences(text, literals)
    return {"positions": [each[0] for each in found], "which": [each[1] for each in found]}


def values_of(text: bytes) -> npt.NDArray[np.int32]:
    """Values of every size from a text of few different bytes."""
    return np.frombuffer(text, np.uint8).astype(np.int32) * np.int32(-9_000_001)


def chosen(text: bytes) -> Results:
    inside = [value for value in values_of(text).tolist() if LOW <= value < HIGH]
    return {"count": [len(inside)], "sum": [sum(inside)]}


def aggregated(text: bytes) -> Results:
    """What `aggregate_scan` finds, by the value's remainder."""
    values, keys = values_of(text), np.frombuffer(text, np.uint8) % 7
    even = values % 2 == 0
    rows = [(even & (keys == key)).nonzero()[0] for key in range(GROUPS)]
    return {
        "counts": [len(each) for each in rows],
        "sums": [int(values[each].sum(dtype=np.int64)) for each in rows],
        "least": [int(values[each].min(initial=I32_MAX)) for each in rows],
        "firsts": [int(each[0]) if len(each) else -1 for each in rows],
    }


def selected(text: bytes) -> Results:
    """What `select_scan` keeps."""
    values = values_of(text)
    chosen = (LOW <= values) & (values < HIGH)
    return {
        "bits": np.packbits(chosen, bitorder="little").view(np.int8).tolist(),
        "positions": chosen.nonzero()[0].tolist(),
        "kept": values[chosen].tolist(),
    }


CASES = {
    "aggregate": Case(aggregate_scan, aggregated, of_values=True),
    "select": Case(lambda type: select_scan(LOW, HIGH, type), selected, of_values=True),
    "literal": Case(
        lambda type: literal_scan(LITERAL, type),
        lambda text: {"count": [len(starts(text, LITERAL))]},
    ),
    "literal-positions": Case(
        lambda type: literal_scan(LITERAL, type, POSITIONS),
        lambda text: first_positions(text, LITERAL),
    ),
    "literal-long": Case(
        lambda type: literal_scan(LONG, type, POSITIONS), lambda text: first_positions(text, LONG)
    ),
    "literal-zero": Case(
        lambda type: literal_scan(WITH_ZERO, type),
        lambda text: {"count": [len(starts(text, WITH_ZERO))]},
    ),
    "literal-64-places": Case(
        lambda type: literal_scan(LITERAL, type, POSITIONS, places=64),
        lambda text: first_positions(text, LITERAL),
    ),
    "literal-zero-64-places": Case(
        lambda type: literal_scan(WITH_ZERO, type, places=64),
        lambda text: {"count": [len(starts(text, WITH_ZERO))]},
    ),
    "literal-long-64-places": Case(
        lambda type: literal_scan(LONG, type, POSITIONS, places=64),
        lambda text: first_positions(text, LONG),
    ),
    "literal-at-places": Case(
        lambda type: literal_scan(LITERAL, type, places=64, counting="places"),
        lambda text: {"count": [len(starts(text, LITERAL))]},
    ),
    "literals": Case(
        lambda type: literals_scan(PATTERNS, type),
        lambda text: {"matches": [len(starts(text, pattern)) for pattern in PATTERNS]},
    ),
    "literals-prefilter": Case(
        lambda type: literals_scan(WITH_PAIRS, type, prefilter="pairs"),
        lambda text: {"matches": [len(starts(text, pattern)) for pattern in WITH_PAIRS]},
    ),
    "literals-windows": Case(
        lambda type: literals_scan(PATTERNS, type, 256, prefilter="windows"),
        lambda text: {"matches": [len(starts(text, pattern)) for pattern in PATTERNS]},
    ),
    "literals-windows-zeros": Case(
        lambda type: literals_scan(ZEROS, type, 48, prefilter="windows"),
        lambda text: {"matches": [len(starts(text, pattern)) for pattern in ZEROS]},
    ),
    "literals-zeros": Case(
        lambda type: literals_scan(ZEROS, type, 16),
        lambda text: {"matches": [len(starts(text, pattern)) for pattern in ZEROS]},
    ),
    "locate": Case(lambda type: locate_scan(PATTERNS, type), lambda text: located(text, PATTERNS)),
    "locate-windows-zeros": Case(
        lambda type: locate_scan(ZEROS, type, chunk=48, prefilter="windows"),
        lambda text: located(text, ZEROS),
    ),
    "histogram": Case(
        histogram_scan,
        lambda text: {"bins": np.bincount(np.frombuffer(text, np.uint8), minlength=256).tolist()},
    ),
    "filter": Case(lambda type: filter_scan(LOW, HIGH, type), chosen, of_values=True),
    "filter-16-lanes": Case(
        lambda type: filter_scan(LOW, HIGH, type, values=64, lanes=16), chosen, of_values=True
    ),
    "prefix-sum": Case(
        prefix_sum_scan,
        lambda text: {"sums": np.cumsum(values_of(text), dtype=np.int64).tolist()},
        of_values=True,
    ),
    "prefix-sum-16-values": Case(
        lambda type: prefix_sum_scan(type, values=16, lanes=16),
        lambda text: {"sums": np.cumsum(values_of(text), dtype=np.int64).tolist()},
        of_values=True,
    ),
    "prefix-sum-16-lanes": Case(
        lambda type: prefix_sum_scan(type, lanes=16),
        lambda text: {"sums": np.cumsum(values_of(text), dtype=np.int64).tolist()},
        of_values=True,
    ),
}
each_type = pytest.mark.parametrize(
    "type", [i32, pytest.param(i64, marks=pytest.mark.slow)], ids=str
)
SIZES = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000, 8191, 8192, 8193, 70_000]


def text_of(size: int) -> bytes:
    """A text in which everything is found, in one run and in pieces."""
    random = np.random.default_rng(size)
    pieces = random.choice(np.array([LITERAL, LONG, b"b\0\0\0", b"b" * 20, b"\xff"]), size // 4 + 1)
    return b"".join(pieces.tolist())[:size].ljust(size, b"\0")


@pytest.fixture(params=slow_if(CASES, ("literals-windows-zeros",)), name="case")
def _case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def check(case: Case, executor: Executor, size: int) -> None:
    text = text_of(size)
    inputs = (
        {"values": values_of(text)} if case.of_values else {"text": np.frombuffer(text, np.uint8)}
    )
    outputs = executor.run(inputs).outputs
    results = {
        name: array.view(f"i{array.dtype.itemsize}").tolist() for name, array in outputs.items()
    }
    assert results == wrapped(case.expected(text), outputs)


def wrapped(results: Results, outputs: Mapping[str, npt.NDArray[np.generic]]) -> Results:
    """The results as a buffer of the outputs' width holds them."""
    return {
        name: np.array(values, np.int64).astype(f"i{outputs[name].dtype.itemsize}").tolist()
        for name, values in results.items()
    }


@pytest.mark.one_in(21)
@each_type
def test_finds_what_python_finds(device: Device, case: Case, type: IntegerType):
    compiled = compile_module(case.module(type), device=device.info)
    executor = Executor(compiled, device)
    for size in SIZES:
        check(case, executor, size)


@pytest.mark.slow
def test_prefix_sums_of_several_rounds_of_groups(device: Device):
    values = np.random.default_rng(7).integers(-100, 100, 4096 * 64 * 64 + 70_000, np.int32)
    compiled = compile_module(prefix_sum_scan(i32), device=device.info)
    sums = Executor(compiled, device).run({"values": values}).outputs["sums"]
    np.testing.assert_array_equal(sums.view(np.int32), np.cumsum(values, dtype=np.int32))


@pytest.mark.one_in(30)
@each_type
def test_runs_clean(oclgrind: Callable[..., CheckedRun], case: Case, type: IntegerType):
    run = oclgrind()
    compiled = compile_module(case.module(type), device=run.device.info)
    executor = Executor(compiled, run.session)
    for size in (1, 100, 700):
        check(case, executor, size)
