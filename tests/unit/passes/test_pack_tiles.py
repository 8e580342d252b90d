"""Tiles whose accesses all fold away: the programs compile as any other, and mean the same."""

from __future__ import annotations

import pytest
from support.policies import on_gpus
from xdsl.dialects.builtin import ModuleOp, i1, i32

from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, program
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, optimize_module

CONTEXT = make_context()
PLAIN = "vyre-expand,vyre-outline-kernels,canonicalize,vyre-pack-tiles"
LANES = 4


def _in_a_loop_without_iterations(tile: Buffer, lane: Value) -> None:
    with for_(0, 0):
        tile[lane] = 1


def _in_a_branch_never_taken(tile: Buffer, lane: Value) -> None:
    with if_(constant(0, i1)):
        tile[lane] = 1


def _past_its_end(tile: Buffer, lane: Value) -> None:
    tile[lane + 1024] = 1


DEAD = [_in_a_loop_without_iterations, _in_a_branch_never_taken, _past_its_end]
"""Ways to touch a tile that nothing is left of."""


def _module(dead: int, alive: int) -> ModuleOp:
    """A program with tiles that nobody touches in the end, and others, each after the last."""
    with program("p", workgroup_size=[LANES]) as p:
        out = p.buffer("out", i32, LANES, live_out=True)
        space = MemorySpace.WORKGROUP
        untouched = [p.buffer(f"dead{n}", i32, 64 >> n, memory_space=space) for n in range(dead)]
        tiles = [p.buffer(f"alive{n}", i32, LANES, memory_space=space) for n in range(alive)]
        with p.arm("arm", LANES) as i:
            for buffer, touch in zip(untouched, DEAD, strict=False):
                touch(buffer, i)
            total = i.to(i32)
            for tile in tiles:
                tile[i] = total
                barrier()
                total = total + tile[LANES - 1 - i]
            out[i] = total
    return p.module


@pytest.mark.parametrize("alive", [0, 1, 3])
@pytest.mark.parametrize("dead", [1, 2, 3])
def test_tiles_without_uses_compile_by_every_list_of_passes(dead: int, alive: int) -> None:
    module = _module(dead, alive)
    expected = interpret(module, {}).outputs["out"].tolist()
    plain, default, own = module.clone(), module.clone(), module.clone()
    apply_pipeline(plain, PLAIN, CONTEXT)
    optimize_module(default, OptimizePass(), CONTEXT)
    optimize_module(own, on_gpus(1), CONTEXT)
    for lowered in (plain, default, own):
        lowered.verify()
        assert interpret(lowered, {}).outputs["out"].tolist() == expected


@pytest.mark.slow
def test_what_is_packed_is_what_lives() -> None:
    packed = _module(dead=3, alive=3)
    apply_pipeline(packed, PLAIN, CONTEXT)
    (kernel,) = (op for op in packed.walk() if isinstance(op, KernelOp))
    names = {tile.sym_name.data for tile in kernel.tiles()}
    assert names == {"alive0", "alive1", "alive2", "dead2"}, "the store past the end is still there"
