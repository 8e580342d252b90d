"""`vyre.scan.dictionary_filter` gives NumPy's answers on every device, and runs clean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.oclgrind import CheckedRun
from support.scans import dictionary_filter_scan
from xdsl.dialects.builtin import i16

from vyre_dialect.ir.tuning import Choice
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

ENTRIES = 300
SIZES = (0, 1, 3, 63, 64, 65, 1000)
NARROW, WIDE = (-500, 1000), (-(1 << 31), 1 << 31)
CHOICES: list[dict[str, Choice]] = [{"values": 8}, {"values": 64, "lanes": 16}]


def check(executor: Executor, size: int, span: tuple[int, int]) -> None:
    random = np.random.default_rng(size)
    table = random.integers(*WIDE, ENTRIES, dtype=np.int32)
    table[::2] = random.integers(-1000, 2000, ENTRIES // 2)
    codes = random.integers(0, ENTRIES, size, np.uint16)
    found = executor.run({"codes": codes, "table": table}).outputs
    values = table[codes].astype(np.int64)
    chosen = values[(values >= span[0]) & (values < span[1])]
    assert found["count"].view(np.int32).tolist() == [chosen.size]
    assert found["sum"].view(np.int64).tolist() == [chosen.sum()]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("span", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_finds_what_numpy_finds(
    choices: dict[str, Choice], span: tuple[int, int], device: Device
) -> None:
    module = dictionary_filter_scan(*span, codes=i16, **choices)
    executor = Executor(compile_module(module, device=device.info), device)
    for size in SIZES:
        check(executor, size, span)


def test_reports_the_first_code_without_an_element(device: Device) -> None:
    executor = Executor(compile_module(dictionary_filter_scan(0, 9), device=device.info), device)
    codes = np.array([9, 199] * 40 + [200, 0, 255], np.uint8)
    with pytest.raises(VyreError, match=r" at offset 80$"):
        executor.run({"codes": codes, "table": np.arange(200, dtype=np.int32)})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("span", [NARROW, WIDE], ids=["narrow", "wide"])
def test_runs_clean(span: tuple[int, int], oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    module = dictionary_filter_scan(*span, codes=i16)
    executor = Executor(compile_module(module, device=run.device.info), run.session)
    for size in (0, 1, 65):
        check(executor, size, span)
