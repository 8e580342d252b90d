"""A program that claims what does not hold touches no memory that is not its own."""

from __future__ import annotations

import numpy as np
import pytest
from support.claims import CLAIMS, DATA
from xdsl.dialects.builtin import i8

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
PIPELINES = {
    "by default": None,
    "no pass": "vyre-expand,vyre-outline-kernels",
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("claim", CLAIMS)
def test_nobody_believes_it(device: Device, claim: str, pipeline: str) -> None:
    text, expected = CLAIMS[claim]
    module = parse_module(text, CONTEXT)
    run = run_module(module, {"a": DATA}, device=device, pipeline=PIPELINES[pipeline])
    assert run.outputs["o"].view(np.uint8).tolist() == expected.tolist()


@pytest.mark.slow
def test_nobody_believes_a_program_built_in_python(device: Device) -> None:
    with program("p") as p:
        a = p.buffer("a", i8, 16, access=Access.READ_ONLY)
        o = p.buffer("o", i8, 16, live_out=True)
        with p.arm("r", 16) as i:
            o[i] = a.load(i + (1 << 40), in_bounds=True)
    run = run_module(p.module, {"a": DATA}, device=device)
    assert not run.outputs["o"].any()


def test_a_launch_has_no_more_invocations_than_are_reckoned_with(device: Device) -> None:
    """Ranges of ids, by which accesses are proven, end at 2^48."""
    text = CLAIMS["a kernel"][0].replace("@k[4]", f"@k[{2**45}]")
    with pytest.raises(VyreError, match="expected at most 281474976710656 invocations"):
        run_module(parse_module(text, CONTEXT), {"a": DATA}, device=device)


def test_a_launch_has_no_more_workgroups_than_the_driver_counts(device: Device) -> None:
    """PoCL ends the process beyond."""
    if device.info.platform != "Portable Computing Language":
        pytest.skip("takes any number of workgroups")
    text = CLAIMS["a kernel"][0].replace("@k[4]", f"@k[{2**16}, {2**16}]")
    with pytest.raises(DeviceError, match="expected at most 4294967295 workgroups, got 4294967296"):
        run_module(parse_module(text, CONTEXT), {"a": DATA}, device=device)
