"""Workgroups become single invocations by what ops, also of other packages, say of themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.foreign_ops import (
    ACME,
    FenceOp,
    LaneOp,
    MeetOp,
    MixOp,
    MysteryOp,
    PairSumOp,
    SaturateOp,
)
from xdsl.dialects.builtin import ModuleOp, i1, i32

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import (
    Buffer,
    Value,
    barrier,
    constant,
    for_,
    if_,
    index,
    local_id,
    program,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.loop.form_work_item_loops import form_loops
from vyre_dialect.passes.loop.work_item_loops.refusal import Reason
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
CONTEXT.load_dialect(ACME)
LANES = 8
COUNT = 32
Body = Callable[[Value, Buffer, Buffer, Buffer], None]


def module(body: Body) -> ModuleOp:
    """An arm of workgroups that share a tile, and reverse what they have at the end."""
    with program("shared", workgroup_size=[LANES]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, COUNT, live_out=True)
        tile = p.buffer("tile", i32, LANES, memory_space=MemorySpace.WORKGROUP)
        with p.arm("shared", COUNT) as i:
            body(i, data, tile, out)
    return p.module


def arm_of(module: ModuleOp) -> RegionOp:
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return arm


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in arm_of(module).body.walk()]


def buffers(module: ModuleOp) -> dict[str, MemorySpace]:
    (p,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    return {op.sym_name.data: op.type.space for op in p.buffers()}


def looped(body: Body) -> ModuleOp:
    """The arm as single invocations, which means the same."""
    before = module(body)
    after = before.clone()
    assert form_loops(arm_of(after), LANES, AnalysisManager()) is None
    after.verify()
    if not {"acme.fence", "acme.pair_sum", "acme.saturate", "acme.mix"} & set(names(after)):
        inputs = {"data": np.arange(COUNT, dtype=np.uint32) * 7 % 23}
        expected = interpret(before, inputs).outputs["out"]
        assert interpret(after, inputs).outputs["out"].tolist() == expected.tolist()
    return after


def exchanged(tile: Buffer, value: Value) -> Value:
    """What the opposite invocation has."""
    lane = local_id()
    tile[lane] = value
    barrier()
    return tile[LANES - 1 - lane]


def test_what_a_refusal_says_names_the_op_and_changes_nothing():
    def own_id(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        out[i] = exchanged(tile, data[Value(LaneOp.build(result_types=[index]).id)])

    def mystery(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        out[i] = exchanged(tile, data[Value(MysteryOp.build(result_types=[index]).id)])

    def met(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        MeetOp()
        out[i] = exchanged(tile, data[i])

    for body, reason, named in (
        (own_id, Reason.OWN_ID, "acme.lane"),
        (mystery, Reason.UNKNOWN_OP, "acme.mystery"),
        (met, Reason.DONE_TOGETHER, "acme.meet"),
    ):
        before = module(body)
        text = str(before)
        refusal = form_loops(arm_of(before), LANES, AnalysisManager())
        assert refusal is not None
        assert (refusal.reason, named in refusal.detail) == (reason, True)
        assert str(before) == text


def test_an_op_of_another_package_that_orders_memory_stays_and_divides_what_is_around_it():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        lane = local_id()
        tile[lane] = data[i]
        FenceOp()
        out[i] = tile[LANES - 1 - lane]

    after = looped(body)
    assert arm_of(after).workgroup == (1, 1, 1)
    (fence,) = (op for op in after.walk() if isinstance(op, FenceOp))
    assert fence.parent_op() is arm_of(after)
    assert names(after).count("scf.for") == 2


def test_a_function_of_another_package_is_done_once_or_by_each_lane_as_its_operands_are():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        key, value = data[workgroup_id()], data[i]
        mixed = Value(MixOp(key.ssa, key.ssa).result)
        out[i] = exchanged(tile, mixed ^ Value(MixOp(value.ssa, key.ssa).result))

    mixes = [op for op in looped(body).walk() if isinstance(op, MixOp)]
    assert [isinstance(op.parent_op(), RegionOp) for op in mixes] == [True, False]


def test_a_tile_that_another_package_only_reads_becomes_private():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        exchanged(tile, data[i])
        out[i] = Value(PairSumOp(tile.ssa, local_id().ssa).sum)

    after = looped(body)
    assert buffers(after)["tile"] == MemorySpace.PRIVATE
    assert arm_of(after).is_data_parallel


def test_a_tile_that_another_package_updates_stays_a_workgroup_s():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        value = exchanged(tile, data[i])
        barrier()
        SaturateOp(value.ssa, tile.ssa, constant(3).ssa)
        barrier()
        out[i] = tile[3]

    after = looped(body)
    assert buffers(after)["tile"] == MemorySpace.WORKGROUP
    text = str(after)
    apply_pipeline(after, "vyre-form-work-item-loops", CONTEXT)
    assert str(after) == text


@pytest.mark.parametrize(("ops", "kept"), [(4, False), (7, False), (8, True), (20, True)])
def test_few_ops_on_ids_are_done_again_and_the_results_of_many_are_kept(ops: int, kept: bool):
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        far = i
        for _ in range(ops):
            far = far * 5
        far = (far + 1).named("far")
        other = exchanged(tile, data[i])
        out[i] = other + far.to(i32)

    assert ("far_of_lanes" in buffers(looped(body))) == kept


def test_values_that_a_loop_carries_may_trade_places():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        with for_(0, 3, carry=[data[i], i.to(i32)]) as loop:
            one, other = loop.carried
            exchanged(tile, one)
            barrier()
            loop.yields(other + 1, one)
        out[i] = loop.results[0] * 100 + loop.results[1]

    looped(body)


def test_what_is_carried_through_a_loop_of_no_iterations_is_what_it_began_with():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        with for_(0, workgroup_id(), carry=[data[i]]) as loop:
            loop.yields(exchanged(tile, loop.carried[0]))
            barrier()
        out[i] = loop.results[0]

    looped(body)


def test_a_truth_value_and_an_index_are_kept_as_what_memory_holds():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        value = data[i]
        odd, place = (value & 1).eq(0).named("odd"), value.to(index).named("place")
        other = exchanged(tile, value)
        out[i] = odd.select(other, place.to(i32))

    after = looped(body)
    types = {
        op.sym_name.data: op.type.element_type for op in after.walk() if isinstance(op, BufferOp)
    }
    assert types["odd_of_lanes"] == i1
    assert str(types["place_of_lanes"]) == "i64"


def test_facts_about_an_access_are_kept():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        tile.store(data[i], local_id(), in_bounds=True)
        barrier()
        out[i] = tile[local_id()]

    after = looped(body)
    of_tile = [
        op.in_bounds is not None
        for op in after.walk()
        if isinstance(op, LoadOp | StoreOp) and "tile" in (op.buffer.name_hint or "")
    ]
    assert of_tile == [True, False]


def test_items_keep_their_private_memory_in_common():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        out[i] = exchanged(tile, data[i])

    with program("own", workgroup_size=[LANES]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, COUNT, live_out=True)
        tile = p.buffer("tile", i32, LANES, memory_space=MemorySpace.WORKGROUP)
        own = p.buffer("own", i32, 4, memory_space=MemorySpace.PRIVATE)
        with p.arm("own", COUNT) as i:
            own[i] = data[i]
            body(i, own, tile, out)
    once = p.module.clone()
    apply_pipeline(once, "vyre-form-work-item-loops", CONTEXT)
    assert "own_of_lanes" not in buffers(once)
    apply_pipeline(p.module, "vyre-coarsen{items=2},vyre-form-work-item-loops", CONTEXT)
    assert "own_of_lanes" not in buffers(p.module)


def test_only_one_lane_does_what_is_guarded_so():
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        with if_(local_id().eq(0)):
            for lane in range(LANES):
                tile[lane] = 0
        barrier()
        tile.atomic(AtomicKind.ADDI, data[i], (data[i] & 3).to(index))
        barrier()
        out[i] = tile[local_id()]

    after = looped(body)
    assert not any(name.startswith("vyre.atomic") for name in names(after))


def test_lanes_along_two_axes_run_a_loop_each():
    with program("rows", workgroup_size=[4, 2]) as p:
        counts = p.buffer("counts", i32, 4, live_out=True)
        with p.arm("rows", [4, 2]):
            with for_(local_id(), 4, 4) as loop:
                counts.atomic(AtomicKind.ADDI, 1, loop.counter)
            barrier()
    after = p.module.clone()
    assert form_loops(arm_of(after), LANES, AnalysisManager()) is None
    for each in (p.module, after):
        assert interpret(each, {}).outputs["counts"].tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("is_bounded", [True, False])
def test_lanes_take_turns_in_one_loop_where_none_begins_beyond_the_largest_number(is_bounded: bool):
    def body(i: Value, data: Buffer, tile: Buffer, out: Buffer) -> None:
        offset = data[workgroup_id()].to(index)
        begin = local_id() + (offset & 3 if is_bounded else offset * offset * offset)
        with for_(begin, LANES, LANES) as loop:
            tile[loop.counter] = loop.counter.to(i32) + data[workgroup_id()]
        barrier()
        with if_(i < 0):
            out[i] = tile[local_id()]

    loops = [op.parent_op() for op in looped(body).walk() if op.name == "scf.for"]
    assert [isinstance(parent, RegionOp) for parent in loops][:2] == [True, is_bounded]
