"""
Generated kernels mean the same when their workgroup buffers share bytes: on every device, and under
the Oclgrind checker without a report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from support.batches import batched, batched_inputs, prefixed
from support.fusion import require_equal
from support.generated.drawing import Draws, in_batches
from support.generated.tile_chains import TileChain, tile_chains
from support.oclgrind import CheckedRun

from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.memory import pack_tiles
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Effort, Packing, Status
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 32
BATCH = 16


def _run(batch: Sequence[TileChain], session: Session) -> int:
    """Run programs as one, and compare each with the interpreter; how many kernels were packed."""
    module = batched({f"p{n}": each.module() for n, each in enumerate(batch)})
    inputs = batched_inputs({f"p{n}": each.inputs for n, each in enumerate(batch)})
    compiled = compile_module(module, pipeline=UNFUSED, device=session.device.info)
    outputs = Executor(compiled, session, cache=KernelCache(None)).run(inputs).outputs
    for n, each in enumerate(batch):
        expected = interpret(each.module(), each.inputs).outputs
        require_equal({name: outputs[prefixed(f"p{n}", name)] for name in expected}, expected)
    lowered = compiled.program.parent_op()
    assert lowered is not None
    kernels = [op for op in lowered.walk() if isinstance(op, KernelOp)]
    return sum(kernel.arena_bytes is not None for kernel in kernels)


def test_devices_agree(device: Device, draws: Draws) -> None:
    packed = 0

    def check(batch: Sequence[TileChain]) -> None:
        nonlocal packed
        packed += _run(batch, Session(device))

    count = in_batches(tile_chains(), check, examples=draws(PROGRAMS), batch=BATCH, seed=9300)
    assert packed > count // 8


def test_the_checker_reports_nothing(oclgrind: Callable[..., CheckedRun], draws: Draws) -> None:
    packed = 0

    def check(batch: Sequence[TileChain]) -> None:
        nonlocal packed
        run = oclgrind()
        packed += _run(batch, run.session)
        run.assert_clean()

    count = in_batches(tile_chains(), check, examples=draws(PROGRAMS // 2), batch=BATCH, seed=9400)
    assert packed > count // 8


@pytest.mark.slow
def test_two_live_tiles_in_one_place_are_noticed(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mutant of the planner, and of the verifier, which would not let it through."""

    def in_one_place(
        live_ranges: Sequence[LiveRange], effort: Effort, *, alignment: int
    ) -> Packing:
        peak = (
            -(-max((live_range.size for live_range in live_ranges), default=0) // alignment)
            * alignment
        )
        return Packing([0] * len(live_ranges), peak, peak, peak - 1, Status.LOWER_BOUND)

    def nothing(kernel: KernelOp) -> None:
        del kernel

    monkeypatch.setattr(pack_tiles, "plan", in_one_place)
    monkeypatch.setattr(KernelOp, "_verify_arena", nothing)
    noticed = 0

    def check(batch: Sequence[TileChain]) -> None:
        nonlocal noticed
        try:
            _run(batch, Session(device))
        except AssertionError:
            noticed += 1

    in_batches(tile_chains(), check, examples=BATCH, batch=BATCH, seed=9300)
    assert noticed
