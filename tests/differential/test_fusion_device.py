"""
Generated programs mean the same before and after fusion on every device, and what the
reference interpreter says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

import numpy as np
from support.batches import batched, batched_inputs, prefixed
from support.fusion import fused, is_defined, random_options
from support.random_pairs import random_program
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.arrays import Array
from vyre_dialect.runtime.devices import Device
from vyre_dialect.runtime.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.pipelines import UNFUSED

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "32"))
FIRST_SEED = int(os.environ.get("VYRE_FUZZ_SEED", "5000"))
BATCH = 16


@dataclass(frozen=True)
class _Compared:
    """A program before and after fusion, and its inputs."""

    key: str
    before: ModuleOp
    after: ModuleOp
    inputs: Mapping[str, Array]

    @property
    def keys(self) -> tuple[str, str]:
        """The keys of both in a batch."""
        return f"{self.key}_before", f"{self.key}_after"


def _fusible(seed: int) -> Iterator[_Compared]:
    """Programs that fuse, each with the seed as its key, without end."""
    while True:
        random = Random(seed)
        case, options = random_program(random), random_options(random)
        before, inputs = case.module(), case.inputs(seed)
        after, outcome = fused(before, options)
        if outcome.promoted and is_defined(before, inputs):
            yield _Compared(f"s{seed}", before, after, inputs)
        seed += 1


def _require_same(device: Device, programs: list[_Compared]) -> None:
    modules = {each.keys[0]: each.before for each in programs}
    modules |= {each.keys[1]: each.after for each in programs}
    inputs = {
        f"{each.key}_{when}": each.inputs for each in programs for when in ("before", "after")
    }
    run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
    for each in programs:
        for name, values in interpret(each.before, each.inputs).outputs.items():
            for key in each.keys:
                output = run.outputs[prefixed(key, name)]
                np.testing.assert_array_equal(output, values, err_msg=f"{key}: {name}")


def test_fusion_keeps_the_meaning_on_a_device(device: Device) -> None:
    programs = _fusible(FIRST_SEED)
    for _ in range(0, PROGRAMS, BATCH):
        _require_same(device, [next(programs) for _ in range(BATCH)])
