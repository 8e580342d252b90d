"""What queries expand to: the rows of their columns, and their bodies for one row."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder import Buffer, Value, if_
from vyre_dialect.ops.query import QueryOp


def row_count(op: QueryOp) -> Value | int:
    """How many rows there are, computed on the host: those of the shortest column, or fewer."""
    columns = [Buffer(column) for column in dict.fromkeys(op.columns)]
    static = [count for each in columns if (count := each.type.static_count) is not None]
    counts = [each.length for each in columns if each.type.static_count is None]
    if op.rows is not None:
        counts.append(Value(op.rows).max(0))
    if not counts:
        return min(static)
    least = counts[0]
    for other in [*counts[1:], *([min(static)] if static else [])]:
        least = least.min(other).named("rows")
    return least


class RowBody:
    """The body of a query for one row, of which what is asked for is computed, once."""

    def __init__(self, op: QueryOp, row: Value):
        self._op, self._row = op, row
        self._known = dict[SSAValue, SSAValue]()
        if op.row is not None:
            self._known[op.row] = row.ssa

    def value(self, value: SSAValue) -> Value:
        """A value of the body, or one of the program, computed at the current place."""
        needed = self._needed(value)
        arguments = self._op.body.block.args
        for argument, column in zip(arguments, self._op.columns, strict=False):
            if argument in needed:
                loaded = Buffer(column)[self._row].ssa
                loaded.name_hint = argument.name_hint
                self._known[argument] = loaded
        for op in self._op.body.block.ops:
            if not needed.isdisjoint(op.results):
                op.clone(value_mapper=self._known)
        return Value(self._known.get(value, value))

    @property
    def predicate(self) -> Value | None:
        """Whether the row counts, computed at the current place; None where every row does."""
        predicate = self._op.end.predicate
        return None if predicate is None else self.value(predicate)

    def chosen(self) -> AbstractContextManager[object]:
        """A branch for a row that counts; none where every row does."""
        predicate = self.predicate
        return nullcontext() if predicate is None else if_(predicate)

    def _needed(self, value: SSAValue) -> set[SSAValue]:
        """The values of the body that `value` is computed from, itself among them."""
        needed, pending = set[SSAValue](), [value]
        while pending:
            value = pending.pop()
            if value in needed or value in self._known or not self._is_inside(value):
                continue
            needed.add(value)
            if isinstance(value.owner, Operation):
                pending += value.owner.operands
        return needed

    def _is_inside(self, value: SSAValue) -> bool:
        """Whether the body defines a value, other than the program around it."""
        block, owner = self._op.body.block, value.owner
        return owner is block or (isinstance(owner, Operation) and owner.parent is block)
