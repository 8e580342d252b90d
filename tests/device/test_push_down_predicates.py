"""Queries that test encoded columns give NumPy's answers on every device, and run clean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.blocks import Blocks
from support.gate import assert_answers
from support.oclgrind import CheckedRun
from xdsl.dialects.builtin import ModuleOp, i8, i16, i32, i64

from benchmarks.gate.program import unpacked
from benchmarks.gate.programs import PROGRAMS
from examples.encodings import Array
from vyre_dialect.builder import aggregate, program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.ops.packed import BitUnpackBlocksOp, BitUnpackOp, Layout
from vyre_dialect.passes.program.predicates.outcome import Rule
from vyre_dialect.passes.program.push_down_predicates import push_down_predicates
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

PRICES = [30, 5, 20, 40, 2, 1, 17, 11]


def every_rule() -> ModuleOp:
    """A query whose tests move by every rule there is."""
    with program("p") as p:
        errors = p.buffer("errors", i32, 1, fill=-1)
        days, changes = p.buffer("days", i32), p.buffer("changes", i16)
        codes, prices = p.buffer("codes", i8), p.buffer("prices", i64)
        times, amounts = p.buffer("times", i64), p.buffer("amounts", i32)
        packed = {
            each: p.buffer(f"{each}_packed", i8) for each in ("days", "changes", "codes", "amounts")
        }
        count = p.buffer("count", i32, 1, live_out=True)
        total = p.buffer("total", i64, 1, live_out=True)
        BitUnpackOp(packed["days"], days, 5, base=-7)
        BitUnpackOp(packed["changes"], changes, 6, zigzag=True, base=2)
        BitUnpackOp(packed["codes"], codes, 3)
        known = p.buffer("known", i64, contents=PRICES, access=Access.READ_ONLY)
        DictionaryOp(codes, prices, known, errors)
        DictionaryOp(codes, times, p.buffer("table", i64), errors)
        blocks = p.buffer("blocks", i64)
        BitUnpackBlocksOp(packed["amounts"], amounts, blocks, 128, errors)
        with aggregate(days, changes, prices, times, amounts) as query:
            day, change, price, time, amount = query.row
            query.where(day.compare("slt", 20) & change.compare("sge", 2))
            query.where((price >= 10) & (time % 7 < 5) & (amount < 90))
            query.count(into=count)
            query.sum((day + amount).to(i64), into=total)
    return p.module


def draw(size: int) -> tuple[dict[str, Array], Blocks]:
    random = np.random.default_rng(size)
    blocks = Blocks.drawn(32, Layout.SEQUENTIAL, 128, [3, 7, 5, 0, 6][: -(-size // 128)])
    blocks = blocks.with_field(1, 2, 5000) if size > 128 else blocks
    names = {"days": 5, "changes": 6, "codes": 3}
    inputs = {
        f"{name}_packed": random.integers(0, 256, size * bits // 8, np.uint8)
        for name, bits in names.items()
    }
    table = random.integers(0, 1 << 40, 8, np.int64)
    of_blocks = {"amounts_packed": blocks.source, "blocks": blocks.fields.ravel()}
    return inputs | of_blocks | {"table": table}, blocks


def answer(inputs: dict[str, Array], blocks: Blocks) -> tuple[int, int]:
    codes = unpacked(inputs["codes_packed"], 3)
    zigzag = unpacked(inputs["changes_packed"], 6)
    columns = [
        unpacked(inputs["days_packed"], 5) - 7,
        ((zigzag >> 1) ^ -(zigzag & 1)) + 2,
        np.array(PRICES)[codes],
        inputs["table"][codes],
        np.array(blocks.values(), np.int64),
    ]
    rows = min(map(len, columns))
    day, change, price, time, amount = (each[:rows] for each in columns)
    chosen = (day < 20) & (change >= 2) & (price >= 10) & (time % 7 < 5) & (amount < 90)
    sums = (day + amount)[chosen] % (1 << 32)
    return int(np.count_nonzero(chosen)), int(sums.sum())


def check(executor: Executor, size: int) -> None:
    inputs, blocks = draw(size)
    found = executor.run(inputs).outputs
    got = int(found["count"].view(np.int32)[0]), int(found["total"].view(np.int64)[0])
    assert got == answer(inputs, blocks)


def test_the_query_has_every_rule() -> None:
    moved = {each.found for each in push_down_predicates(every_rule(), None) if each.has_moved}
    assert moved == {*Rule}
    assert answer(*draw(640))[0] > 10


@pytest.mark.slow
def test_encoded_columns_are_tested_alike(device: Device) -> None:
    executor = Executor(compile_module(every_rule(), device=device.info), device)
    for size in (0, 1, 8, 127, 128, 200, 640):
        check(executor, size)


@pytest.mark.slow
def test_encoded_columns_are_tested_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    executor = Executor(compile_module(every_rule(), device=run.device.info), run.session)
    for size in (8, 200):
        check(executor, size)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["month_of_orders", "weekend_sales", "dictionary_of_frames"])
def test_programs_of_the_gate_run_clean(name: str, oclgrind: Callable[..., CheckedRun]) -> None:
    run, context = oclgrind(), make_context()
    module = load_module(PROGRAMS[name].path, context)
    executor = Executor(compile_module(module, device=run.device.info), run.session)
    for size in (300, 4097):
        inputs = PROGRAMS[name].inputs(size)
        assert_answers(name, inputs, executor.run(inputs).outputs)
