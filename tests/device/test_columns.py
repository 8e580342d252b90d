"""Decoders of columns give NumPy's answer on every device, at the tails, and run clean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support.blocks import Blocks, unpacker
from support.columns import alp, dictionary, patched, run_length, split
from support.decodes import based_delta_decoder
from support.oclgrind import CheckedRun
from support.runs import DictionaryRuns, PackedRuns, lookup
from support.runs import unpacker as unpacker_of_runs
from xdsl.dialects.builtin import ModuleOp, f32, f64, i8, i16, i32, i64

from examples.encodings import Array
from vyre_dialect.ops.packed import Layout
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

Inputs = dict[str, Array]
RUNS = 2000
"""Values of runs, in which any number of them end."""


@dataclass(frozen=True)
class Case:
    """A decoder, inputs of so many values, what they decode to, and inputs that are bad."""

    module: Callable[[], ModuleOp]
    draw: Callable[[int], Inputs]
    answer: Callable[..., Array]
    bad: tuple[Inputs, int] | None = None
    """With the offset that is reported."""


def codes(size: int, dtype: Any = np.uint8) -> Inputs:
    table = np.arange(200, dtype=np.int64) * 3 - 7
    return {
        "codes": np.random.default_rng(size).integers(0, 200, size).astype(dtype),
        "table": table,
    }


def looked_up(codes: Array, table: Array) -> Array:
    return table[codes]


def streams(size: int) -> Inputs:
    return {"streams": np.random.default_rng(size).integers(0, 256, size // 8 * 8, np.uint8)}


def put_together(streams: Array) -> Array:
    return streams.reshape(8, -1).T.copy().view(np.float64).ravel()


def digits(size: int) -> Inputs:
    return {"digits": np.random.default_rng(size).integers(-(1 << 31), 1 << 31, size, np.int32)}


def decimals(digits: Array) -> Array:
    return digits.astype(np.float32) * np.float32(100) * np.float32(1e-7)


def exceptions(size: int) -> Inputs:
    random = np.random.default_rng(size)
    positions = np.flatnonzero(random.integers(0, 10, size) == 0).astype(np.int32)
    given = random.integers(-1000, 1000, size, np.int64)
    return {"digits": given, "exceptions": np.sqrt(positions), "positions": positions}


def with_exceptions(digits: Array, exceptions: Array, positions: Array) -> Array:
    values = digits * 0.01
    values[positions] = exceptions
    return values


def runs(size: int) -> Inputs:
    lengths = np.random.default_rng(size).integers(0, 9, size + 1)
    ends = np.append(lengths.cumsum(), [max(RUNS, lengths.sum())]).astype(np.int32)
    return {"ends": ends, "table": np.arange(len(ends), dtype=np.int32) - 5}


def repeated(ends: Array, table: Array) -> Array:
    return np.repeat(table, np.diff(ends, prepend=0))[:RUNS]


def described(layout: Layout, width: int, zigzag: bool) -> Case:
    """Blocks of some widths, of which the last says that it has wider integers than results."""
    per_block = 1024 if layout == Layout.INTERLEAVED else 64

    def blocks(size: int) -> Blocks:
        bits = np.random.default_rng(size).integers(0, width + 1, size // per_block + 1)
        return Blocks.drawn(width, layout, per_block, bits.tolist(), zigzag=zigzag)

    def answer(packed: Array, blocks: Array) -> Array:
        values = known[blocks.tobytes()].values()
        return np.array(values, np.uint64).astype(f"u{width // 8}")

    def draw(size: int) -> Inputs:
        drawn = blocks(size)
        known[drawn.fields.tobytes()] = drawn
        return drawn.inputs()

    known = dict[bytes, Blocks]()
    bad = blocks(200).with_field(0, 1, width + 1).inputs()
    return Case(lambda: unpacker(blocks(0)), draw, answer, (bad, 0))


def packed_in_runs(width: int, values: int) -> Case:
    """Runs of some lengths and widths, of which a bad one is wider than results."""

    def runs(size: int) -> PackedRuns:
        random = np.random.default_rng(size)
        lengths, bits = random.integers(0, 60, size), random.integers(0, width + 1, size)
        return PackedRuns.drawn(
            width, [*zip(lengths.tolist(), bits.tolist(), strict=True), (RUNS, 1)], size
        )

    def draw(size: int) -> Inputs:
        drawn = runs(size)
        known[drawn.fields.tobytes()] = drawn.values[:RUNS]
        return drawn.inputs()

    known = dict[bytes, Array]()
    bad = PackedRuns.drawn(width, [(RUNS, 3)]).with_field(0, 1, width + 1).inputs()

    def answer(packed: Array, ends: Array, runs: Array) -> Array:
        return known[runs.tobytes()]

    return Case(lambda: unpacker_of_runs(width, RUNS, values=values), draw, answer, (bad, 0))


def codes_in_runs(type: str, values: int) -> Case:
    """Runs of codes of some lengths and widths, and plain ones, of which a bad one has none."""

    def draw(size: int) -> Inputs:
        random = np.random.default_rng(size)
        lengths, bits = random.integers(0, 60, size), random.integers(-1, 33, size)
        lookups = [*zip(lengths.tolist(), bits.tolist(), strict=True), (RUNS, 1)]
        drawn = DictionaryRuns.drawn(type, lookups, size)
        known[drawn.fields.tobytes()] = drawn.values[:RUNS]
        return drawn.inputs()

    known = dict[bytes, Array]()
    bad = DictionaryRuns.drawn(type, [(RUNS, 3)]).with_field(0, 3, 0).inputs()

    def answer(packed: Array, ends: Array, runs: Array) -> Array:
        return known[runs.tobytes()]

    return Case(lambda: lookup(type, RUNS, values=values), draw, answer, (bad, 0))


def differences(size: int) -> Inputs:
    random = np.random.default_rng(size)
    return {
        "encoded": random.integers(-(1 << 62), 1 << 62, size),
        "bases": random.integers(-(1 << 62), 1 << 62, -(-size // 64)),
    }


def summed(encoded: Array, bases: Array) -> Array:
    starts = range(0, len(encoded), 64)
    blocks = [encoded[start : start + 64].cumsum() + bases[start // 64] for start in starts]
    return np.concatenate([np.zeros(0, np.int64), *blocks])


BAD_CODES = {"codes": np.array([9, 199] * 40 + [200], np.uint8), "table": np.arange(200)}
CASES = {
    **{
        f"dictionary-{lanes}": Case(
            lambda lanes=lanes: dictionary(i8, i64, lanes), codes, looked_up, (BAD_CODES, 80)
        )
        for lanes in (1, 4, 16)
    },
    "dictionary-i16": Case(
        lambda: dictionary(i16, i64, 8), lambda size: codes(size, np.uint16), looked_up
    ),
    **{
        f"delta-bases-{values}-{lanes}": Case(
            lambda values=values, lanes=lanes: based_delta_decoder(64, i64, values, lanes),
            differences,
            summed,
        )
        for values, lanes in ((64, 4), (64, 16), (8, 4))
    },
    "blocks-8": described(Layout.SEQUENTIAL, 8, zigzag=True),
    "blocks-32": described(Layout.SEQUENTIAL, 32, zigzag=False),
    "blocks-64": described(Layout.SEQUENTIAL, 64, zigzag=True),
    "blocks-interleaved-16": described(Layout.INTERLEAVED, 16, zigzag=True),
    "blocks-interleaved-32": described(Layout.INTERLEAVED, 32, zigzag=False),
    **{
        f"packed-runs-{values}-{width}": packed_in_runs(width, values)
        for values, width in ((1, 8), (8, 32), (16, 64))
    },
    **{
        f"dictionary-runs-{values}-{type}": codes_in_runs(type, values)
        for values, type in ((1, "f32"), (8, "i32"), (16, "f64"))
    },
    **{
        f"split-{lanes}": Case(
            lambda lanes=lanes: split(f64, lanes),
            streams,
            put_together,
            ({"streams": np.zeros(100, np.uint8)}, 100),
        )
        for lanes in (1, 4, 16)
    },
    **{
        f"alp-{lanes}": Case(
            lambda lanes=lanes: alp(i32, f32, 7, 2, lanes),
            digits,
            decimals,
        )
        for lanes in (1, 4, 16)
    },
    **{
        f"alp-exceptions-{values}": Case(
            lambda values=values: patched(values), exceptions, with_exceptions
        )
        for values in (1, 8)
    },
    **{
        f"runs-{values}": Case(
            lambda values=values: run_length(RUNS, values=values),
            runs,
            repeated,
            ({"ends": np.array([5, RUNS - 1], np.int32), "table": np.zeros(2, np.int32)}, 2),
        )
        for values in (1, 8)
    },
}
SIZES = (0, 1, 3, 15, 16, 17, 64, 1000)


@pytest.fixture(params=CASES, name="case")
def _case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def check(case: Case, executor: Executor, size: int) -> None:
    inputs = case.draw(size)
    found = executor.run(inputs).outputs["decoded"]
    assert found.tobytes() == case.answer(**inputs).tobytes()


def check_report(case: Case, executor: Executor) -> None:
    if case.bad is None:
        return
    inputs, offset = case.bad
    with pytest.raises(VyreError, match=rf" at offset {offset}$"):
        executor.run(inputs)


@pytest.mark.one_in(24)
def test_decodes_every_tail_and_reports_bad_input(device: Device, case: Case):
    executor = Executor(compile_module(case.module(), device=device.info), device)
    for size in SIZES:
        check(case, executor, size)
    check_report(case, executor)


@pytest.mark.one_in(33)
def test_runs_clean(oclgrind: Callable[..., CheckedRun], case: Case):
    run = oclgrind()
    executor = Executor(compile_module(case.module()), run.session)
    for size in (1, 100):
        check(case, executor, size)
    check_report(case, executor)
