"""What a query asks of one column at a time, and the values that pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.value_sets import MOST_INTERVALS, ValueSet
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ops.query import QueryOp

LONGEST_CHAIN = 16
"""Ops between a column and a comparison through which a set is taken."""

_JOINING = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)


@dataclass(frozen=True)
class RowTest:
    """What a query asks of an element of one column, and of nothing else in a row."""

    argument: BlockArgument
    """The element, in the body."""
    conditions: tuple[SSAValue, ...]
    """All of these have to hold."""
    is_required: bool
    """Whether a row counts only where they do."""


class RowTests:
    """The tests of a query, one for all that has to hold of a column."""

    def __init__(self, query: QueryOp):
        self._query = query
        self.block = query.body.block
        """The body."""
        self._sets = dict[SSAValue, ValueSet | None]()
        self.columns_of = _columns_of(query)
        """The elements of a row that values of the body depend on."""
        self.tests = list[RowTest]()
        self.of_several = list[SSAValue]()
        """Conditions on several columns at once, which are none of each by itself."""
        self._split(query.end.predicate)
        for op in self.block.ops:
            self._sets |= _accepted(op, self._sets)

    def accepted(self, test: RowTest) -> ValueSet | None:
        """
        The elements that pass, exactly; None where they are not comparisons with constants of what
        is computed from them one to one.
        """
        if not isinstance(test.argument.type, IntegerType):
            return None
        found = ValueSet.everything(test.argument.type.width.data)
        for condition in test.conditions:
            if (own := self._sets.get(condition)) is None:
                return None
            found &= own
        return found if len(found.intervals) <= MOST_INTERVALS else None

    def ops_of(self, test: RowTest) -> list[Operation]:
        """The ops of the body that compute the conditions of a test, in order."""
        needed = _needed(test.conditions)
        return [op for op in self.block.ops if not needed.isdisjoint(op.results)]

    def is_used_besides(self, argument: BlockArgument) -> bool:
        """Whether the query takes more of a column than whether it passes its tests."""
        cut = {each for test in self.tests if test.argument is argument for each in test.conditions}
        return argument in _needed(self._query.end.operands, cut)

    def _split(self, predicate: SSAValue | None) -> None:
        """Find the tests of what decides whether a row counts."""
        required = dict[BlockArgument, dict[SSAValue, None]]()
        optional = list[RowTest]()
        for condition in _joined(predicate, (arith.AndIOp,)):
            if (argument := self._only_column(condition)) is not None:
                required.setdefault(argument, {})[condition] = None
                continue
            for part in _joined(condition, _JOINING):
                if (argument := self._only_column(part)) is not None:
                    optional.append(RowTest(argument, (part,), is_required=False))
                elif self.columns_of.get(part, frozenset()) - {self._query.row}:
                    self.of_several.append(part)
        self.tests += (RowTest(each, (*own,), is_required=True) for each, own in required.items())
        self.tests += optional

    def _only_column(self, value: SSAValue) -> BlockArgument | None:
        columns = self.columns_of.get(value, frozenset())
        argument = next(iter(columns)) if len(columns) == 1 else None
        return None if argument is self._query.row else argument


def _columns_of(query: QueryOp) -> Mapping[SSAValue, frozenset[BlockArgument]]:
    block = query.body.block
    found = {each: frozenset({each}) for each in block.args}
    columns: dict[SSAValue, frozenset[BlockArgument]] = {**found}
    for op in block.ops:
        own = frozenset[BlockArgument]().union(*(columns.get(each, ()) for each in op.operands))
        columns |= dict.fromkeys(op.results, own)
    return columns


def _joined(value: SSAValue | None, by: tuple[type[Operation], ...]) -> Iterator[SSAValue]:
    """What is joined to a condition by some ops, in order; each once."""
    pending, seen = [] if value is None else [value], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, by):
            pending += reversed(value.owner.operands)
        else:
            yield value


def _needed(values: Collection[SSAValue], cut: Collection[SSAValue] = ()) -> set[SSAValue]:
    """What values are computed from, they themselves among them, without going through `cut`."""
    needed, pending = set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        if value in needed or value in cut:
            continue
        needed.add(value)
        if isinstance(value.owner, Operation):
            pending += value.owner.operands
    return needed


# Sets of what passes.


def _accepted(
    op: Operation, known: Mapping[SSAValue, ValueSet | None]
) -> dict[SSAValue, ValueSet | None]:
    """Of a condition, the elements of a column for which it holds."""
    if isinstance(op, arith.CmpiOp):
        return {op.result: _of_comparison(op)}
    if not isinstance(op, _JOINING) or op.result.type != i1:
        return {}
    left, right = known.get(op.lhs), known.get(op.rhs)
    if left is None or right is None or left.width != right.width:
        return {}
    if isinstance(op, arith.AndIOp):
        return {op.result: left & right}
    return {op.result: left | right if isinstance(op, arith.OrIOp) else left ^ right}


def _of_comparison(op: arith.CmpiOp) -> ValueSet | None:
    comparison = Comparison.of(op)
    predicate, value, number = comparison.predicate, op.lhs, integer_of(op.rhs)
    if number is None:
        predicate, value, number = comparison.mirrored, op.rhs, integer_of(op.lhs)
    if number is None or not isinstance(value.type, IntegerType):
        return None
    return _of_column(value, ValueSet.where(value.type.width.data, predicate, number))


def _of_column(value: SSAValue, passing: ValueSet) -> ValueSet | None:
    """The elements of a column for which a value that is computed from them is in a set."""
    for _ in range(LONGEST_CHAIN):
        op = value.owner
        if not isinstance(op, Operation):
            return passing
        if (before := preimage_under(op, passing)) is None:
            return None
        value, passing = before
    return None


def preimage_under(op: Operation, passing: ValueSet) -> tuple[SSAValue, ValueSet] | None:
    """The operand of an op, and for which of its values the result is in a set."""
    if isinstance(op, arith.ExtUIOp | arith.ExtSIOp):
        assert isinstance(op.input.type, IntegerType)
        return op.input, EXTENSIONS[type(op)](passing, op.input.type.width.data)
    rules = ONE_TO_ONE.get(type(op))
    if rules is None:
        return None
    for rule, value, other in zip(rules, op.operands, reversed(op.operands), strict=True):
        if (number := integer_of(other)) is not None:
            return value, rule(passing, number)
    return None


def _sign_extended(passing: ValueSet, width: int) -> ValueSet:
    half = 1 << width - 1
    return passing.shifted(half).truncated(width).shifted(half)


# From results back to operands, with a constant, which queries alone ask: rows go the other way.

Rule = Callable[[ValueSet, int], ValueSet]
EXTENSIONS: dict[type[Operation], Rule] = {
    arith.ExtUIOp: lambda passing, width: passing.truncated(width),
    arith.ExtSIOp: _sign_extended,
}
"""The numbers of so many bits whose extension is in a set."""
ONE_TO_ONE: dict[type[Operation], tuple[Rule, Rule]] = {
    arith.AddiOp: (
        lambda passing, c: passing.shifted(-c),
        lambda passing, c: passing.shifted(-c),
    ),
    arith.SubiOp: (
        lambda passing, c: passing.shifted(c),
        lambda passing, c: passing.negated().shifted(c),
    ),
}
"""The `x` for which `op x, c` is in a set, and those for which `op c, x` is."""
