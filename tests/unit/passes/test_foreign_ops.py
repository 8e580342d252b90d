"""Passes that shape kernels treat ops of other packages as these say of themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.foreign_ops import ACME, LaneOp, MeetOp, MixOp, PairSumOp
from xdsl.dialects.builtin import IndexType, ModuleOp, VectorType, i32
from xdsl.ir import Operation

from vyre_dialect.builder import Buffer, Value, barrier, for_, program
from vyre_dialect.ir.types import Access, MemorySpace
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
CONTEXT.load_dialect(ACME)
WORDS = VectorType(i32, [4])


def names(module: ModuleOp, pipeline: str) -> list[str]:
    """The names of the ops of the arm after some passes, in order."""
    apply_pipeline(module, pipeline, CONTEXT)
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return [op.name for op in arm.body.walk()]


def tiled(*, with_pair_sum: bool) -> ModuleOp:
    """Each invocation mixes the words of a private tile in a loop."""
    with program("tiled", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, 64, live_out=True)
        tile = p.buffer("tile", i32, 4, memory_space=MemorySpace.PRIVATE)
        with p.arm("mix", 64) as i:
            tile.store(data.load(i, WORDS), 0)
            with for_(0, 4) as loop:
                value = tile[loop.counter].ssa
                out[i] = Value(MixOp(value, value).result)
            if with_pair_sum:
                out[i] = Value(_pair_sum(tile, i))
    return p.module


def _pair_sum(tile: Buffer, i: Value):
    return PairSumOp(tile.ssa, (i * 0).ssa).sum


def test_a_loop_with_an_op_of_another_package_is_written_out():
    found = names(tiled(with_pair_sum=False), "vyre-unroll")
    assert "scf.for" not in found
    assert found.count("acme.mix") == 4


def test_values_go_to_an_op_of_another_package():
    module = tiled(with_pair_sum=False)
    found = names(module, "vyre-unroll,vyre-sroa")
    assert found.count("acme.mix") == found.count("vector.extract") == 4
    assert "private>" not in str(module)


def test_a_tile_that_an_op_of_another_package_reads_stays_memory():
    module = tiled(with_pair_sum=True)
    names(module, "vyre-unroll,vyre-sroa")
    assert "private>" in str(module)


def loaded(*, meets: bool) -> ModuleOp:
    """Each invocation mixes a wide load of a buffer whose length the host knows."""
    with program("loaded", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("mix", 64) as i:
            value = data.load(i, WORDS).lane(0).ssa
            if meets:
                MeetOp()
            out[i] = Value(MixOp(value, value).result)
    return p.module


def test_the_tail_of_what_another_package_computes_is_split_off():
    found = names(loaded(meets=False), "vyre-split-index-sets")
    assert found.count("vyre.load") == 2
    assert found.count("scf.if") == found.count("acme.mix") == 1


def test_what_another_package_computes_in_a_loop_gets_one_without_a_tail():
    split = "vyre-split-index-sets"
    peel = f"vyre-coarsen{{items=4}},{split},licm,vyre-prove-accesses,{split}{{loops=true}}"
    found = names(loaded(meets=False), peel)
    assert found.count("scf.for") == found.count("acme.mix") == 2


def test_what_a_workgroup_does_together_is_not_split():
    found = names(loaded(meets=True), "vyre-split-index-sets")
    assert found.count("acme.mix") == found.count("acme.meet") == 1


def lane() -> Operation:
    return LaneOp(result_types=[IndexType()])


@pytest.mark.parametrize(("between", "barriers"), [(lane, 1), (MeetOp, 2)])
def test_a_barrier_moves_over_what_each_invocation_does_on_its_own(
    between: Callable[[], Operation], barriers: int
):
    with program("barriers", workgroup_size=[8]) as p:
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("write", 64) as i:
            out[i] = 1
            barrier()
            between()
            barrier()
            out[i] = 2
    apply_pipeline(p.module, "vyre-outline-kernels,vyre-merge-barriers", CONTEXT)
    assert sum(isinstance(op, BarrierOp) for op in p.module.walk()) == barriers
