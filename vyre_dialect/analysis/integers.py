"""
Integers: which numbers a value can be, as a range and as multiples of a power of two.

They follow from constants, sizes, ids, loop bounds and arithmetic, and inside `scf.if` from its
condition. Source: the integer range analysis of MLIR, on demand and under guards, times Granger's
congruences, restricted to zero modulo a power of two, which wrapping around keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Self, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from vyre_dialect.analysis.divisors import (
    DIVISOR,
    OF_ZERO,
    DivisorTransfer,
    power_of_two_divisor,
)
from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Merged,
    Rule,
    origin_of,
)
from vyre_dialect.analysis.guards import Comparison, block_around, guards_at
from vyre_dialect.analysis.manager import Analysis, AnalysisManager, top_level_op
from vyre_dialect.analysis.value_ranges import (
    MAX_COUNT,
    RANGE,
    UNKNOWN,
    Range,
    RangeTransfer,
    bounded,
    full_range,
)
from vyre_dialect.ir.types import scalar_type
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.kernel import measured_buffer

MAX_HEIGHT = 100
"""Ops, one upon the other, that are evaluated again for what a guard around their use says."""


@dataclass(frozen=True, slots=True)
class Integer:
    """The numbers in a range that a power of two divides."""

    range: Range
    divisor: int = 1

    @staticmethod
    def of(known: Range, divisor: int) -> Integer:
        """The numbers of which both is known; that a number is just one says what divides it."""
        return Integer(known, power_of_two_divisor(known.low) if known.is_one else divisor)

    @property
    def tightened(self) -> Range:
        """
        The range from the first to the last multiple, or, where there is none (in code that never
        runs), all of it.
        """
        if self.divisor == 1:
            return self.range
        low = -(-self.range.low // self.divisor) * self.divisor
        high = self.range.high // self.divisor * self.divisor
        return Range(low, high) if low <= high else self.range

    def join(self, other: Integer) -> Integer:
        """What is known of one of two numbers."""
        return Integer(self.range.join(other.range), min(self.divisor, other.divisor))

    def meet(self, other: Integer) -> Integer:
        """What is known of a number of which both hold."""
        return Integer.of(self.range.meet(other.range), max(self.divisor, other.divisor))

    def compared(self, predicate: str, bound: Integer) -> Integer:
        """What is known of an index of which a comparison with another one holds, too."""
        divisor = max(self.divisor, bound.divisor) if predicate == "eq" else self.divisor
        known = self.range.meet(bounded(predicate, bound.range, self.range))
        return Integer.of(known, divisor)


Place: TypeAlias = tuple[SSAValue, Block | None]
"""A value and the block in which it is asked for: its own, or one under guards within that."""


class _Sources(NamedTuple):
    """What a value is computed from, what loops carry apart."""

    height: int
    """How many ops there are, one upon the other."""
    compared: int
    """The indices among it that are compared: a set of bits, one for each."""


class _Computation(ForwardAnalysis[SSAValue, _Sources]):
    """What values are computed from."""

    start = _Sources(0, 0)

    def __init__(self) -> None:
        super().__init__()
        self._bits: dict[SSAValue, int] = {}

    def rule(self, node: SSAValue) -> Rule[SSAValue, _Sources]:
        own = self.bit(node) if _is_compared(node) else 0

        def above(sources: Sequence[_Sources]) -> _Sources:
            height, compared = 0, own
            for source in sources:
                height = max(height, source.height)
                compared |= source.compared
            return _Sources(height + 1, compared)

        return Rule(_within_iteration(node), above)

    def bit(self, value: SSAValue) -> int:
        """What stands for a value that is compared."""
        return self._bits.setdefault(value, 1 << len(self._bits))


class Integers(ForwardAnalysis[Place, Integer], Analysis):
    """
    What is known of integers, as seen from the block in which they are used.

    Ranges are not carried around loops, divisors are.
    """

    start = Integer(UNKNOWN, OF_ZERO)

    def __init__(self) -> None:
        super().__init__()
        self._computation = _Computation()
        self._guards: dict[Block, dict[SSAValue, list[Comparison]]] = {}
        self._guarded: dict[Block, Block | None] = {}

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The integers of a program or kernel, and of all that it sees."""
        top = top_level_op(scope)
        return cls() if top is scope else facts.get(cls, top)

    def range_at(self, value: SSAValue, block: Block | None) -> Range:
        """The range of an integer, or of the lanes of a vector, wherever `block` runs."""
        return self.fact(self.place(value, block)).tightened

    def divisor_at(self, value: SSAValue, block: Block | None) -> int:
        """A power of two that divides a scalar integer wherever `block` runs."""
        return self.fact(self.place(value, block)).divisor

    def ranges_of(self, op: Operation) -> list[Range]:
        """The ranges of the operands of an op where that stands."""
        return [self.range_at(operand, op.parent) for operand in op.operands]

    def result_of(self, op: Operation, block: Block | None) -> Range | None:
        """
        The range of the exact result of an op, which may lie outside of what its type holds;
        None for an op that nothing is known of.
        """
        return transferred(op, [self.range_at(operand, block) for operand in op.operands])

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
        own = block_of(value)
        if own is None or block is own or not (compared := self._computation.fact(value).compared):
            return value, own
        guarded = self._innermost_guarded(block)
        while guarded is not None and not compared & self._compared_at(guarded):
            guarded = self._innermost_guarded(block_around(guarded))
        return (value, own) if guarded is None or guarded.is_ancestor(own) else (value, guarded)

    def outer_place(self, node: Place) -> Place | None:
        """Where to find what holds of a value without the innermost guard; None without one."""
        value, block = node
        if block is None or block is block_of(value):
            return None
        return self.place(value, block_around(block))

    def is_evaluated_again(self, value: SSAValue) -> bool:
        """Whether guards on what `value` is computed from are taken into account."""
        return self._computation.fact(value).height <= MAX_HEIGHT

    def rule(self, node: Place) -> Rule[Place, Integer]:
        """What its operands say, and, under a guard, what holds around it and the guard says."""
        outer = self.outer_place(node)
        known = self._evaluation(node) if outer is None else self._evaluated_again(node, outer)
        return self._compared(known, node)

    def _evaluated_again(self, node: Place, outer: Place) -> Rule[Place, Integer]:
        """What holds around the innermost guard, and what follows from operands within it."""
        value = node[0]
        # What a loop carries comes from iterations in which the guard need not have held.
        is_known = is_carried(value) or not self.is_evaluated_again(value)
        rule = Rule((), _nothing) if is_known else self._evaluation(node)
        return Rule((*rule.sources, outer), lambda facts: rule.apply(facts[:-1]).meet(facts[-1]))

    def _compared(self, known: Rule[Place, Integer], node: Place) -> Rule[Place, Integer]:
        """What is `known` by a rule, and what the comparisons say that hold in a block."""
        value, block = node
        if block is None or not (guards := self._guards_on(value, block)):
            return known
        others = [self.place(_other(guard, value), block_around(block)) for guard in guards]

        def refine(facts: Sequence[Integer]) -> Integer:
            found = known.apply(facts[: len(known.sources)])
            for guard, bound in zip(guards, facts[len(known.sources) :], strict=True):
                predicate = guard.predicate if value is guard.left else guard.mirrored
                found = found.compared(predicate, bound)
            return found

        return Rule((*known.sources, *others), refine)

    def _guards_on(self, value: SSAValue, block: Block) -> Sequence[Comparison]:
        """
        The comparisons of a value that hold in a block, but for those of two arguments of a loop
        there, as each would follow from the other.
        """
        guards = self._guards_at(block).get(value, [])
        if block_of(value) is not block:
            return guards
        return [guard for guard in guards if block_of(_other(guard, value)) is not block]

    def _evaluation(self, node: Place) -> Rule[Place, Integer]:
        """How the fact follows from those that the value is computed from, in the same block."""
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
        self._guarded.update(dict.fromkeys(passed, found))
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
        return reduce(int.__or__, map(self._computation.bit, self._guards_at(block)), 0)


def _is_compared(value: SSAValue) -> bool:
    if not isinstance(value.type, IndexType):
        return False
    return any(isinstance(use.operation, arith.CmpiOp) for use in value.uses)


def transferred(op: Operation, operands: Sequence[Range]) -> Range | None:
    """The range of the exact result of an op on operands in ranges; None if nothing is known."""
    transfer = _Transfers.of(op).range
    return None if transfer is None else transfer(op, operands)


def block_of(value: SSAValue) -> Block | None:
    """The block that computes a value, or takes it as an argument."""
    if isinstance(value, OpResult):
        return value.op.parent
    assert isinstance(value, BlockArgument)
    return value.block


def _other(guard: Comparison, value: SSAValue) -> SSAValue:
    return guard.right if value is guard.left else guard.left


def _within_iteration(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is computed from, but for what loops carry."""
    return () if is_carried(value) else _step(value).sources


def is_carried(value: SSAValue) -> bool:
    """Whether a loop hands `value` from one iteration to the next."""
    return not isinstance(value, OpResult) and isinstance(origin_of(value), Merged)


# How facts follow from each other.


def _lane(value: SSAValue) -> Attribute:
    return scalar_type(value.type)


class _Transfers(NamedTuple):
    """What is known about the result of an op, if that is one integer, or a vector of them."""

    range: RangeTransfer | None
    divisor: DivisorTransfer | None

    @staticmethod
    def of(op: Operation) -> _Transfers:
        """Look up what packages say."""
        if len(results := op.results) != 1:
            return _Transfers(None, None)
        (result,) = results
        if not isinstance(_lane(result), IndexType | IntegerType):
            return _Transfers(None, None)
        is_vector = isinstance(result.type, VectorType)
        return _Transfers(RANGE.of(type(op)), None if is_vector else DIVISOR.of(type(op)))


def _step(value: SSAValue) -> Rule[SSAValue, Integer]:
    """What the fact about `value` follows from."""
    full = full_range(value.type)
    if measured_buffer(value) is not None:
        return Rule((), lambda _: Integer(Range(0, MAX_COUNT)))
    match origin_of(value):
        case Computed(BufLenOp(declared=size)) if size is not None:
            return Rule((size,), lambda facts: facts[0].meet(Integer(Range(0, MAX_COUNT))))
        case Computed(op):
            return _computed(op, full)
        case Merged(sources) if sources and isinstance(value, BlockArgument):
            return Rule(sources, lambda facts: Integer(full, _common_divisor(facts)))
        case Merged(sources) if sources:
            return Rule(sources, lambda facts: reduce(Integer.join, facts).meet(Integer(full)))
        case Counter(begin, end, step) if isinstance(value.type, IndexType):
            return Rule((begin, end, step), lambda facts: _counted(facts, full))
        case Counter(begin, _, step):
            return Rule((begin, step), lambda facts: Integer(full, _common_divisor(facts)))
        case _:
            return Rule((), lambda _: Integer(full))


def _computed(op: Operation, full: Range) -> Rule[SSAValue, Integer]:
    """By the transfers of an op; a range wraps around, which changes no divisor."""
    range_of, divisor_of = _Transfers.of(op)
    if range_of is None and divisor_of is None:
        return Rule((), lambda _: Integer(full))

    def apply(facts: Sequence[Integer]) -> Integer:
        exact = UNKNOWN if range_of is None else range_of(op, [fact.range for fact in facts])
        divisor = 1 if divisor_of is None else divisor_of(op, [fact.divisor for fact in facts])
        return Integer.of(exact if exact.within(full) else full, divisor)

    return Rule(op.operands, apply)


def _nothing(_: Sequence[Integer]) -> Integer:
    return Integer(UNKNOWN)


def _common_divisor(facts: Sequence[Integer]) -> int:
    return min(fact.divisor for fact in facts)


def _counted(facts: Sequence[Integer], full: Range) -> Integer:
    """From the begin, the end and the step of a loop to its counter."""
    begin, end, step = (fact.range for fact in facts)
    divisor = _common_divisor((facts[0], facts[2]))
    if step.low < 1:
        return Integer(full, divisor)
    return Integer.of(Range(begin.low, max(begin.low, end.high - 1)), divisor)
