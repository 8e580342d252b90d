"""What a module is like at one time, to find out whether a pass has changed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.listing import Listing
from vyre_dialect.ir.parts import attributes_of, properties_of, type_of

_Column: TypeAlias = list[Sequence[object]]
"""Ops, values and blocks, grouped as they belong to an op, a region or a block."""


class Snapshot:
    """
    A module at one time, equal to any that is structurally equal. Names of values and locations do
    not count.

    It refers to the parts of the module, of which most passes replace few: to compare two of one
    module is to compare the same objects, column by column. Linear, without recursion.
    """

    def __init__(self, module: ModuleOp):
        self.listings = [Listing.of(root) for root in module.body.block.ops]
        """What each op at the top of the module consists of."""
        self._module = module
        self._own = _said([module])
        self._said = [[*_said(each.ops), _types(each)] for each in self.listings]
        self._successors = [_successors(each) for each in self.listings]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        if self._own != other._own or self._said != other._said:
            return False
        return self._at_the_top() == other._at_the_top() or self._is_alike(other)

    def changed_since(self, before: Snapshot) -> list[Operation]:
        """
        The ops at the top of the module, now or before, that are not made of the very same parts,
        and the module itself, if it has other attributes: what was found out about their ops,
        values and blocks need not hold.
        """
        now, then = self._at_the_top(), before._at_the_top()
        return [root for root in now.keys() | then.keys() if now.get(root) != then.get(root)]

    def _at_the_top(self) -> Mapping[Operation, object]:
        """What each op at the top of the module consists of, and the module has itself."""
        rows = zip(self.listings, self._said, self._successors, strict=True)
        return {self._module: self._own} | {row[0].ops[0]: row for row in rows}

    def _is_alike(self, other: Snapshot) -> bool:
        """Whether it is equal but for which ops, values and blocks stand in the same places."""
        if self._names() != other._names():
            return False
        # Each part stands once where it is defined, so that no two have the same twin.
        twins = dict[int, object]()
        columns = zip(self._parts(), other._parts(), strict=True)
        return all(_are_twins(column, others, twins) for column, others in columns)

    def _names(self) -> list[str]:
        """Of all ops."""
        return [op.name for each in self.listings for op in each.ops]

    def _parts(self) -> list[_Column]:
        """All that the ops define and refer to."""
        return [*_parts(self.listings), [*chain.from_iterable(self._successors)]]


def _said(ops: Sequence[Operation]) -> list[object]:
    """The attributes and properties of ops."""
    return [*_items(map(attributes_of, ops)), *_items(map(properties_of, ops))]


def _items(dictionaries: Iterable[dict[str, Attribute]]) -> list[list[object]]:
    """How many entries dictionaries have, their keys, and their values."""
    listed = list(dictionaries)
    values = map(dict[str, Attribute].values, filter(None, listed))
    return [[*map(len, listed)], [*chain.from_iterable(listed)], [*chain.from_iterable(values)]]


def _types(listing: Listing) -> list[object]:
    """The types of all values that are defined, which a pass may change in place."""
    groups = chain(listing.arguments, listing.results)
    return list(map(type_of, chain.from_iterable(groups)))


def _parts(listings: Sequence[Listing]) -> list[_Column]:
    """All that the ops of listings define and refer to."""
    return [
        [each.parents for each in listings],
        [*chain.from_iterable(each.regions for each in listings)],
        [*chain.from_iterable(each.blocks for each in listings)],
        [*chain.from_iterable(each.arguments for each in listings)],
        [*chain.from_iterable(each.results for each in listings)],
        [*chain.from_iterable(each.operands for each in listings)],
    ]


def _successors(listing: Listing) -> _Column:
    """Of the last op of each block."""
    last_ops = (block.last_op for group in listing.blocks for block in group)
    return [() if op is None else tuple(op.successors) for op in last_ops]


def _are_twins(column: _Column, others: _Column, twins: dict[int, object]) -> bool:
    """Whether each part of a column is, wherever it stands, in the place of the same other."""
    if [*map(len, column)] != [*map(len, others)]:
        return False
    for part, other in zip(chain.from_iterable(column), chain.from_iterable(others), strict=True):
        if twins.setdefault(id(part), other) is not other:
            return False
        if isinstance(part, SSAValue) and isinstance(other, SSAValue) and part.type != other.type:
            return False
    return True
