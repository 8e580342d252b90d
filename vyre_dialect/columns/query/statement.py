"""What is asked: the texts of a query, and what they say once columns are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import extra
from vyre_dialect.columns.query.measures import Aggregate, Function
from vyre_dialect.columns.query.parsing import (
    Node,
    Text,
    kind_of,
    name_of,
    shown,
    unknown_part,
    unwrapped,
)
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Case, Kind, Literal, Term
from vyre_dialect.columns.query.typed import (
    ColumnFacts,
    TextColumn,
    as_term,
    described,
    has_kind,
)
from vyre_dialect.columns.query.typing import Typing

Columns: TypeAlias = Mapping[str, ColumnFacts]

_FUNCTIONS = {
    "Sum": Function.SUM,
    "Count": Function.COUNT,
    "Min": Function.MIN,
    "Max": Function.MAX,
    "Avg": Function.AVG,
}


@dataclass(frozen=True)
class RowValue:
    """What a row is grouped by, or what is shown of it."""

    term: Term
    text: TextColumn | None
    """Of which column it has the strings, if it has."""

    @classmethod
    def of(cls, typed: Term | Predicate | TextColumn) -> RowValue:
        """An expression of a row."""
        return cls(as_term(typed), typed if isinstance(typed, TextColumn) else None)


@dataclass(frozen=True)
class Item:
    """A column of the answer: an aggregate, the key of that number, or a value of each row."""

    name: str
    shows: Aggregate | int | RowValue


@dataclass(frozen=True)
class Query:
    """What is asked of known columns."""

    predicate: Predicate | None
    keys: tuple[RowValue, ...]
    items: tuple[Item, ...]

    @property
    def aggregates(self) -> list[Aggregate]:
        """Those of the items, each once."""
        found = (item.shows for item in self.items)
        return list(dict.fromkeys(each for each in found if isinstance(each, Aggregate)))

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
        """The columns that keys are computed of."""
        return {each.name for node in self._keys for each in node.find_all(_column_class())}

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
        return [Item(name_of(node), _shown_by(inner, Typing(columns, text), text))]

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


def _shown_by(node: Node, typing: Typing, text: Text) -> Aggregate | RowValue:
    """What an item of select asks for."""
    condition = None
    if kind_of(node) == "Filter":
        condition = typing.predicate(node.expression.this)
        node = node.this
    function = _FUNCTIONS.get(kind_of(node))
    if kind_of(node) == "Anonymous" and node.name.lower() == Function.FIRST_POSITION.value:
        function = Function.FIRST_POSITION
    if function is not None:
        return _aggregate(function, node, condition, typing, text)
    if condition is not None:
        raise text.error(node, "expected an aggregate in front of 'filter'")
    return RowValue.of(typing.value(node))


def _aggregate(
    function: Function, node: Node, condition: Predicate | None, typing: Typing, text: Text
) -> Aggregate:
    if (part := unknown_part(node)) is not None:
        raise text.error(node, f"'{part}' is not known in '{shown(node)}'")
    arguments: list[Any] = [node.this, *node.expressions]
    arguments = [each for each in arguments if each is not None and not isinstance(each, str)]
    if function is Function.FIRST_POSITION:
        if arguments or condition is not None:
            raise text.error(node, "expected 'first_position()' without arguments and filter")
        return Aggregate(function, None)
    if len(arguments) != 1:
        raise text.error(node, f"expected one argument of '{function.value}'")
    if kind_of(arguments[0]) == "Distinct":
        raise text.error(node, "'distinct' is not known: group by the column and count the rows")
    if kind_of(arguments[0]) == "Star":
        return _of_rows(function, node, condition, text)
    typed = typing.value(arguments[0])
    if function is Function.COUNT:
        return Aggregate(function, _where(condition, as_term(typed)))
    term = typing.term(arguments[0])
    if isinstance(typed, Predicate):
        raise text.error(node, f"expected a number or date in '{function.value}', got a condition")
    if function in (Function.SUM, Function.AVG) and _is_date(term):
        raise text.error(node, f"expected a number in '{function.value}', got {described(term)}")
    return Aggregate(function, _where(condition, term))


def _of_rows(function: Function, node: Node, condition: Predicate | None, text: Text) -> Aggregate:
    if function is not Function.COUNT:
        raise text.error(node, f"expected a number in '{function.value}', got '*'")
    if condition is None:
        return Aggregate(function, None)
    return Aggregate(function, _where(condition, Literal.of(1)))


def _where(condition: Predicate | None, term: Term) -> Term:
    """The term of rows of which a condition holds, and null of others."""
    return term if condition is None else Case(((condition, term),), None, term.exact)


def _is_date(term: Term) -> bool:
    return has_kind(term, Kind.DATE)


def _column(name: str) -> Node:
    return extra("sqlglot").exp.column(name, quoted=True)


def _column_class() -> Any:
    return extra("sqlglot").exp.Column
