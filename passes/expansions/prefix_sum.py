"""
`vyre.scan.prefix_sum` as four arms: the sums of blocks of `values` elements; for groups of 64
blocks, what precedes each block in its group; for all groups, what precedes them; and the sums
within the blocks on top of both.

The third arm is one workgroup that goes through the groups 4096 at a time. The invocations
of a round combine their sums as W. D. Hillis and G. L. Steele describe ("Data parallel
algorithms", Communications of the ACM 29(12), 1986).
"""

from __future__ import annotations

from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, barrier, constant, for_, local_id
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, temporary
from vyre_dialect.passes.rewriting.reductions import prefix_sums, reduction

GROUP = 64
"""Blocks that one invocation of the second arm takes."""
WORKGROUP = 256
RUN = 16
"""Groups that one invocation of the third arm takes in each round."""


class ExpandPrefixSum(RewritePattern):
    """Expand `vyre.scan.prefix_sum`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrefixSumOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, destination = Source(op), Buffer(op.destination)
            type = destination.type.element_type
            blocks = invocations(destination, source.values)
            sums = temporary(program_of(op), "block_sums", type, blocks)
            groups = invocations(sums, GROUP)
            group_sums = temporary(program_of(op), "group_sums", type, groups)
            partial = temporary(
                program_of(op), "partial_sums", type, WORKGROUP, MemorySpace.WORKGROUP
            )
            with arm("scan.prefix_sum.blocks", blocks) as block:
                sums[block] = _block_sum(source, (block * source.values).named("first"))
            with arm("scan.prefix_sum.groups", groups) as group:
                zero = constant(0, type)
                first_block = (group * GROUP).named("first_block")
                group_sums[group] = _replace_by_carries(sums, first_block, GROUP, zero)
            with arm("scan.prefix_sum.carries", WORKGROUP, workgroup_size=[WORKGROUP]):
                _carries(group_sums, partial)
            with arm("scan.prefix_sum", blocks) as block:
                before = sums[block] + group_sums[block // GROUP]
                _sums(source, destination, (block * source.values).named("first"), before)
        rewriter.erase(op)


class Source:
    """What is summed up, `values` elements at a time, as vectors of the type of the sums."""

    def __init__(self, op: PrefixSumOp):
        self.buffer, self.lanes = Buffer(op.source), op.lanes_per_vector
        self.values = op.values_per_invocation
        self.words = VectorType(self.buffer.type.element_type, [self.lanes])
        type = op.destination.type
        assert isinstance(type, BufferType)
        self.elements = VectorType(type.element_type, [self.lanes])

    def load(self, position: Value) -> Value:
        """The elements from `position` on."""
        values = self.buffer.load(position, self.words).named("values")
        return values.to(self.elements, signed=True)


def _block_sum(source: Source, first: Value) -> Value:
    with for_(0, source.values, source.lanes, carry=[constant(0, source.elements)]) as vectors:
        elements = source.load(first + vectors.counter.named("offset"))
        vectors.yields(vectors.carried[0].named("sums") + elements)
    return reduction(add, vectors.results[0]).named("block_sum")


def _carries(sums: Buffer, partial: Buffer) -> None:
    """Replace the sum of each group by the sum of all groups before it."""
    lane = local_id().named("lane")
    zero = constant(0, sums.type.element_type)
    with for_(0, sums.length, WORKGROUP * RUN, carry=[zero]) as rounds:
        carry = rounds.carried[0].named("carry")
        first = (rounds.counter.named("round") + lane * RUN).named("first_group")
        with for_(0, RUN, carry=[zero]) as run:
            (own,) = run.named("own")
            run.yields(own + sums[first + run.counter.named("group")])
        own = run.results[0].named("own")
        inclusive = _across_workgroup(own, partial, lane).named("inclusive")
        _replace_by_carries(sums, first, RUN, carry + inclusive - own)
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


def _replace_by_carries(
    sums: Buffer, first: Value, count: int, carry: Value | None = None
) -> Value:
    """Replace some sums by what precedes them, from `carry` on; what follows the last of them."""
    start = constant(0, sums.type.element_type) if carry is None else carry
    with for_(0, count, carry=[start]) as run:
        place = first + run.counter.named("place")
        sum_ = sums[place].named("sum")
        (before,) = run.named("before")
        sums[place] = before
        run.yields(before + sum_)
    return run.results[0].named("after")


def _sums(source: Source, destination: Buffer, first: Value, before: Value) -> None:
    with for_(0, source.values, source.lanes, carry=[before.named("before")]) as vectors:
        position = (first + vectors.counter.named("offset")).named("position")
        before = vectors.carried[0].named("before")
        sums = prefix_sums(source.load(position)) + before.broadcast(source.lanes)
        destination.store(sums.named("sums"), position)
        vectors.yields(sums.lane(source.lanes - 1))
