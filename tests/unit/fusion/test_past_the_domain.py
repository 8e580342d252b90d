"""
A tile at the end of a handoff is for more invocations of a producer than there are. These run,
too, only where nobody could notice: a fused program reads nothing that its arms did not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.foreign_ops import MixOp
from support.fusion import fused, require_same_meaning
from support.generated.programs import STRATEGIES
from support.tiers import crossed
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, VectorType, i8, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect

from vyre_dialect.builder import Buffer, Program, Value, program
from vyre_dialect.ir.interfaces import DependsOn
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy

BLOCK = 4
"""Elements that an invocation of the scanner reads."""
MOST_PADDING = 9
LENGTHS = (0, 1, 3, 4, 6, 9, 17)
Made = Callable[[int], ModuleOp]
"""A decoder and a scanner, where the decoder's source has so many elements more than needed."""


def _scan(p: Program, length: Value, decode: Callable[[Value], Value]) -> None:
    """A decoded element per invocation, and an arm that sums `BLOCK` of them per invocation."""
    handoff = p.buffer("handoff", i32, length, initial=Initial.UNDEFINED)
    sums = p.buffer("sums", i32, length.ceildiv(BLOCK), live_out=True)
    with p.arm("decode", length) as i:
        handoff[i] = decode(i)
    with p.arm("scan", length.ceildiv(BLOCK)) as i:
        sums[i] = _sum(handoff, i)


def _sum(handoff: Buffer, i: Value) -> Value:
    return sum((handoff[i * BLOCK + k] for k in range(1, BLOCK)), handoff[i * BLOCK])


def what_an_arm_wrote(padding: int) -> ModuleOp:
    """Nobody writes the last elements of what the decoder reads the others of."""
    with program("p", workgroup_size=[BLOCK]) as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        length = source.length
        kept = p.buffer("kept", i32, length + padding, initial=Initial.UNDEFINED)
        with p.arm("copy", (length, 1)) as (i, _):  # of two axes, so that it stays apart
            kept[i] = source[i]
        _scan(p, length, lambda i: kept[i] * 2)
    return p.module


def what_the_scanner_writes(padding: int) -> ModuleOp:
    """The scanner writes to elements of what the decoder reads others of."""
    with program("p", workgroup_size=[BLOCK]) as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        length = source.length
        state = p.buffer("state", i32, length * 2 + padding, live_out=True)
        handoff = p.buffer("handoff", i32, length, initial=Initial.UNDEFINED)
        with p.arm("decode", length) as i:
            handoff[i] = source[i] + state[i]
        with p.arm("scan", length.ceildiv(BLOCK)) as i:
            state[length + i] = _sum(handoff, i)
    return p.module


def what_the_host_gave(padding: int) -> ModuleOp:
    """All of what the decoder reads is defined, and nobody writes it."""
    with program("p", workgroup_size=[BLOCK]) as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        given = p.buffer("given", i32, source.length + padding)
        _scan(p, source.length, lambda i: given[i] + source[i])
    return p.module


@pytest.mark.parametrize(
    ("padding", "made", "strategy"),
    crossed(
        [0, 1, MOST_PADDING],
        [what_an_arm_wrote, what_the_scanner_writes, what_the_host_gave],
        STRATEGIES,
    ),
)
def test_nothing_is_read_that_the_arms_did_not_read(
    made: Made, strategy: Strategy, padding: int
) -> None:
    before = made(padding)
    after, outcome = fused(before, Options(strategy))
    assert "handoff" in outcome.promoted
    for length in LENGTHS:
        inputs = {"source": np.arange(7, 7 + length, dtype=np.uint32)}
        assert require_same_meaning(before, after, inputs) is not None


def _guards(module: ModuleOp) -> int:
    """How many branches there are in a fused program."""
    after, outcome = fused(module, Options("private"))
    assert "handoff" in outcome.promoted
    return sum(isinstance(op, scf.IfOp) for op in after.walk())


@pytest.mark.parametrize("padding", [0, MOST_PADDING])
def test_what_is_defined_to_its_end_is_read_without_a_guard(padding: int) -> None:
    assert _guards(what_the_host_gave(padding)) == _guards(what_an_arm_wrote(0))


def test_what_may_be_undefined_is_read_under_a_guard() -> None:
    unguarded = _guards(what_an_arm_wrote(0))
    assert _guards(what_an_arm_wrote(1)) == unguarded + BLOCK


def test_what_the_scanner_writes_is_read_under_a_guard() -> None:
    unguarded = _guards(what_an_arm_wrote(0))
    assert _guards(what_the_scanner_writes(0)) == unguarded + BLOCK


@irdl_op_definition
class RootOp(IRDLOperation):
    """Touches no memory, and does not say that it may run for invocations that do not exist."""

    name = "acme.root"

    of = operand_def(i32)
    result = result_def(i32)

    traits = traits_def(NoMemoryEffect(), DependsOn())

    def __init__(self, of: SSAValue):
        super().__init__(operands=[of], result_types=[i32])


def mixed(value: Value) -> Value:
    return Value(MixOp(value.ssa, value.ssa).result)


def root(value: Value) -> Value:
    return Value(RootOp(value.ssa).result)


def chosen(value: Value) -> Value:
    return (value > 3).select(value, value * 5)


def _decoded_by(decode: Callable[[Value], Value]) -> ModuleOp:
    with program("p", workgroup_size=[BLOCK]) as p:
        given = p.buffer("given", i32)
        _scan(p, given.length, lambda i: decode(given[i]))
    return p.module


@pytest.mark.parametrize(("decode", "guards"), [(chosen, 0), (mixed, 0), (root, BLOCK)])
def test_what_may_not_run_where_it_did_not_is_under_a_guard(
    decode: Callable[[Value], Value], guards: int
) -> None:
    unguarded = _guards(what_the_host_gave(0))
    assert _guards(_decoded_by(decode)) == unguarded + guards


WORDS = VectorType(i32, [4])
VECTOR_BYTES = 16


def _summed_bytes(reach: int) -> ModuleOp:
    """A decoder that stores vectors, and a scanner that sums up so many of its bytes as words."""
    with program("p", workgroup_size=[BLOCK]) as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        length = source.length
        handoff = p.buffer("handoff", i8, length, initial=Initial.UNDEFINED)
        sums = p.buffer("sums", i32, length.ceildiv(reach), live_out=True)
        with p.arm("decode", length.ceildiv(VECTOR_BYTES)) as i:
            first = i * VECTOR_BYTES
            handoff.store(source.load(first, WORDS), first)
        with p.arm("scan", length.ceildiv(reach)) as i:
            words = [handoff.load(i * reach + k, i32) for k in range(0, reach, 4)]
            sums[i] = sum(words[1:], words[0])
    return p.module


@pytest.mark.parametrize(("reach", "by_vectors"), [(32, False), (256, False), (272, True)])
def test_the_end_of_a_tile_of_many_words_is_masked_by_the_vectors_that_are_stored(
    reach: int, by_vectors: bool
) -> None:
    before = _summed_bytes(reach)
    after, outcome = fused(before, Options("private"))
    assert "handoff" in outcome.promoted
    masks = {op.result.type for op in after.walk() if isinstance(op, arith.AndIOp)}
    assert (WORDS in masks) == by_vectors
    inputs = {"source": np.arange(reach + 5, dtype=np.uint16).astype(np.uint8)}
    assert require_same_meaning(before, after, inputs) is not None
