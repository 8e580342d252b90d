"""Files of Parquet hold on devices what pyarrow says, and their decoders run clean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from support.oclgrind import CheckedRun
from support.parquet_values import FILES, Decodes, assert_like_pyarrow, compiled
from support.parquet_writing import by_pyarrow, drawn_table
from support.tiers import slow_if

from vyre_dialect.runtime.opencl.devices import Device

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


@pytest.mark.parametrize("name", slow_if(READABLE, {*READABLE} - QUICK))
def test_every_column_holds_what_pyarrow_says(device: Device, name: str) -> None:
    assert_like_pyarrow(FILES / f"{name}.parquet", on(device))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_written_files_hold_what_pyarrow_says(device: Device, seed: int) -> None:
    assert_like_pyarrow(written(seed), on(device))


@pytest.mark.slow
def test_decoders_run_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    decodes, seen = compiled(oclgrind().session), Counter[str]()
    for seed in range(12):
        file = assert_like_pyarrow(written(seed), decodes)
        seen.update(type(file.column(name).decoder).__name__ for name in file.names)
    assert len(seen) > 3
