"""Which buffers may share memory, and when they are alive: what the plan answers."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Program, program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.memory.scratch_reuse import ScratchReusePlan, packed


def _plan(p: Program) -> ScratchReusePlan:
    return AnalysisManager().get(ScratchReusePlan, _program(p))


def _program(p: Program) -> ProgramOp:
    op = p.module.body.block.first_op
    assert isinstance(op, ProgramOp)
    return op


def test_an_input_that_is_only_read_is_recyclable():
    with program("p") as p:
        input_, out = p.buffer("input", i32, 4, access=Access.READ_ONLY), p.buffer("out", i32, 4)
        with p.arm("arm_a", 4) as i:
            out[i] = input_[i]
    assert _plan(p).is_recyclable("input")


def test_an_output_is_not_recyclable():
    with program("p") as p:
        out = p.buffer("out", i32, 4, live_out=True)
        with p.arm("arm_a", 4) as i:
            out[i] = 7
    plan = _plan(p)
    assert not plan.is_recyclable("out")
    assert plan.recyclable_for("arm_a") == set()


def test_pairs_of_arms_and_buffers_are_counted():
    with program("p") as p:
        a, b = p.buffer("scratch_a", i32, 4), p.buffer("scratch_b", i32, 4)
        out = p.buffer("out", i32, 4, live_out=True)
        with p.arm("arm_a", 4) as i:
            out[i] = a[i]
        with p.arm("arm_b", 4) as i:
            out[i] = b[i]
    plan = _plan(p)
    assert plan.recyclable_for("arm_a") == {"scratch_a"}
    assert plan.recyclable_for("arm_b") == {"scratch_b"}
    assert plan.recyclable_for("arm_c") == set()
    assert plan.pair_count == 2


def test_what_the_host_reads_back_is_not_among_the_non_escaping():
    with program("p") as p:
        input_, back = p.buffer("input", i32, 4), p.buffer("rw", i32, 4, live_out=True)
        scratch = p.buffer("scratch", i32, 4, initial=Initial.UNDEFINED)
        with p.arm("arm", 4) as i:
            scratch[i] = input_[i]
            back[i] = input_[i]
    assert [each.sym_name.data for each in _plan(p).non_escaping] == ["input", "scratch"]


def test_a_buffer_lives_from_its_first_access_to_its_last():
    with program("p") as p:
        first = p.buffer("first", i32, 4, initial=Initial.UNDEFINED)
        given = p.buffer("given", i32, 4)
        last = p.buffer("last", i32, 4, initial=Initial.UNDEFINED)
        with p.arm("one", 4) as i:
            first[i] = 1
        with p.arm("two", 4) as i:
            last[i] = first[i]
        with p.arm("three", 4) as i:
            last[i] = last[i] + given[i]
    op = _program(p)
    one, two, three = (list(op.body.block.ops).index(arm) for arm in op.arms())
    live_ranges = {
        buffer.sym_name.data: (live_range.begin, live_range.end)
        for buffer, live_range in op.live_ranges().items()
    }
    assert live_ranges == {
        "first": (one, two + 1),
        "given": (1, three + 1),
        "last": (two, three + 1),
    }


def test_buffers_alive_at_once_are_apart():
    with program("p") as p:
        a, b = (p.buffer(name, i32, 4, initial=Initial.UNDEFINED) for name in "ab")
        with p.arm("one", 4) as i:
            a[i] = 1
        with p.arm("two", 4) as i:
            b[i] = a[i]
    op = _program(p)
    packing = packed(op, dict.fromkeys(op.buffers(), 16), alignment=16)
    assert sorted(packing.offsets) == [0, 16]
