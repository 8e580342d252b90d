"""What items of select ask for: values of rows, aggregates, and what is computed of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vyre_dialect.columns.errors import PlacedError, QueryError
from vyre_dialect.columns.query.figures import Computed, Figure, computed_figure
from vyre_dialect.columns.query.measures import Aggregate, Function
from vyre_dialect.columns.query.parsing import Node, Text, kind_of, shown, unknown_part
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Case, Kind, Literal, Term
from vyre_dialect.columns.query.typed import RowValue, as_term, described, has_kind
from vyre_dialect.columns.query.typing import Typing

_FUNCTIONS = {
    "Sum": Function.SUM,
    "Count": Function.COUNT,
    "Min": Function.MIN,
    "Max": Function.MAX,
    "Avg": Function.AVG,
}
_OPERATORS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"}
_TO_FLOAT = Literal(1.0, None)
"""A factor by which an exact number becomes a float."""


@dataclass(frozen=True)
class Item:
    """A column of the answer: of groups, the key of that number, or a value of each row."""

    name: str
    shows: Aggregate | Computed | int | RowValue


def shown_by(node: Node, typing: Typing, text: Text) -> Aggregate | Computed | RowValue:
    """What an item asks for. Raises a QueryError for what makes no sense, by its place."""
    if _is_aggregate(node):
        return _aggregate(node, typing, text)
    if any(_function_of(each) is not None for each in node.walk()):
        return _Figures(typing, text).computed(node)
    if kind_of(node) == "Filter":
        raise text.error(node, "expected an aggregate in front of 'filter'")
    return RowValue.of(typing.value(node))


def _is_aggregate(node: Node) -> bool:
    return _function_of(node.this if kind_of(node) == "Filter" else node) is not None


def _function_of(node: Node) -> Function | None:
    if kind_of(node) == "Anonymous" and node.name.lower() == Function.FIRST_POSITION.value:
        return Function.FIRST_POSITION
    return _FUNCTIONS.get(kind_of(node))


@dataclass(frozen=True)
class _Figures:
    """Arithmetic of aggregates and constants."""

    typing: Typing
    text: Text

    def computed(self, node: Node) -> Computed:
        """What is computed. Raises a QueryError by the place of what is not."""
        if (part := unknown_part(node)) is not None:
            raise self.text.error(node, f"'{part}' is not known in '{shown(node)}'")
        try:
            return self._computed(node)
        except PlacedError:
            raise
        except QueryError as error:
            raise self.text.error(node, str(error)) from error

    def _computed(self, node: Node) -> Computed:
        kind = kind_of(node)
        if kind == "Paren":
            return self.computed(node.this)
        if kind == "Neg":
            return computed_figure("-", Literal.of(0), self._operand(node.this))
        if kind == "Cast" and node.args["to"].this.name in ("DOUBLE", "FLOAT"):
            return computed_figure("*", self._operand(node.this), _TO_FLOAT)
        if kind in _OPERATORS:
            left, right = self._operand(node.this), self._operand(node.expression)
            return computed_figure(_OPERATORS[kind], left, right)
        raise QueryError(
            f"'{shown(node)}' is nothing that is known of groups: aggregates, constants, + - * /, "
            "cast(… as double)"
        )

    def _operand(self, node: Node) -> Figure:
        inner = node.this if kind_of(node) == "Paren" else node
        found = shown_by(inner, self.typing, self.text)
        if not isinstance(found, RowValue):
            return found
        if not isinstance(found.term, Literal):
            raise self.text.error(
                node,
                f"'{shown(node)}' is of rows, beside what is of groups: aggregate it, as by 'min'",
            )
        return found.term


def _aggregate(node: Node, typing: Typing, text: Text) -> Aggregate:
    condition = None
    if kind_of(node) == "Filter":
        condition, node = typing.predicate(node.expression.this), node.this
    function = _function_of(node)
    assert function is not None
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
        return _distinct(function, arguments[0], condition, typing, text)
    if kind_of(arguments[0]) == "Star":
        return _of_rows(function, node, condition, text)
    return _of_values(function, node, condition, typing, text)


def _of_values(
    function: Function, node: Node, condition: Predicate | None, typing: Typing, text: Text
) -> Aggregate:
    typed = typing.value(node.this)
    if function is Function.COUNT:
        return Aggregate(function, _where(condition, as_term(typed)))
    term = typing.term(node.this)
    if isinstance(typed, Predicate):
        raise text.error(node, f"expected a number or date in '{function.value}', got a condition")
    if function in (Function.SUM, Function.AVG) and not _is_number(term):
        raise text.error(node, f"expected a number in '{function.value}', got {described(term)}")
    return Aggregate(function, _where(condition, term))


def _is_number(term: Term) -> bool:
    return term.exact is None or has_kind(term, Kind.NUMBER)


def _of_rows(function: Function, node: Node, condition: Predicate | None, text: Text) -> Aggregate:
    if function is not Function.COUNT:
        raise text.error(node, f"expected a number in '{function.value}', got '*'")
    if condition is None:
        return Aggregate(function, None)
    return Aggregate(function, _where(condition, Literal.of(1)))


def _distinct(
    function: Function, node: Node, condition: Predicate | None, typing: Typing, text: Text
) -> Aggregate:
    if function is not Function.COUNT:
        raise text.error(node, "'distinct' is known in 'count' alone")
    if len(node.expressions) != 1:
        raise text.error(node, "expected one value behind 'distinct'")
    value = RowValue.of(typing.value(node.expressions[0]))
    if value.term.exact is None:
        raise text.error(node, "cannot count distinct floats: count integers or decimals")
    return Aggregate(Function.COUNT_DISTINCT, _where(condition, value.term), value)


def _where(condition: Predicate | None, term: Term) -> Term:
    """The term of rows of which a condition holds, and null of others."""
    return term if condition is None else Case(((condition, term),), None, term.exact)
