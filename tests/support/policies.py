"""What programs are compiled by where workgroup memory is memory of its own, as on GPUs."""

from __future__ import annotations

from vyre_dialect.passes.schedule.optimize import OptimizePass

GPU = ("has_own_local_mem=true", "local_mem_bytes=32768")


def on_gpus(groups: int) -> OptimizePass:
    """By the options that GPUs have, whatever the device, on a grid of so many workgroups."""
    options = f"vyre-coarsen{{groups={groups}}}"
    return OptimizePass(device=GPU, options=options).with_policy()
