"""Vectorization takes arms with ops of other packages by what these say of themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support import ring
from support.foreign_ops import ACME, MeetOp, MixOp, MysteryOp, PairSumOp, SaturateOp
from support.ring import LapOp
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i8, i32, i64
from xdsl.ir import Block, Operation

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index, program
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import Registry
from vyre_dialect.ir.types import LANES, Access, AtomicKind
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.arms import Form, vectorize
from vyre_dialect.passes.loop.vectorization.lane_values import LaneValue, Stepped, Uniform
from vyre_dialect.passes.loop.vectorization.plan import plan_for
from vyre_dialect.passes.loop.vectorization.refusal import Reason
from vyre_dialect.passes.loop.vectorization.writer import write
from vyre_dialect.passes.loop.vectorize import VectorizePass
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context

ROOT = Path(__file__).parents[3]
CONTEXT = make_context()
CONTEXT.load_dialect(ACME)
Body = Callable[[Value, Buffer, Buffer], None]


def module(body: Body, count: int = 64) -> ModuleOp:
    """An arm that does something with an input and an output of words."""
    with program("foreign", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("foreign", count) as i:
            body(i, data, out)
    return p.module


def arm_of(module: ModuleOp) -> RegionOp:
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return arm


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in arm_of(module).body.walk()]


def mixed(i: Value, data: Buffer, out: Buffer) -> None:
    value = data[i]
    out[i] = Value(MixOp(value.ssa, value.ssa).result)


def mixed_for_all(i: Value, data: Buffer, out: Buffer) -> None:
    key = data[0]
    out[i] = data[i] ^ Value(MixOp(key.ssa, key.ssa).result)


def mixed_rarely(i: Value, data: Buffer, out: Buffer) -> None:
    value = data[i]
    with if_(value.eq(7)):
        out[i + 0] = Value(MixOp(value.ssa, value.ssa).result)


def mystery(i: Value, data: Buffer, out: Buffer) -> None:
    out[i] = data[Value(MysteryOp.build(result_types=[index]).id)]


def met(i: Value, data: Buffer, out: Buffer) -> None:
    MeetOp()
    out[i] = data[i]


def pair_sum(i: Value, data: Buffer, out: Buffer) -> None:
    out[i] = data[i] + Value(PairSumOp(data.ssa, i.ssa).sum)


def saturated(i: Value, data: Buffer, out: Buffer) -> None:
    SaturateOp(data[i].ssa, out.ssa, constant(3).ssa)


@pytest.mark.parametrize(
    ("body", "reason", "named"),
    [
        (mixed, Reason.NO_VECTOR_FORM, "acme.mix"),
        (pair_sum, Reason.NO_VECTOR_FORM, "acme.pair_sum"),
        (mystery, Reason.UNKNOWN_OP, "acme.mystery"),
        (met, Reason.COOPERATIVE, "acme.meet"),
    ],
)
def test_what_does_not_say_that_it_works_lane_by_lane_is_refused_by_name(
    body: Body, reason: Reason, named: str
):
    before = module(body)
    text = str(before)
    refusal = vectorize(arm_of(before), Form(4), AnalysisManager())
    assert refusal is not None
    assert refusal.reason == reason
    assert named in refusal.detail
    assert str(before) == text


def test_a_refusal_is_stated_once():
    before, pass_ = module(mixed), VectorizePass(lanes=4, annotate=True)
    assert pass_.rewrite(CONTEXT, before, AnalysisManager())
    arm_of(before).attributes["later"] = UnitAttr()
    snapshot = Snapshot(before)
    assert not pass_.rewrite(CONTEXT, before, AnalysisManager())
    assert Snapshot(before) == snapshot


def test_a_refusal_leaves_no_uses_behind():
    before = module(mixed)
    used = {op: [len(list(result.uses)) for result in op.results] for op in before.walk()}
    assert vectorize(arm_of(before), Form(4), AnalysisManager()) is not None
    assert used == {op: [len(list(result.uses)) for result in op.results] for op in before.walk()}


def lapped(i: Value, data: Buffer, out: Buffer) -> None:
    place = Value(LapOp(data[i * 7].to(index).ssa, 4).first)
    out[place] = data[place + i * 9]


def test_a_refusal_leaves_ops_that_others_define_as_they_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "OPS", Registry(meaning.OPS._own))
    meaning.OPS.register(ring.OPS)
    before = module(lapped)
    text = str(before)
    used = {op: [len(list(result.uses)) for result in op.results] for op in before.walk()}
    refusal = vectorize(arm_of(before), Form(4), AnalysisManager())
    assert refusal is not None and refusal.reason == Reason.MOSTLY_SCALAR
    assert str(before) == text
    assert used == {op: [len(list(result.uses)) for result in op.results] for op in before.walk()}


def test_a_refusal_is_found_before_anything_is_built(monkeypatch: pytest.MonkeyPatch):
    before = module(mixed)

    def build(op: Operation) -> None:
        pytest.fail(f"'{op.name}' is built for an arm that is refused")

    monkeypatch.setattr(Operation, "__post_init__", build)
    assert vectorize(arm_of(before), Form(4), AnalysisManager()) is not None


@pytest.mark.parametrize(
    "programs", ["examples", pytest.param("benchmarks/programs", marks=pytest.mark.slow)]
)
def test_values_become_in_the_lanes_what_is_planned(programs: str):
    planned, seen = 0, set[int | None]()
    for path in sorted((ROOT / programs).glob("*.mlir")):
        program = load_module(path, CONTEXT)
        apply_pipeline(program, "vyre-expand,canonicalize", CONTEXT)
        for arm in [op for op in program.walk() if isinstance(op, RegionOp)]:
            plan = plan_for(arm, 16, AnalysisManager())
            if isinstance(plan, Refusal):
                continue
            with ImplicitBuilder(Block()):
                written = write(plan, Block(), constant(0))
            steps = {value: step_of(made) for value, made in written.values.items()}
            assert steps == {value: plan.planning.step_of(value) for value in steps}
            planned, seen = planned + 1, seen | set(steps.values())
    assert planned >= 5 and seen > {None, 0, 1}


def step_of(made: LaneValue) -> int | None:
    match made:
        case Uniform():
            return 0
        case Stepped(step=step):
            return step
        case _:
            return None


def test_what_all_lanes_agree_on_is_computed_once():
    after = module(mixed_for_all)
    assert vectorize(arm_of(after), Form(8), AnalysisManager()) is None
    assert names(after).count("acme.mix") == 1
    assert arm_of(after).attributes[LANES] == IntegerAttr(8, i64)


def test_a_rare_branch_is_one_lane_s_whatever_it_does():
    after = module(mixed_rarely)
    assert vectorize(arm_of(after), Form(8), AnalysisManager()) is None
    assert names(after).count("acme.mix") == names(after).count("scf.for") == 1


def test_updates_of_another_package_are_combined_as_it_says():
    after = module(saturated)
    assert vectorize(arm_of(after), Form(8), AnalysisManager()) is None
    assert names(after).count("acme.saturate") == 1
    assert names(after).count("arith.minui") == 3 * 7


@pytest.mark.parametrize("count", [1, 15, 16, 17, 64])
def test_a_tail_takes_what_is_left(count: int):
    with program("tail") as p:
        data = p.buffer("data", i8, access=Access.READ_ONLY)
        total = p.buffer("total", i32, 1, live_out=True)
        with p.arm("tail", data.length) as i:
            total.atomic(AtomicKind.ADDI, data[i].to(i32), 0)
    apply_pipeline(p.module, "vyre-vectorize{lanes=16}", CONTEXT)
    inputs = {"data": np.arange(count, dtype=np.uint8)}
    assert interpret(p.module, inputs).outputs["total"].tolist() == [sum(range(count))]


def test_facts_about_an_access_are_kept():
    def body(i: Value, data: Buffer, out: Buffer) -> None:
        out.store(data.load(i), i, in_bounds=True)

    after = module(body)
    assert vectorize(arm_of(after), Form(4), AnalysisManager()) is None
    loads = [op for op in after.walk() if isinstance(op, LoadOp)]
    stores = [op for op in after.walk() if isinstance(op, StoreOp)]
    assert [op.in_bounds is not None for op in (*loads, *stores)] == [False, True]


def test_what_is_known_in_a_branch_is_not_claimed_of_lanes_that_do_not_take_it():
    def body(i: Value, data: Buffer, out: Buffer) -> None:
        with if_(i < data.length) as branch:
            branch.yields(data.load(i, in_bounds=True))
        with branch.else_():
            branch.yields(7)
        out[i] = branch.results[0]

    after = module(body)
    assert vectorize(arm_of(after), Form(4), AnalysisManager()) is None
    (load,) = (op for op in after.walk() if isinstance(op, LoadOp))
    assert load.in_bounds is None
    outputs = interpret(after, {"data": np.arange(5, dtype=np.uint32)}).outputs
    assert outputs["out"].tolist() == [0, 1, 2, 3, 4, *[7] * 59]


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 64])
@pytest.mark.parametrize("bounds", ["window", "cut", "counted", "none"])
def test_loops_of_lanes_sum_what_those_of_invocations_sum(count: int, bounds: str):
    with program("loops") as p:
        data = p.buffer("data", i8, access=Access.READ_ONLY)
        sums = p.buffer("sums", i32, 64, live_out=True)
        with p.arm("loops", data.length) as i:
            begin, end = i - 2, i + 3
            if bounds == "cut":
                begin, end = begin.maxsi(0), end.minsi(data.length)
            elif bounds == "counted":
                end = begin + (data[i].to(index) & 7)
            elif bounds == "none":
                end = begin - 1
            with for_(begin, end, carry=[constant(1, i32)]) as loop:
                loop.yields(loop.carried[0] * 3 + data[loop.counter].to(i32))
            sums[i] = loop.results[0]
    expected = {"data": np.arange(3, 3 + count, dtype=np.uint8) * 7}
    scalar = interpret(p.module, expected).outputs["sums"]
    apply_pipeline(p.module, "vyre-vectorize{lanes=16 annotate=true}", CONTEXT)
    assert LANES in arm_of(p.module).attributes, arm_of(p.module).attributes
    assert interpret(p.module, expected).outputs["sums"].tolist() == scalar.tolist()


def test_what_a_lane_that_has_finished_loads_is_guarded():
    """The last lanes run their loops least, and would load past the end of the data."""
    with program("guarded") as p:
        data = p.buffer("data", i8, 64, access=Access.READ_ONLY)
        sums = p.buffer("sums", i32, 16, live_out=True)
        with p.arm("guarded", 16) as i:
            with for_(i * 4, i * 4 + (18 - i).minsi(4), carry=[constant(0, i32)]) as loop:
                value = data.load(loop.counter, in_bounds=True).to(i32)
                loop.yields(loop.carried[0] * 3 + value)
            sums[i] = loop.results[0]
    inputs = {"data": np.arange(64, dtype=np.uint8)}
    expected = interpret(p.module, inputs).outputs["sums"].tolist()
    apply_pipeline(p.module, "vyre-vectorize{lanes=16}", CONTEXT)
    loads = [op for op in p.module.walk() if isinstance(op, LoadOp)]
    assert loads and all(op.in_bounds is None for op in loads)
    assert interpret(p.module, inputs).outputs["sums"].tolist() == expected
