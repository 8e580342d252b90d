"""The work of fusion is linear in the number of arms, by the functions that are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.counting import function_calls
from support.fusion import fused
from support.schedules import CONTEXT
from xdsl.dialects.builtin import ModuleOp

from benchmarks.compile_time import chain, fan_out, many_pairs, readers
from vyre_dialect.passes.fusion.fuse_horizontally import FuseHorizontallyPass
from vyre_dialect.passes.fusion.tiling.options import Options

FEW, MANY = 16, 96


def calls_to_join(count: int) -> int:
    """What fusing `count` arms that read one input takes."""
    module = readers(count)
    return function_calls(lambda: FuseHorizontallyPass().apply(CONTEXT, module))


def test_joining_arms_is_linear_in_their_number() -> None:
    calls_to_join(2)  # what is done once only is done now
    assert calls_to_join(MANY) < 1.2 * MANY / FEW * calls_to_join(FEW)


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
