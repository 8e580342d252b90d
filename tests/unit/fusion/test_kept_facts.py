"""What ops carry besides their operands survives: locations and attributes."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Operation

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.program.join_programs import JoinProgramsPass
from vyre_dialect.runtime.interpreter.programs import find_program


def _line(number: int) -> LocationAttr:
    return FileLineColLoc(StringAttr("source.mlir"), IntAttr(number), IntAttr(1))


def _mark(module: ModuleOp) -> None:
    """Give every op a line and an attribute of its own."""
    for number, op in enumerate(module.walk(), 1):
        op.location = _line(number)
        op.attributes["test.line"] = IntAttr(number)


def _pair() -> ModuleOp:
    with program("pair") as p:
        source = p.buffer("source", i32, 64, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, 64)
        sums = p.buffer("sums", i32, 64, live_out=True)
        with p.arm("produce", 64) as i:
            handoff[i] = source[i] + 1
        with p.arm("consume", 64) as i:
            sums[i] = handoff[i] + 2
    return p.module


def _in_one_arm() -> ModuleOp:
    with program("in_one_arm") as p:
        source = p.buffer("source", i32, 64, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, 64)
        sums = p.buffer("sums", i32, 64, live_out=True)
        with p.arm("both", 64) as i:
            handoff[i] = source[i] + 1
            sums[i] = handoff[i] + 2
    return p.module


def _untouched() -> ModuleOp:
    with program("untouched") as p:
        p.buffer("handoff", i32, 64)
    return p.module


def _facts(op: Operation) -> tuple[LocationAttr, object]:
    return op.location, op.attributes.get("test.line")


@pytest.mark.parametrize("strategy", ["workgroup", "private"])
@pytest.mark.parametrize(
    "module", [_pair(), _in_one_arm(), _untouched()], ids=["pair", "one arm", "untouched"]
)
def test_accesses_and_tiles_stay_where_they_came_from(module: ModuleOp, strategy: Strategy) -> None:
    fused = module.clone()
    _mark(fused)
    kept = LoadOp | StoreOp | BufferOp
    before = {_facts(op) for op in fused.walk() if isinstance(op, kept)}
    assert fuse_program(find_program(fused), Options(strategy=strategy)).promoted
    # Those without the attribute were made by fusion: the zeros at the ends.
    after = {
        _facts(op) for op in fused.walk() if isinstance(op, kept) and "test.line" in op.attributes
    }
    assert after == before


def test_the_joined_handoff_keeps_its_location_and_the_attributes_of_both() -> None:
    with program("decoder") as p:
        given = p.buffer("handoff", i32, 64, live_out=True)
        with p.arm("decode", 64) as i:
            given[i] = 1
    with program("scanner") as q:
        taken = q.buffer("handoff", i32, 64, access=Access.READ_ONLY)
        found = q.buffer("found", i32, 64, live_out=True)
        with q.arm("scan", 64) as i:
            found[i] = taken[i]
    module = ModuleOp([p.op, q.op])
    first, second = p.op.buffer("handoff"), q.op.buffer("handoff")
    assert first is not None and second is not None
    first.location, second.location = _line(3), _line(7)
    first.attributes = {"both": StringAttr("decoder"), "mine": StringAttr("decoder")}
    second.attributes = {"both": StringAttr("scanner"), "yours": StringAttr("scanner")}
    JoinProgramsPass("handoff").apply(Context(), module)
    joined = p.op.buffer("handoff")
    assert joined is not None
    assert joined.location == _line(3)
    assert {name: str(value) for name, value in joined.attributes.items()} == {
        "both": '"decoder"',
        "mine": '"decoder"',
        "yours": '"scanner"',
    }
