"""Handoffs that nothing uses yet: what is promoted by its declaration alone."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, i8, i32

from vyre_dialect.builder import Program, program
from vyre_dialect.ir.types import Access, BufferType, MemorySpace
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import (
    DecodeScanFusePass,
    candidate_handoffs,
    count_opportunities,
)


def _decoder_like() -> ProgramOp:
    with program("decoder", workgroup_size=[64]) as p:
        p.buffer("input", i32, 64, access=Access.READ_ONLY)
        p.buffer("decoded", i32, 128)
    return p.op


def _with_buffer(
    name: str,
    count: int | None,
    access: Access = Access.READ_WRITE,
    *,
    live_out: bool = False,
    type: IntegerType = i32,
) -> ProgramOp:
    with program("one_buffer", workgroup_size=[64]) as p:
        p.buffer(name, type, count, access=access, live_out=live_out)
    return p.op


def _fused(op: ProgramOp, budget: int = 16384) -> dict[str, BufferType]:
    """The types of the buffers after fusion, by name."""
    module = Program(op).module
    DecodeScanFusePass(budget=budget).apply(Context(), module)
    module.verify()
    return {buffer.sym_name.data: buffer.type for buffer in op.buffers()}


def test_a_handoff_moves_to_workgroup_memory_and_no_buffer_is_lost() -> None:
    types = _fused(_decoder_like())
    assert list(types) == ["input", "decoded"]
    assert types["decoded"] == BufferType(128, i32, Access.READ_WRITE, MemorySpace.WORKGROUP)


def test_a_read_only_buffer_stays() -> None:
    assert _fused(_decoder_like())["input"] == BufferType(64, i32, Access.READ_ONLY)


def test_a_live_out_buffer_stays_and_stays_live_out() -> None:
    op = _with_buffer("result", 16, live_out=True)
    assert _fused(op)["result"] == BufferType(16, i32, Access.READ_WRITE)
    buffer = op.buffer("result")
    assert buffer is not None
    assert buffer.live_out is not None


def test_a_program_without_candidates_stays_as_it_is() -> None:
    op = _with_buffer("input", 1, Access.READ_ONLY)
    before = str(op)
    _fused(op)
    assert str(op) == before


def test_a_run_time_sized_buffer_stays() -> None:
    op = _with_buffer("dynamic", None)
    assert count_opportunities(op) == 0
    assert _fused(op)["dynamic"].space == MemorySpace.GLOBAL


def test_one_candidate_is_counted() -> None:
    assert count_opportunities(_decoder_like()) == 1


def test_a_handoff_one_element_over_the_budget_stays() -> None:
    with program("oversize", workgroup_size=[64]) as p:
        p.buffer("input", i32, 64, access=Access.READ_ONLY)
        p.buffer("decoded", i32, 4097)
    assert count_opportunities(p.op) == 0
    assert _fused(p.op)["decoded"] == BufferType(4097, i32, Access.READ_WRITE)


def test_a_handoff_of_exactly_the_budget_moves() -> None:
    op = _with_buffer("decoded", 4096)
    assert count_opportunities(op) == 1
    assert _fused(op)["decoded"].space == MemorySpace.WORKGROUP


def test_a_program_of_inputs_has_no_candidates() -> None:
    assert count_opportunities(_with_buffer("input", 1, Access.READ_ONLY)) == 0


def test_candidates_are_known_by_name_and_count() -> None:
    assert candidate_handoffs(_decoder_like()) == {"decoded": 128}


def test_all_candidates_surface() -> None:
    with program("several", workgroup_size=[64]) as p:
        p.buffer("a", i32, 32)
        p.buffer("b", i32, 64)
        p.buffer("c", i32, 16, access=Access.READ_ONLY)
    assert candidate_handoffs(p.op) == {"a": 32, "b": 64}


def test_the_budget_is_for_all_handoffs_together() -> None:
    with program("together", workgroup_size=[64]) as p:
        p.buffer("a", i8, 100)
        p.buffer("b", i8, 100)
    assert len(candidate_handoffs(p.op)) == 2
    spaces = [type.space for type in _fused(p.op, budget=199).values()]
    assert sorted(spaces) == [MemorySpace.GLOBAL, MemorySpace.WORKGROUP]


def test_the_telemetry_key_of_the_program_survives() -> None:
    with program("keyed", workgroup_size=[64], entry_op_id="decode/7") as p:
        p.buffer("decoded", i32, 128)
    _fused(p.op)
    assert p.op.entry_op_id is not None
    assert p.op.entry_op_id.data == "decode/7"


def test_asking_changes_nothing() -> None:
    op = _decoder_like()
    before = str(op)
    candidate_handoffs(op)
    count_opportunities(op)
    assert str(op) == before
