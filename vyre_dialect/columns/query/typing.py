"""Types of expressions: from what sqlglot parses to terms and predicates over known columns."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation

from vyre_dialect.columns.errors import PlacedError, QueryError
from vyre_dialect.columns.query import strings
from vyre_dialect.columns.query.branching import case_of, truth_of
from vyre_dialect.columns.query.comparing import bounded, comparison
from vyre_dialect.columns.query.dates import shifted
from vyre_dialect.columns.query.exact import arithmetic
from vyre_dialect.columns.query.parsing import Node, Text, kind_of, shown, unknown_part
from vyre_dialect.columns.query.predicates import Always, IsNull, conjunction, disjunction, negated
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Arithmetic, Kind, Literal, Term
from vyre_dialect.columns.query.typed import (
    ColumnFacts,
    Null,
    TextColumn,
    TextLiteral,
    Typed,
    as_term,
    column_of,
    date_of,
    described,
    floating,
    has_kind,
    literal_date,
    timestamp_of,
)
from vyre_dialect.messages import did_you_mean

_MOST_DIGITS = 100
"""Of numbers that are written out."""


class Typing:
    """Gives expressions of one text their types."""

    def __init__(self, columns: Mapping[str, ColumnFacts], text: Text):
        self._columns, self._text = columns, text
        self._methods: Mapping[str, Callable[[Node], Typed]] = {
            "Column": self._column,
            "Literal": self._literal,
            "Boolean": self._boolean,
            "Null": self._null,
            "Paren": self._paren,
            "Cast": self._cast,
            "Neg": self._negative,
            "Add": self._sum,
            "Sub": self._sum,
            "Mul": self._product,
            "Div": self._quotient,
            "And": self._and,
            "Or": self._or,
            "Not": self._not,
            "EQ": self._comparison,
            "NEQ": self._comparison,
            "LT": self._comparison,
            "LTE": self._comparison,
            "GT": self._comparison,
            "GTE": self._comparison,
            "Between": self._between,
            "In": self._in,
            "Is": self._is_null,
            "Like": self._like,
            "ILike": self._like,
            "Escape": self._like,
            "Case": self._case,
            "If": self._if,
        }

    def predicate(self, node: Node) -> Predicate:
        """A test. Raises a QueryError for what is none, by its place."""
        typed = self.typed(node)
        if isinstance(typed, Null):
            return Always(None)
        if not isinstance(typed, Predicate):
            raise self._text.error(node, f"expected a condition, got {described(typed)}")
        return typed

    def term(self, node: Node) -> Term:
        """A number, a date or a boolean. Raises a QueryError for what is none, by its place."""
        typed = self.typed(node)
        if isinstance(typed, Predicate):
            return as_term(typed)
        if not isinstance(typed, Term):
            raise self._text.error(node, f"expected a number or date, got {described(typed)}")
        return typed

    def value(self, node: Node) -> Term | Predicate | TextColumn:
        """A value of a row. Raises a QueryError for a string that is written out, or null."""
        typed = self.typed(node)
        if isinstance(typed, TextLiteral | Null):
            raise self._text.error(
                node, f"expected a column or what is computed, got {described(typed)}"
            )
        return typed

    def typed(self, node: Node) -> Typed:
        """Any expression of a row. Raises a QueryError for what has no type, by its place."""
        method = self._methods.get(kind_of(node))
        if method is None:
            raise self._text.error(
                node,
                f"'{shown(node)}' is nothing that is known of rows: {_KNOWN}; aggregates, as "
                "select has them, are count, sum, avg, min, max and first_position",
            )
        if (part := unknown_part(node)) is not None:
            raise self._text.error(node, f"'{part}' is not known in '{shown(node)}'")
        with self._placed(node):
            return method(node)

    @contextmanager
    def _placed(self, node: Node) -> Generator[None]:
        """Errors of what is done for a part of the text say where that is."""
        try:
            yield
        except PlacedError:
            raise
        except QueryError as error:
            raise self._text.error(node, str(error)) from error

    # Names and constants.

    def _column(self, node: Node) -> Typed:
        name: str = node.name
        if (column := self._columns.get(name)) is None:
            known = ", ".join(map(str, self._columns))
            hint = did_you_mean(name, self._columns, f"there are {known}")
            raise QueryError(f"unknown column '{name}': {hint} (text stands in quotes)")
        return column_of(column)

    def _literal(self, node: Node) -> Typed:
        if node.is_string:
            return TextLiteral(node.this)
        try:
            number = Decimal(node.this)
        except InvalidOperation:
            raise QueryError(f"expected a number, got '{node.this}'") from None
        _, digits, exponent = number.as_tuple()
        if not isinstance(exponent, int) or len(digits) + abs(exponent) > _MOST_DIGITS:
            raise QueryError(f"expected a number of up to {_MOST_DIGITS} digits")
        whole = int("".join(map(str, digits))) * 10 ** max(0, exponent)
        return Literal.of(whole, max(0, -exponent))

    def _boolean(self, node: Node) -> Typed:
        return Always(bool(node.this))

    def _null(self, node: Node) -> Typed:
        return Null()

    def _paren(self, node: Node) -> Typed:
        return self.typed(node.this)

    def _cast(self, node: Node) -> Typed:
        typed, target = self.typed(node.this), node.args["to"].this.name
        if target == "DATE" and isinstance(typed, TextLiteral):
            return date_of(typed)
        if target.startswith("TIMESTAMP") and isinstance(typed, TextLiteral):
            return timestamp_of(typed)
        if target in ("DOUBLE", "FLOAT") and isinstance(typed, Term):
            return floating(typed)
        if target == "DATE" and isinstance(typed, Term) and has_kind(typed, Kind.DATE):
            return typed
        raise QueryError(
            f"cannot cast {described(typed)} to {target.lower()}: numbers are cast to double, "
            "strings to date or timestamp"
        )

    # Arithmetic.

    def _negative(self, node: Node) -> Typed:
        return computed("-", Literal.of(0), self.term(node.this))

    def _sum(self, node: Node) -> Typed:
        operator = "+" if kind_of(node) == "Add" else "-"
        if kind_of(node.expression) == "Interval":
            return self._shifted(node, 1 if operator == "+" else -1)
        return computed(operator, self.term(node.this), self.term(node.expression))

    def _product(self, node: Node) -> Typed:
        return computed("*", self.term(node.this), self.term(node.expression))

    def _quotient(self, node: Node) -> Typed:
        left, right = self.term(node.this), self.term(node.expression)
        if left.exact is not None and right.exact is not None:
            raise QueryError(
                "exact numbers are not divided exactly: cast one of them, as in "
                f"cast({shown(node.this)} as double)"
            )
        return Arithmetic("/", floating(left), floating(right), None)

    def _shifted(self, node: Node, sign: int) -> Typed:
        """A date, and an interval behind `+` or `-`."""
        interval, typed = node.expression, self.typed(node.this)
        typed = date_of(typed) if isinstance(typed, TextLiteral) else typed
        unit = interval.args["unit"].name.upper() if interval.args.get("unit") else ""
        count: str = interval.this.name if interval.this is not None else ""
        if not (isinstance(typed, Term) and has_kind(typed, Kind.DATE)):
            raise QueryError(f"expected a date in front of an interval, got {described(typed)}")
        if unit == "DAY" and count.isdecimal() and len(count) < _MOST_DIGITS:
            return computed("+", typed, Literal.of(sign * int(count)))
        if not isinstance(typed, Literal) or not count.isdecimal() or len(count) > 5:
            raise QueryError("expected an interval of days or, behind a date written out, months")
        return literal_date(shifted(int(typed.number), sign * int(count), unit))

    # Conditions.

    def _and(self, node: Node) -> Typed:
        return conjunction([self.predicate(each) for each in node.flatten()])

    def _or(self, node: Node) -> Typed:
        return disjunction([self.predicate(each) for each in node.flatten()])

    def _not(self, node: Node) -> Typed:
        return negated(self.predicate(node.this))

    def _comparison(self, node: Node) -> Typed:
        operator = _OPERATORS[kind_of(node)]
        return comparison(operator, self.typed(node.this), self.typed(node.expression))

    def _between(self, node: Node) -> Typed:
        value = self.typed(node.this)
        low, high = self.typed(node.args["low"]), self.typed(node.args["high"])
        return conjunction([comparison(">=", value, low), comparison("<=", value, high)])

    def _in(self, node: Node) -> Typed:
        if not node.expressions:
            raise QueryError("expected a list of values behind 'in'")
        value = self.typed(node.this)
        options = [self.typed(each) for each in node.expressions]
        if isinstance(value, TextColumn) and all(isinstance(o, TextLiteral) for o in options):
            texts = {each.text for each in options if isinstance(each, TextLiteral)}
            return bounded(value, texts.__contains__, min(texts), max(texts))
        return disjunction(
            [self._equal(value, *each) for each in zip(options, node.expressions, strict=True)]
        )

    def _equal(self, value: Typed, option: Typed, node: Node) -> Predicate:
        with self._placed(node):
            return comparison("=", value, option)

    def _is_null(self, node: Node) -> Typed:
        typed, what = self.typed(node.this), self.typed(node.expression)
        if isinstance(what, Always) and isinstance(typed, Predicate):
            return truth_of(typed, what.says)
        if not isinstance(what, Null):
            raise QueryError(f"expected 'null' behind 'is', got '{shown(node.expression)}'")
        if isinstance(typed, Null | TextLiteral):
            return Always(isinstance(typed, Null))
        return IsNull(as_term(typed))

    def _like(self, node: Node) -> Typed:
        escape = None
        if kind_of(node) == "Escape":
            escape, node = node.expression.name, node.this
        value, pattern = self.typed(node.this), self.typed(node.expression)
        if not isinstance(value, TextColumn) or not isinstance(pattern, TextLiteral):
            raise QueryError(f"expected a column of strings and a pattern, got '{shown(node)}'")
        if escape is not None and len(escape) != 1:
            raise QueryError(f"expected one character that escapes, got '{escape}'")
        any_case = kind_of(node) == "ILike"
        try:
            marked = value.marked(strings.like(pattern.text, escape, any_case=any_case))
        except ValueError as error:
            raise QueryError(str(error)) from error
        return negated(marked) if node.args.get("negate") else marked

    def _case(self, node: Node) -> Typed:
        subject = None if node.this is None else self.typed(node.this)
        branches = list[tuple[Predicate, Typed]]()
        for branch in node.args["ifs"]:
            if subject is None:
                condition = self.predicate(branch.this)
            else:
                condition = comparison("=", subject, self.typed(branch.this))
            branches.append((condition, self.typed(branch.args["true"])))
        last = node.args.get("default")
        return case_of(branches, Null() if last is None else self.typed(last))

    def _if(self, node: Node) -> Typed:
        last = node.args.get("false")
        branch = (self.predicate(node.this), self.typed(node.args["true"]))
        return case_of([branch], Null() if last is None else self.typed(last))


_OPERATORS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_KNOWN = (
    "columns, constants, + - * /, comparisons, between, in, like, is null, and, or, not, "
    "case when, cast"
)


def computed(operator: str, left: Term, right: Term) -> Term:
    """Arithmetic of two numbers, of floats where one is a float."""
    for each in (left, right):
        if has_kind(each, Kind.BOOLEAN):
            raise QueryError("cannot compute with a condition: use case when … then 1 else 0 end")
    if left.exact is None or right.exact is None:
        return Arithmetic(operator, floating(left), floating(right), None)
    return arithmetic(operator, left, right)
