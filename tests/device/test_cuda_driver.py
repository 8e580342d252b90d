"""Kernels that MLIR's tools took to PTX give on an NVIDIA GPU what the interpreter says."""

from __future__ import annotations

import pytest
from support.cuda_driver import CudaDriver, run_again
from support.mlir_tools import require_tools
from support.record_launches import launches


@pytest.fixture(scope="module")
def driver() -> CudaDriver:
    try:
        return CudaDriver()
    except OSError as error:
        pytest.skip(f"no NVIDIA GPU works here: {error}")


@pytest.mark.slow
@pytest.mark.device
def test_launches_give_what_the_interpreter_says(driver: CudaDriver) -> None:
    require_tools()
    recorded = launches(50)
    wrong = [each["kernel"] for each in recorded if not run_again(driver, each)]
    assert recorded
    assert wrong == []
