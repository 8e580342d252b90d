"""
`vyre.scan.prefix_sum` as three arms: the sums of blocks of 64 elements, the sums of all that
precedes each block, and the sums within the blocks on top of these.

The second arm is one workgroup that goes through the blocks 4096 at a time. The invocations
of a round combine their sums as W. D. Hillis and G. L. Steele describe ("Data parallel
algorithms", Communications of the ACM 29(12), 1986).
"""

from __future__ import annotations

from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, barrier, constant, for_, local_id
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.passes.expansions.host_side import invocations, program_of, temporary
from vyre_dialect.types import MemorySpace

BLOCK = 64
LANES = 4
WORDS = VectorType(i32, [LANES])
WORKGROUP = 256
RUN = 16
"""Blocks that one invocation of the second arm takes in each round."""


class ExpandPrefixSum(RewritePattern):
    """Expand `vyre.scan.prefix_sum`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrefixSumOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, destination = Buffer(op.source), Buffer(op.destination)
            type = destination.type.element_type
            blocks = invocations(destination, BLOCK)
            sums = temporary(program_of(op), "block_sums", type, blocks)
            partial = temporary(
                program_of(op), "partial_sums", type, WORKGROUP, MemorySpace.WORKGROUP
            )
            with arm("scan.prefix_sum.blocks", blocks) as block:
                sums[block] = _block_sum(source, (block * BLOCK).named("first"), type)
            with arm("scan.prefix_sum.carries", WORKGROUP, workgroup_size=[WORKGROUP]):
                _carries(sums, partial)
            with arm("scan.prefix_sum", blocks) as block:
                _sums(source, destination, (block * BLOCK).named("first"), sums[block])
        rewriter.erase(op)


def _elements(source: Buffer, position: Value, type: Attribute) -> list[Value]:
    values = source.load(position, WORDS).named("values")
    return [values.lane(lane).to(type, signed=True) for lane in range(LANES)]


def _block_sum(source: Buffer, first: Value, type: Attribute) -> Value:
    with for_(0, BLOCK, LANES, carry=[constant(0, type)]) as quads:
        elements = _elements(source, first + quads.counter.named("offset"), type)
        quads.yields(reduce(add, elements, quads.carried[0].named("sum")))
    return quads.results[0].named("block_sum")


def _carries(sums: Buffer, partial: Buffer) -> None:
    """Replace the sum of each block by the sum of all blocks before it."""
    lane = local_id().named("lane")
    zero = constant(0, sums.type.element_type)
    with for_(0, sums.length, WORKGROUP * RUN, carry=[zero]) as rounds:
        carry = rounds.carried[0].named("carry")
        first = (rounds.counter.named("round") + lane * RUN).named("first_block")
        with for_(0, RUN, carry=[zero]) as run:
            (own,) = run.named("own")
            run.yields(own + sums[first + run.counter.named("block")])
        own = run.results[0].named("own")
        inclusive = _across_workgroup(own, partial, lane).named("inclusive")
        _replace_by_carries(sums, first, carry + inclusive - own)
        total = partial[WORKGROUP - 1].named("total")
        barrier()
        rounds.yields(carry + total)


def _across_workgroup(own: Value, partial: Buffer, lane: Value) -> Value:
    """The sum over the invocations up to this one; `partial` holds all of these sums."""
    inclusive = own
    partial[lane] = inclusive
    barrier()
    distance = 1
    while distance < WORKGROUP:
        # In front of the first invocation there is nothing, which reads as 0.
        inclusive = inclusive + partial[lane - distance]
        barrier()
        partial[lane] = inclusive
        barrier()
        distance *= 2
    return inclusive


def _replace_by_carries(sums: Buffer, first: Value, carry: Value) -> None:
    with for_(0, RUN, carry=[carry]) as run:
        block = first + run.counter.named("block")
        block_sum = sums[block].named("block_sum")
        (before,) = run.named("before")
        sums[block] = before
        run.yields(before + block_sum)


def _sums(source: Buffer, destination: Buffer, first: Value, before: Value) -> None:
    with for_(0, BLOCK, LANES, carry=[before.named("before")]) as quads:
        position = (first + quads.counter.named("offset")).named("position")
        sum = quads.carried[0].named("sum")
        results = sum.broadcast(LANES)
        for lane, element in enumerate(_elements(source, position, sum.type)):
            sum = sum + element
            results = results.with_lane(lane, sum)
        destination.store(results.named("sums"), position)
        quads.yields(sum)
