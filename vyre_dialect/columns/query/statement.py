"""What is asked: the texts of a query, and what they say once columns are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import extra
from vyre_dialect.columns.query.figures import Computed, aggregates_of
from vyre_dialect.columns.query.items import Item, shown_by
from vyre_dialect.columns.query.measures import Aggregate
from vyre_dialect.columns.query.parsing import (
    Node,
    Text,
    kind_of,
    name_of,
    shown,
    unwrapped,
)
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Literal
from vyre_dialect.columns.query.typed import ColumnFacts, RowValue
from vyre_dialect.columns.query.typing import Typing

Columns: TypeAlias = Mapping[str, ColumnFacts]


@dataclass(frozen=True)
class Query:
    """What is asked of known columns."""

    predicate: Predicate | None
    keys: tuple[RowValue, ...]
    items: tuple[Item, ...]

    @property
    def aggregates(self) -> list[Aggregate]:
        """Those of the items, each once."""
        shown = (each.shows for each in self.items if isinstance(each.shows, Aggregate | Computed))
        return list(dict.fromkeys(each for one in shown for each in aggregates_of(one)))

    @property
    def distinct(self) -> list[RowValue]:
        """Whose values are told apart, so that they are counted."""
        found = (each.distinct for each in self.aggregates)
        return list(dict.fromkeys(each for each in found if each is not None))

    @property
    def shows_rows(self) -> bool:
        """Whether the answer has the rows themselves."""
        return any(isinstance(item.shows, RowValue) for item in self.items)


@dataclass(frozen=True)
class Statement:
    """The texts of a query."""

    select: str = "*"
    where: str | None = None
    group_by: str | None = None
    _parsed: dict[str, list[Node]] = field(default_factory=dict[str, list[Node]], compare=False)

    def column_names(self, known: Sequence[str]) -> list[str]:
        """The columns that it takes, of those that are known, each once, in their order."""
        nodes = [*self._items, *self._keys, *([] if self._condition is None else [self._condition])]
        if any(kind_of(node) == "Star" for node in nodes):
            return list(known)
        columns = {each.name for node in nodes for each in node.find_all(_column_class())}
        return [name for name in known if name in columns]

    def key_names(self) -> set[str]:
        """The columns that keys are computed of, and what is counted distinct."""
        counted = (each for node in self._items for each in node.find_all(_distinct_class()))
        keys = (*self._keys, *counted)
        return {each.name for node in keys for each in node.find_all(_column_class())}

    def predicate(self, columns: Columns) -> Predicate | None:
        """Which rows count, None for all. Raises a QueryError as `typed`."""
        condition = self._condition
        if condition is None:
            return None
        return Typing(columns, Text("where", self.where or "")).predicate(condition)

    def typed(self, columns: Columns) -> Query:
        """What it asks of columns. Raises a QueryError for what makes no sense of them."""
        predicate = self.predicate(columns)
        keys = self._typed_keys(columns)
        items = [
            item for node in self._items for item in self._typed_items(node, columns, list(keys))
        ]
        shown_keys = {item.shows for item in items}
        unseen = [Item(name, at) for at, name in enumerate(keys) if at not in shown_keys]
        query = Query(predicate, tuple(keys.values()), (*unseen, *items))
        self._check(query)
        return query

    @property
    def _condition(self) -> Node | None:
        if self.where is None:
            return None
        return self._nodes("where", lambda text: [text.expression()], self.where)[0]

    @property
    def _items(self) -> list[Node]:
        return self._nodes("select", Text.expressions, self.select)

    @property
    def _keys(self) -> list[Node]:
        if self.group_by is None:
            return []
        return self._nodes("group by", Text.expressions, self.group_by)

    def _nodes(self, what: str, parse: Callable[[Text], list[Node]], text: str) -> list[Node]:
        """What is parsed of a text, once."""
        if what not in self._parsed:
            self._parsed[what] = parse(Text(what, text))
        return self._parsed[what]

    def _typed_keys(self, columns: Columns) -> dict[str, RowValue]:
        text = Text("group by", self.group_by or "")
        typing, keys = Typing(columns, text), dict[str, RowValue]()
        for node in self._keys:
            value = RowValue.of(typing.value(unwrapped(node)))
            if value.term.exact is None:
                raise text.error(node, "cannot group by floats: group by integers or decimals")
            if isinstance(value.term, Literal):
                raise text.error(node, "cannot group by a constant: name a column")
            if (name := name_of(node)) in keys:
                raise text.error(node, f"two keys are called '{name}': name one with 'as'")
            keys[name] = value
        return keys

    def _typed_items(self, node: Node, columns: Columns, keys: list[str]) -> list[Item]:
        text = Text("select", self.select)
        if kind_of(node) == "Star":
            if node.args.get("except_") or node.args.get("replace"):
                raise text.error(node, "expected '*' alone: name the columns")
            if self.group_by is not None:
                raise text.error(node, "'*' is of rows: with 'group by', name keys and aggregates")
            typing = Typing(columns, text)
            return [Item(name, RowValue.of(typing.value(_column(name)))) for name in columns]
        inner = unwrapped(node)
        if shown(inner) in keys:
            return [Item(name_of(node), keys.index(shown(inner)))]
        if (name := name_of(inner)) in keys:
            return [Item(name_of(node), keys.index(name))]
        return [Item(name_of(node), shown_by(inner, Typing(columns, text), text))]

    def _check(self, query: Query) -> None:
        names = [item.name for item in query.items]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise QueryError(f"select: two columns are called '{twice}': name one with 'as'")
        beside = bool(query.aggregates or query.keys)
        rows = [item.name for item in query.items if isinstance(item.shows, RowValue)]
        if beside and rows:
            raise QueryError(
                f"select: '{rows[0]}' is of rows, beside what is of groups: group by it, or "
                "aggregate it, as by 'min'"
            )


def _column(name: str) -> Node:
    return extra("sqlglot").exp.column(name, quoted=True)


def _column_class() -> Any:
    return extra("sqlglot").exp.Column


def _distinct_class() -> Any:
    return extra("sqlglot").exp.Distinct
