"""
Generated programs mean the same before and after fusion on every device, and what the
reference interpreter says.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.batches import batched, batched_inputs
from support.fusion import FusibleProgram, fusible, require_outputs
from support.generated.drawing import Draws, in_batches
from support.generated.programs import programs

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 32
BATCH = 16
SEED = 5000
FUSIBLE = fusible(programs())


def _require_same(device: Device, programs: Sequence[FusibleProgram]) -> None:
    modules = {f"p{n}_before": each.before for n, each in enumerate(programs)}
    modules |= {f"p{n}_after": each.after for n, each in enumerate(programs)}
    inputs = {f"p{n}_before": each.inputs for n, each in enumerate(programs)}
    inputs |= {f"p{n}_after": each.inputs_after for n, each in enumerate(programs)}
    run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
    for n, each in enumerate(programs):
        require_outputs(each, run.outputs, f"p{n}_before", f"p{n}_after")


@pytest.mark.xdist_group("fusion on devices")
def test_fusion_keeps_the_meaning_on_a_device(device: Device, draws: Draws) -> None:
    count = in_batches(
        FUSIBLE,
        lambda batch: _require_same(device, batch),
        examples=draws(PROGRAMS),
        batch=BATCH,
        seed=SEED,
    )
    assert count == draws(PROGRAMS)
