"""Arms of bytes mean the same in 64 lanes, and in kernels as the policies of devices make them."""

from __future__ import annotations

from collections import Counter

import pytest
from support.fusion import require_equal
from support.generated.bound_program import BoundProgram
from support.generated.byte_arms import byte_arms
from support.generated.drawing import Draws, for_each

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import apply_pipeline, compile_module, make_context

CONTEXT = make_context()
PROGRAMS = 24
ON_DEVICE = 40
SHORT = (0, 1, 63, 64, 65, 129, 200)
PIPELINE = (
    "vyre-vectorize{lanes=16 lanes_of_bytes=64},vyre-decode-scan-fuse{strategy=private},"
    "vyre-coarsen{groups=2 order=blocked},vyre-privatize-reductions{scope=invocation lanes=true},"
    "canonicalize,vyre-prove-accesses,vyre-split-index-sets,canonicalize,"
    "vyre-split-index-sets{loops=true},vyre-narrow-sums"
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shard", range(3))
def test_lanes_of_bytes_compute_what_invocations_compute(shard: int, draws: Draws) -> None:
    def check(drawn: BoundProgram) -> None:
        copy = drawn.module.clone()
        apply_pipeline(copy, PIPELINE, CONTEXT)
        copy.verify()
        got = interpret(copy, drawn.inputs).outputs
        require_equal(got, interpret(drawn.module, drawn.inputs).outputs)

    for_each(byte_arms(SHORT), check, examples=draws(PROGRAMS), seed=shard)


@pytest.mark.slow
def test_devices_agree(device: Device, draws: Draws) -> None:
    seen = Counter[str]()

    def check(drawn: BoundProgram) -> None:
        expected = interpret(drawn.module, drawn.inputs).outputs
        require_equal(run_module(drawn.module, drawn.inputs, device=device).outputs, expected)
        source = compile_module(drawn.module, device=device.info).source
        seen["wide" if "vyre_u8x64" in source else "narrow"] += 1

    for_each(byte_arms(), check, examples=draws(ON_DEVICE), seed=7)
    assert device.info.vector_lanes < 64 or seen["wide"] > 0.3 * seen.total(), seen
