"""
`vyre-fuse-horizontally`: arms that follow each other and do not depend on each other become one.

    out[i] = f(in[i])              -->    x = in[i]
    count[in[i]] += 1                     out[i] = f(x)
                                          count[x] += 1

Arms over the same invocations that read the same input read it once then. Small ones that have
nothing in common share a launch, each under a guard, so that a device runs at once what none of
them fills. Source: Li et al., "Automatic horizontal fusion for GPU kernels", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, OpResult, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value
from vyre_dialect.ir.effects import buffers_touched, effects_of, states_effects
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase, Profile
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis, sizes_attr
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, drive

MOST_OPS = 512
"""Operations beyond which an arm stays by itself: kernels that do much need many registers."""
SMALL = 65536
"""Invocations up to which an arm does not fill a device by itself."""


@dataclass(frozen=True)
class _Contents:
    """What an arm does, as far as it decides whether others may join it."""

    ops: int
    touched: Mapping[SSAValue, frozenset[AccessKind]]
    """The buffers that a plain arm touches, and how."""
    is_plain: bool
    """Whether these are few ops that say what they do, whatever the workgroups are."""

    @staticmethod
    def of(arm: RegionOp) -> _Contents:
        """What `arm` does."""
        ops = list(islice(ops_inside(arm.body), MOST_OPS + 1))
        is_plain = len(ops) <= MOST_OPS and arm.is_data_parallel and all(map(states_effects, ops))
        return _Contents(len(ops), buffers_touched(arm.body) if is_plain else {}, is_plain)

    def joined(self, other: _Contents) -> _Contents:
        """What an arm does that does both."""
        touched, ops = dict(self.touched), self.ops + other.ops
        for buffer, kinds in other.touched.items():
            touched[buffer] = touched.get(buffer, frozenset()) | kinds
        return _Contents(ops, touched, self.is_plain and other.is_plain and ops <= MOST_OPS)

    def is_independent_of(self, other: _Contents) -> bool:
        """Whether two plain arms may run in any order, and at once."""
        shared = self.touched.keys() & other.touched.keys()
        return not any(AccessKind.WRITE in self.touched[b] | other.touched[b] for b in shared)


class _Arms(dict[RegionOp, _Contents]):
    """What arms do, found out once, so that to join many takes linear time."""

    def __missing__(self, arm: RegionOp) -> _Contents:
        contents = self[arm] = _Contents.of(arm)
        return contents

    def are_independent(self, first: RegionOp, second: RegionOp) -> bool:
        """Whether two arms may run in any order, and at once, with workgroups of one size."""
        if first.workgroup != second.workgroup:
            return False
        one, other = self[first], self[second]
        return one.is_plain and other.is_plain and one.is_independent_of(other)

    def have_common_input(self, first: RegionOp, second: RegionOp) -> bool:
        """Whether two independent arms both read a buffer."""
        return not self[first].touched.keys().isdisjoint(self[second].touched)

    def join(self, first: RegionOp, second: RegionOp, rewriter: PatternRewriter) -> None:
        """
        Let `first` do what `second` does, after what it does itself; `second` goes. What is between
        the two, which has no effects, comes before both.
        """
        while (between := first.next_op) is not None and between is not second:
            move([between], InsertPoint.before(first), rewriter)
        self[first] = self[first].joined(self[second])
        del self[second]
        move(list(second.body.block.ops), InsertPoint.at_end(first.body.block), rewriter)
        first.generator = StringAttr(f"{first.generator.data}+{second.generator.data}")
        rewriter.notify_op_modified(first)
        rewriter.erase(second)


@dataclass
class FuseReaders(RewritePattern):
    """An arm of the same domain joins the one before it, so that what both read is read once."""

    arms: _Arms

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        first = _arm_before(op)
        if first is None or not _have_same_domain(first, op):
            return
        if self.arms.are_independent(first, op) and self.arms.have_common_input(first, op):
            self.arms.join(first, op, rewriter)


@dataclass
class FuseSmall(RewritePattern):
    """A small arm joins a small one before it, whatever they do; the smaller one under a guard."""

    arms: _Arms
    most: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        if (first := _arm_before(op)) is None:
            return
        before, count = self._count(first), self._count(op)
        if before is None or count is None or not self.arms.are_independent(first, op):
            return
        if before != count:
            fewer = first if before < count else op
            _guard(fewer, min(before, count), rewriter)
            del self.arms[fewer]
        first.static_invocations = sizes_attr([max(before, count)])
        rewriter.notify_op_modified(first)
        self.arms.join(first, op, rewriter)

    def _count(self, arm: RegionOp) -> int | None:
        """The invocations of a small arm along its only axis."""
        sizes = arm.domain
        if len(sizes) != 1 or not isinstance(sizes[0], int) or sizes[0] > self.most:
            return None
        return sizes[0]


def _arm_before(arm: RegionOp) -> RegionOp | None:
    """The arm before `arm`, if nothing that has effects is between the two."""
    other = arm.prev_op
    while other is not None and not isinstance(other, RegionOp):
        if not isinstance(other, BufferOp | BufLenOp) and effects_of(other) != set():
            return None
        other = other.prev_op
    return other


def _have_same_domain(first: RegionOp, second: RegionOp) -> bool:
    """Whether two arms have as many invocations along each axis, as the host computes them."""
    sizes = list(zip(first.domain, second.domain, strict=False))
    return len(first.domain) == len(second.domain) and all(
        one == other
        if isinstance(one, int) or isinstance(other, int)
        else _are_computed_alike(one, other)
        for one, other in sizes
    )


def _are_computed_alike(one: SSAValue, other: SSAValue) -> bool:
    """Whether the same ops compute two values of the host from the same values."""
    pending, seen = [(one, other)], set[tuple[SSAValue, SSAValue]]()
    while pending:
        pair = pending.pop()
        if pair[0] is pair[1] or pair in seen:
            continue
        seen.add(pair)
        if not _are_same_function(*pair):
            return False
        operands = (value.owner.operands for value in pair if isinstance(value, OpResult))
        pending.extend(zip(*operands, strict=True))
    return True


def _are_same_function(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values are the same result of ops that do the same with their operands."""
    if not isinstance(one, OpResult) or not isinstance(other, OpResult):
        return False
    ops = one.op, other.op
    return (
        type(ops[0]) is type(ops[1])
        and one.index == other.index
        and one.type == other.type
        and len(ops[0].operands) == len(ops[1].operands)
        and ops[0].properties == ops[1].properties
        and ops[0].attributes == ops[1].attributes
        and not ops[0].regions
        and effects_of(ops[0]) == set()
    )


def _guard(arm: RegionOp, count: int, rewriter: PatternRewriter) -> None:
    """Let only the first `count` invocations do what the arm does."""
    body = arm.body.block
    ops = list(body.ops)
    with building(rewriter, InsertPoint.at_start(body)):
        condition = Value(InvocationIdOp(Axis.X).id) < count
        scf.IfOp(condition.ssa, [], [inner := Block()])
    move(ops, InsertPoint.at_end(inner), rewriter)
    rewriter.insert(scf.YieldOp(), InsertPoint.at_end(inner))


@dataclass(frozen=True)
class FuseHorizontallyPass(RewritePass):
    """
    Fuses neighbouring arms without a handoff between them: those of one domain that read a buffer
    both, so that it is read once, and, of up to `small` invocations, any of static size. Under the
    profile `megakernel` that is 65536, else none. Arms that hand a buffer on are for
    `vyre-decode-scan-fuse`.
    """

    name = "vyre-fuse-horizontally"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.FUSION,
        requires=("vyre-decode-scan-fuse",),
        boundary=Boundary.PROGRAM,
        profile_options=((Profile.MEGAKERNEL, "small", SMALL),),
    )

    small: int = 0
    """Invocations up to which an arm joins another that it has nothing to do with."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.small < 0:
            raise PassFailedException(
                f"'{self.name}' expected no negative 'small', got {self.small}"
            )
        arms = _Arms()
        patterns: list[RewritePattern] = [FuseReaders(arms)]
        if self.small:
            patterns.append(FuseSmall(arms, self.small))
        return any([drive(pattern, module.body, facts, RegionOp) for pattern in patterns])
