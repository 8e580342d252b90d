"""Queries over floats, and of many numbers, give one answer on every device; floats run clean."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
from support.oclgrind import CheckedRun
from support.queries import assert_float_answers, float_query
from support.tables import pa
from xdsl.dialects.builtin import f32, f64

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.queries import query

TYPES = {np.float32: f32, np.float64: f64}


def check(executor: Executor, dtype: type[np.floating], size: int) -> None:
    random = np.random.default_rng(size)
    scale = 10.0 ** random.integers(-9, 9, size)
    values = (random.standard_normal(size) * scale).astype(dtype)
    marks = random.integers(0, 2, size, np.int8)
    found = executor.run({"values": values, "marks": marks}).outputs
    assert_float_answers(found, values, marks)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
def test_floats_are_combined_in_one_order(device: Device, dtype: type[np.floating]) -> None:
    compiled = compile_module(float_query(TYPES[dtype]), device=device.info)
    executor = Executor(compiled, device)
    for size in (0, 1, 63, 64, 65, 5000, 70_000, 64 * 64 * 260):
        check(executor, dtype, size)


def test_queries_over_floats_run_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    compiled = compile_module(float_query(f32), device=run.device.info)
    check(Executor(compiled, run.session), np.float32, 300)


@pytest.mark.slow
def test_lists_of_many_values_that_are_computed(device: Device) -> None:
    """Far apart, of decimals, and one list looked up for another."""
    near, far = (", ".join(str(each * by) for each in range(-50, 50)) for by in (7, 2000))
    table = pa.table(
        {
            "n": pa.array([*range(-400, 400), None], pa.int16()),
            "d": pa.array([Decimal(each * 250) for each in range(-400, 401)], pa.decimal128(9, 2)),
        }
    )
    expected = {
        f"d in ({far})": [*range(-400, 400, 8)],
        f"case when n in ({near}) then 1 else n end in ({near}, 1)": [
            n for n in range(-400, 400) if n in range(-350, 350, 7) or n == 1
        ],
    }
    for where, rows in expected.items():
        answer = query(table, select="n", where=where, device=device)
        assert answer["n"].to_pylist() == rows, where
