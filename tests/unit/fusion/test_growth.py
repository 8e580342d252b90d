"""The work of fusion is linear in the number of arms, by the functions that are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.counting import function_calls
from support.fusion import fused
from support.schedules import CONTEXT
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntAttr, IntegerAttr, ModuleOp, i64

from benchmarks.compile_time import chain, fan_out, halos, many_pairs, readers
from vyre_dialect.ir.interfaces import ops_around
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import UNROLL
from vyre_dialect.passes.fusion.fuse_horizontally import FuseHorizontallyPass
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.loop.vectorize import VectorizePass

FEW, MANY = 16, 96
CACHES = (4096, 8192, 32768)
"""Bytes that tiles may have."""


def in_cache(count: int, budget: int) -> ModuleOp:
    """Arms of 16 lanes, each of which reads two neighbours, with tiles in a cache."""
    module = halos(count)
    VectorizePass(lanes=16).apply(CONTEXT, module)
    result, outcome = fused(module, Options(local_memory="global", cache_budget=budget))
    assert len(outcome.promoted) > count / 2
    return result


def calls_to_join(count: int) -> int:
    """What fusing `count` arms that read one input takes."""
    module = readers(count)
    return function_calls(lambda: FuseHorizontallyPass().apply(CONTEXT, module))


@pytest.mark.slow
def test_joining_arms_is_linear_in_their_number() -> None:
    calls_to_join(2)  # what is done once only is done now
    assert calls_to_join(MANY) < 1.2 * MANY / FEW * calls_to_join(FEW)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("make", "handoffs"),
    [
        pytest.param(many_pairs, MANY, id="pairs", marks=pytest.mark.slow),
        pytest.param(chain, MANY - 1, id="chain"),
        pytest.param(fan_out, 1, id="fan-out"),
    ],
)
def test_work_is_linear_in_the_number_of_arms(
    make: Callable[[int], ModuleOp], handoffs: int
) -> None:
    few, many = make(FEW), make(MANY)
    fused(make(2), Options())  # What is done once only is done now.
    assert len(fused(many, Options())[1].promoted) == handoffs
    ratio = function_calls(lambda: fused(many, Options())) / function_calls(
        lambda: fused(few, Options())
    )
    assert ratio < 1.1 * MANY / FEW


def test_code_of_tiles_in_a_cache_does_not_grow_with_the_cache() -> None:
    assert len({len(ops_inside(in_cache(6, budget))) for budget in CACHES}) == 1


@pytest.mark.slow
def test_a_loop_over_few_tiles_in_a_cache_stays_a_loop() -> None:
    few = [loop for loop in loops_around_loops(in_cache(22, 32768)) if iterations(loop) == 2]
    assert [loop.attributes[UNROLL] for loop in few] == [IntegerAttr(1, i64)]


def loops_around_loops(module: ModuleOp) -> list[scf.ForOp]:
    """The loops in which there are others."""
    loops = [op for op in ops_inside(module) if isinstance(op, scf.ForOp)]
    around = {op.parent_op() for loop in loops for op in (loop, *ops_around(loop))}
    return [loop for loop in loops if loop in around]


def iterations(loop: scf.ForOp) -> int | None:
    """How many iterations there are of a loop from zero on, by ones, if that is stated."""
    match loop.ub.owner:
        case arith.ConstantOp(value=IntegerAttr(value=IntAttr(data=count))):
            return count
        case _:
            return None
