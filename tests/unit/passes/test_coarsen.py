"""Coarsening takes arms with ops of other packages by what these say of themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.foreign_ops import ACME, LaneOp, MixOp, MysteryOp, OwnIdOp, SaturateOp
from xdsl.dialects.builtin import ModuleOp, i32

from vyre_dialect.builder import Buffer, Value, constant, index, program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
CONTEXT.load_dialect(ACME)
Place = Callable[[Value], Value]


def module(place: Place) -> ModuleOp:
    """Each invocation mixes an element with itself, and adds that at a place."""
    with program("foreign", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        result = p.buffer("result", i32, 8, live_out=True)
        with p.arm("mix", data.length.ceildiv(8) * 8) as i:
            value = data[i].ssa
            _add(result, Value(MixOp(value, value).result), place(i))
    return p.module


def _add(buffer: Buffer, value: Value, place: Value) -> None:
    SaturateOp(value.ssa, buffer.ssa, place.ssa)


def coarsened(module: ModuleOp, pipeline: str) -> list[str]:
    """The names of the ops of the arm, in order."""
    apply_pipeline(module, pipeline, CONTEXT)
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return [op.name for op in arm.body.walk()]


def test_sums_of_another_package_are_kept_over_the_loop():
    names = coarsened(
        module(lambda _: constant(0)),
        "vyre-coarsen{groups=4},vyre-privatize-reductions{scope=workgroup}",
    )
    assert names.index("scf.for") < names.index("acme.mix") < names.index("vyre.barrier")
    assert names.count("acme.saturate") == 1
    assert names.index("acme.saturate") > names.index("vyre.barrier")


def test_a_lane_of_another_package_makes_workgroups_the_items():
    names = coarsened(
        module(lambda _: Value(LaneOp.build(result_types=[index]).id)), "vyre-coarsen{items=2}"
    )
    assert names.count("vyre.workgroup_id") == 1
    assert "vyre.invocation_id" not in names


@pytest.mark.parametrize("options", ["{items=2}", "{groups=2}"])
@pytest.mark.parametrize("op", [MysteryOp, OwnIdOp], ids=lambda op: op.name)
def test_an_op_that_cannot_be_told_which_item_it_does_is_run_as_before(
    op: type[MysteryOp | OwnIdOp], options: str
):
    before = module(lambda _: Value(op.build(result_types=[index]).id))
    text = str(before)
    coarsened(before, f"vyre-coarsen{options}")
    assert str(before) == text
