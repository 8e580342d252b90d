"""Arms that have lanes and fuse mean on devices what they mean on the interpreter."""

from __future__ import annotations

import pytest
from support.fused_in_lanes import NAMES, SIZES, inputs_of, program_of
from support.fusion import require_equal
from support.interpreting import interpreter

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_fused_arms_mean_the_same(name: str, device: Device) -> None:
    module = program_of(name)
    meaning = interpreter(module)
    executor = Executor(compile_module(module, device=device.info), device)
    for size in SIZES:
        inputs = inputs_of(module, size)
        expected = meaning.run(inputs).outputs
        require_equal(executor.run(inputs).outputs, expected)
