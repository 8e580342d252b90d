"""
Generated programs mean the same before and after fusion on every device, and what the
reference interpreter says.
"""

from __future__ import annotations

import os

from support.batches import batched, batched_inputs
from support.fusion import FusibleProgram, fusible_programs, require_outputs

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.execute import run_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "32"))
FIRST_SEED = int(os.environ.get("VYRE_FUZZ_SEED", "5000"))
BATCH = 16


def _require_same(device: Device, programs: list[FusibleProgram]) -> None:
    modules = {f"{each.key}_before": each.before for each in programs}
    modules |= {f"{each.key}_after": each.after for each in programs}
    inputs = {f"{each.key}_before": each.inputs for each in programs}
    inputs |= {f"{each.key}_after": each.inputs_after for each in programs}
    run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
    for each in programs:
        require_outputs(each, run.outputs, f"{each.key}_before", f"{each.key}_after")


def test_fusion_keeps_the_meaning_on_a_device(device: Device) -> None:
    programs = fusible_programs(FIRST_SEED)
    for _ in range(0, PROGRAMS, BATCH):
        _require_same(device, [next(programs) for _ in range(BATCH)])
