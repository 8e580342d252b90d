"""
Ranges of integer values: the smallest and largest number that a value can be.

An index is read as a signed number, other integers as unsigned ones. Ranges come from constants,
sizes, ids, loop bounds and arithmetic, and inside `scf.if` from its condition. Source: Harrison,
"Compiler Analysis of the Value Ranges for Variables", without iteration around loops: what a
loop carries is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Merged,
    Rule,
    origin_of,
)
from vyre_dialect.analysis.guards import Comparison, block_around, guards_at
from vyre_dialect.analysis.manager import AnalysisManager, top_level_op
from vyre_dialect.ir.implementations import Registry
from vyre_dialect.ir.types import MAX_COUNT as MAX_COUNT
from vyre_dialect.ops.kernel import measured_buffer

MAX_HEIGHT = 100
"""Ops, one upon the other, that are evaluated again for what a guard around their use says."""

INDEX_LIMIT = 2**63
"""No index reaches this."""
_INDEX_MIN, _INDEX_MAX = -INDEX_LIMIT, INDEX_LIMIT - 1


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, both included."""

    low: int
    high: int

    def join(self, other: Range) -> Range:
        """The smallest range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Range) -> Range:
        """What both ranges hold; of disjoint ranges (code that never runs), the other."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else other

    def within(self, other: Range) -> bool:
        """Whether every value of this range lies in the other."""
        return other.low <= self.low and self.high <= other.high

    @property
    def is_non_negative(self) -> bool:
        """Whether no value is negative."""
        return self.low >= 0


UNKNOWN = Range(-(2**200), 2**200)
"""Of a result that may be any number, or is none."""


def full_range(type: Attribute) -> Range:
    """Every number that a value of `type` can be; all numbers when it is no scalar integer."""
    if isinstance(type, IntegerType):
        return Range(0, 2**type.width.data - 1)
    return Range(_INDEX_MIN, _INDEX_MAX) if isinstance(type, IndexType) else UNKNOWN


def first_past(low: Range, high: Range, step: Range) -> int:
    """The largest number that a loop counter gets when it is advanced to the bound or past it."""
    if low.low == low.high and step.low == step.high > 0:
        trips = max(0, -((low.low - high.high) // step.low))
        return low.low + trips * step.low
    return high.high - 1 + step.high


def bit_width(type: Attribute) -> int:
    """The bits of an integer, 64 of an index."""
    return type.width.data if isinstance(type, IntegerType) else 64


RangeTransfer: TypeAlias = Callable[[Any, Sequence[Range]], Range]
"""From an op of one result and the ranges of its operands to the range of the exact result."""

TRANSFERS = Registry[RangeTransfer]("vyre.ranges", ["vyre_dialect.analysis.range_transfers:RANGES"])
"""What is known about the results of ops; those of an op that is not in it may be anything."""

Place: TypeAlias = tuple[SSAValue, Block | None]
"""A value and the block in which it is asked for: its own, or one under guards within that."""


class _Height(ForwardAnalysis[SSAValue, int]):
    """How many ops a value is computed by, one upon the other, loops apart."""

    start = 0

    def rule(self, node: SSAValue) -> Rule[SSAValue, int]:
        return Rule(_step(node).sources, lambda heights: 1 + max(heights, default=0))


class _Compared(ForwardAnalysis[SSAValue, int]):
    """From which indices that are compared a value is computed: a set of bits, one for each."""

    start = 0

    def __init__(self) -> None:
        super().__init__()
        self._bits: dict[SSAValue, int] = {}

    def rule(self, node: SSAValue) -> Rule[SSAValue, int]:
        own = self.bit(node) if _is_compared(node) else 0
        return Rule(_step(node).sources, lambda bits: _union([own, *bits]))

    def bit(self, value: SSAValue) -> int:
        """What stands for a value that is compared."""
        return self._bits.setdefault(value, 1 << len(self._bits))


class ValueRanges(ForwardAnalysis[Place, Range]):
    """The ranges of values, as seen from the block in which they are used."""

    start = UNKNOWN

    def __init__(self) -> None:
        super().__init__()
        self._heights = _Height()
        self._compared = _Compared()
        self._guards: dict[Block, dict[SSAValue, list[Comparison]]] = {}
        self._guarded: dict[Block, Block | None] = {}

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The ranges in a program or kernel, and of all that it sees."""
        top = top_level_op(scope)
        return cls() if top is scope else facts.get(cls, top)

    def range_at(self, value: SSAValue, block: Block | None) -> Range:
        """The range of a scalar integer wherever `block` runs."""
        return self.fact(self.place(value, block))

    def ranges_of(self, op: Operation) -> list[Range]:
        """The ranges of the operands of an op where that stands."""
        return [self.range_at(operand, op.parent) for operand in op.operands]

    def result_of(self, op: Operation, block: Block | None) -> Range | None:
        """
        The range of the exact result of an op, which may lie outside of what its type holds;
        None for an op that nothing is known of.
        """
        if (transfer := _transfer(op)) is None:
            return None
        return transfer(op, [self.range_at(operand, block) for operand in op.operands])

    def may_overflow(self, op: Operation, block: Block | None = None) -> bool:
        """Whether the exact result of `op` in `block` may be none of the numbers of its type."""
        exact = self.result_of(op, block or op.parent)
        return exact is None or not exact.within(full_range(op.results[0].type))

    def place(self, value: SSAValue, block: Block | None) -> Place:
        """
        Where the facts about `value` are found that hold in `block`: in the innermost block
        around it whose guards are about what the value is computed from, and that does not
        enclose the value's own, if there is one.
        """
        own = _block_of(value)
        if own is None or block is own or not (compared := self._compared.fact(value)):
            return value, own
        guarded = self._innermost_guarded(block)
        while guarded is not None and not compared & self._compared_at(guarded):
            guarded = self._innermost_guarded(block_around(guarded))
        return (value, own) if guarded is None or guarded.is_ancestor(own) else (value, guarded)

    def outer_place(self, node: Place) -> Place | None:
        """Where to find what holds of a value without the innermost guard; None without one."""
        value, block = node
        if block is None or block is _block_of(value):
            return None
        return self.place(value, block_around(block))

    def is_evaluated_again(self, value: SSAValue) -> bool:
        """Whether guards on what `value` is computed from are taken into account."""
        return self._heights.fact(value) <= MAX_HEIGHT

    def rule(self, node: Place) -> Rule[Place, Range]:
        """What its operands say, and, under a guard, what holds around it and the guard says."""
        value, block = node
        if (outer := self.outer_place(node)) is None:
            return self._evaluation(node)
        assert block is not None
        rule = self._evaluation(node) if self.is_evaluated_again(value) else Rule((), _nothing)
        guards = self._guards_at(block).get(value, [])
        others = [self.place(_other(guard, value), block_around(block)) for guard in guards]

        def refine(facts: Sequence[Range]) -> Range:
            known = rule.apply(facts[: len(rule.sources)]).meet(facts[len(rule.sources)])
            for guard, bound in zip(guards, facts[len(rule.sources) + 1 :], strict=True):
                predicate = guard.predicate if value is guard.left else guard.mirrored
                known = known.meet(_bounded(predicate, bound, known))
            return known

        return Rule((*rule.sources, outer, *others), refine)

    def _evaluation(self, node: Place) -> Rule[Place, Range]:
        """How the range follows from those that the value is computed from, in the same block."""
        value, block = node
        step = _step(value)
        return Rule([self.place(source, block) for source in step.sources], step.apply)

    def _innermost_guarded(self, block: Block | None) -> Block | None:
        """The innermost block at or around `block` in which a comparison of indices holds."""
        passed = list[Block]()
        while block is not None and block not in self._guarded and not self._guards_at(block):
            passed.append(block)
            block = block_around(block)
        found = None if block is None else self._guarded.get(block, block)
        self._guarded.update((inner, found) for inner in passed)
        return found

    def _guards_at(self, block: Block) -> dict[SSAValue, list[Comparison]]:
        """The comparisons of indices that hold in a block, by the values that are compared."""
        if block not in self._guards:
            found = self._guards[block] = {}
            for guard in guards_at(block):
                if isinstance(guard.left.type, IndexType) and guard.left is not guard.right:
                    found.setdefault(guard.left, []).append(guard)
                    found.setdefault(guard.right, []).append(guard)
        return self._guards[block]

    def _compared_at(self, block: Block) -> int:
        """What the comparisons are about that hold in a block."""
        return _union(map(self._compared.bit, self._guards_at(block)))


def _union(sets: Iterable[int]) -> int:
    """Of sets of bits."""
    union = 0
    for each in sets:
        union |= each
    return union


def _is_compared(value: SSAValue) -> bool:
    if not isinstance(value.type, IndexType):
        return False
    return any(isinstance(use.operation, arith.CmpiOp) for use in value.uses)


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner


def _other(guard: Comparison, value: SSAValue) -> SSAValue:
    return guard.right if value is guard.left else guard.left


def _transfer(op: Operation) -> RangeTransfer | None:
    """How the range of the exact result follows, if the op has one result, a scalar integer."""
    if len(op.results) != 1 or not isinstance(op.results[0].type, IndexType | IntegerType):
        return None
    return TRANSFERS.find(type(op))


def _step(value: SSAValue) -> Rule[SSAValue, Range]:
    """What the range of `value` follows from. Loops are cut where they carry something."""
    full = full_range(value.type)
    if measured_buffer(value) is not None:
        return Rule((), lambda _: Range(0, MAX_COUNT))
    match origin_of(value):
        case Computed(op) if (transfer := _transfer(op)) is not None:
            return Rule(op.operands, lambda ranges: _wrapped(transfer(op, ranges), full))
        case Merged(sources) if sources and not isinstance(value, BlockArgument):
            return Rule(sources, lambda ranges: _joined(ranges).meet(full))
        case Counter(begin, end, step) if isinstance(value.type, IndexType):
            return Rule((begin, end, step), lambda ranges: _counted(ranges, full))
        case _:
            return Rule((), lambda _: full)


def _nothing(_: Sequence[Range]) -> Range:
    return UNKNOWN


def _wrapped(exact: Range, full: Range) -> Range:
    """The range of a result of which the type holds as many bits as it has."""
    return exact if exact.within(full) else full


def _joined(ranges: Sequence[Range]) -> Range:
    joined = ranges[0]
    for other in ranges[1:]:
        joined = joined.join(other)
    return joined


def _counted(facts: Sequence[Range], full: Range) -> Range:
    """From the begin, the end and the step of a loop to its counter."""
    begin, end, step = facts
    if step.low < 1:
        return full
    return Range(begin.low, max(begin.low, end.high - 1))


def _bounded(predicate: str, bound: Range, known: Range) -> Range:
    """What a signed or unsigned comparison with something in `bound` says about an index."""
    limits = {
        "eq": bound,
        "slt": Range(_INDEX_MIN, bound.high - 1),
        "sle": Range(_INDEX_MIN, bound.high),
        "sgt": Range(bound.low + 1, _INDEX_MAX),
        "sge": Range(bound.low, _INDEX_MAX),
    }
    if bound.is_non_negative:
        # A number that is unsigned below a non-negative one is not negative itself.
        limits["ult"] = Range(0, max(0, bound.high - 1))
        limits["ule"] = Range(0, bound.high)
    return limits.get(predicate, known)
