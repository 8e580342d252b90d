"""Files of Parquet hold on devices what pyarrow says, and their decoders run clean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.oclgrind import CheckedRun
from support.parquet_mutants import mutants
from support.parquet_values import (
    FILES,
    Decodes,
    assert_like_pyarrow,
    compiled,
    outcomes,
    pa,
    pq,
)
from support.parquet_writing import by_pyarrow, drawn_table
from support.tiers import slow_if
from xdsl.dialects.builtin import ModuleOp, i64

from vyre_dialect.builder import aggregate, program
from vyre_dialect.columns.parquet import ParquetFile
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

READABLE = sorted(path.stem for path in FILES.glob("*.parquet"))
QUICK = {"plain-dict-uncompressed-checksum", "int32_with_null_pages"}
"""Files of one column or two, whose programs take little time to compile."""


@cache
def on(device: Device) -> Decodes:
    """Decodes on a device; programs are compiled once for all tests."""
    return compiled(device)


def written(seed: int) -> bytes:
    random = np.random.default_rng(seed)
    return by_pyarrow(drawn_table(random), random)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", slow_if(READABLE, {*READABLE} - QUICK))
def test_every_column_holds_what_pyarrow_says(device: Device, name: str) -> None:
    assert_like_pyarrow(FILES / f"{name}.parquet", on(device))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_written_files_hold_what_pyarrow_says(device: Device, seed: int) -> None:
    assert_like_pyarrow(written(seed), on(device))


@pytest.mark.slow
def test_pages_are_read_where_the_file_is_mapped(device: Device, tmp_path: Path) -> None:
    path, random = tmp_path / "pages.parquet", np.random.default_rng(3)
    days = random.integers(0, 90, 3000)
    table = {
        "day": days,
        "note": pa.array([each if each < 80 else None for each in days.tolist()], pa.int32()),
        "is_late": days > 60,
    }
    options: dict[str, Any] = {"row_group_size": 1000, "max_rows_per_page": 300}
    pq.write_table(pa.table(table), path, compression="none", **options)
    file = assert_like_pyarrow(path, on(device), in_place=True)
    mapped = [file.column(name).inputs["file_"] for name in table]
    assert {len(each) for each in mapped} == {path.stat().st_size}
    assert np.shares_memory(mapped[0], mapped[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_written_files_are_read_in_place(device: Device, seed: int) -> None:
    assert_like_pyarrow(written(seed), on(device), in_place=True)


@pytest.mark.slow
def test_decoders_run_clean_in_place(oclgrind: Callable[..., CheckedRun]) -> None:
    decodes = compiled(oclgrind().session)
    for seed in range(3):
        assert_like_pyarrow(written(seed), decodes, in_place=True)


@pytest.mark.slow
def test_damaged_pages_in_place_are_read_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    decodes, seen = compiled(oclgrind().session), Counter[bool]()
    for _, data in mutants(range(30)):
        seen.update(each == "read" for each in outcomes(data, decodes, in_place=True))
    assert seen[True]
    assert seen[False]


@pytest.mark.slow
def test_decoders_run_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    decodes, seen = compiled(oclgrind().session), Counter[str]()
    for seed in range(12):
        file = assert_like_pyarrow(written(seed), decodes)
        seen.update(type(file.column(name).decoder).__name__ for name in file.names)
    assert len(seen) > 3


ROWS = 3000
SALES: dict[str, Any] = {
    "day": np.random.default_rng(0).integers(8000, 10500, ROWS).astype(np.int32),
    "discount": np.random.default_rng(1).integers(0, 11, ROWS),
    "price": np.repeat(np.random.default_rng(2).integers(1, 1 << 40, ROWS // 10), 10),
}


def sales() -> ParquetFile:
    """A file of several row groups, pages, and runs."""
    sink = BytesIO()
    options: dict[str, Any] = {"row_group_size": 1000, "max_rows_per_page": 300}
    pq.write_table(pa.table(SALES), sink, compression="none", **options)
    return ParquetFile(sink.getvalue())


def asked(file: ParquetFile) -> tuple[ModuleOp, dict[str, Any]]:
    """The program of a query over a file, and its inputs."""
    columns = [file.column(name) for name in file.names]
    with program("sales") as p:
        total = p.buffer("total", i64, 1, live_out=True, fill=0)
        with aggregate(*(column.declare(p) for column in columns)) as query:
            day, discount, price = query.row
            query.where((day < 9000) & (discount < 5))
            query.sum(price * discount, into=total)
    return p.module, {name: each for column in columns for name, each in column.inputs.items()}


def check_query(executor: Executor, inputs: dict[str, Any]) -> None:
    result = executor.run(inputs)
    day, discount, price = SALES.values()
    chosen = (day < 9000) & (discount < 5)
    assert result.outputs["total"].tolist() == [int((price * discount)[chosen].sum())]
    decoders = "+".join(["decode.bitunpack_runs+decode.dictionary"] * len(SALES))
    assert [arm.generator for arm in result.arms] == [f"{decoders}+scan.aggregate"]


@pytest.mark.slow
def test_a_query_over_a_file_is_one_kernel(device: Device) -> None:
    module, inputs = asked(sales())
    check_query(Executor(compile_module(module, device=device.info), device), inputs)


@pytest.mark.slow
def test_a_query_over_a_file_runs_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    module, inputs = asked(sales())
    check_query(Executor(compile_module(module), oclgrind().session), inputs)
