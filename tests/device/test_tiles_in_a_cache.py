"""Tiles in a cache run on devices, whatever the arms that share them state of workgroups."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device

LENGTH = 50000
REACH = 2000


def scanned(workgroup: int) -> ModuleOp:
    """A decoder, and a scanner that looks far ahead, both in workgroups of a size."""
    with program("stated") as p:
        text = p.buffer("text", i8, LENGTH, access=Access.READ_ONLY)
        plain = p.buffer("plain", i8, LENGTH, initial=Initial.UNDEFINED)
        out = p.buffer("out", i8, LENGTH, live_out=True)
        with p.arm("decode", LENGTH, workgroup_size=[workgroup]) as i:
            plain[i] = text[i] ^ 7
        with p.arm("scan", LENGTH, workgroup_size=[workgroup]) as i:
            out[i] = plain[i] + plain[i + 1] + plain[i + REACH]
    return p.module


@pytest.mark.parametrize("workgroup", [1, 64, 1024])
def test_what_arms_state_of_workgroups_leaves_room_for_tiles(
    workgroup: int, device: Device
) -> None:
    if device.info.max_workgroup_size < workgroup:
        pytest.skip("the device has no workgroups of that size")
    text = np.random.default_rng(1).integers(256, size=LENGTH, dtype=np.uint8)
    plain = np.concatenate([text ^ 7, np.zeros(REACH, np.uint8)])
    expected = plain[:LENGTH] + plain[1 : LENGTH + 1] + plain[REACH:]
    run = run_module(scanned(workgroup), {"text": text}, device=device)
    np.testing.assert_array_equal(run.outputs["out"], expected)
