"""
Expressions as sqlglot parses them, and errors that say where in them something is wrong.

Strings stand in single or in double quotes, names that are no identifiers in backticks, as BigQuery
has it: shells take single quotes for themselves. A quote in a string is doubled, as SQL has it, and
nothing else in it stands for anything but itself.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from vyre_dialect.columns.errors import PlacedError
from vyre_dialect.columns.extras import extra

Node: TypeAlias = Any
"""An expression of sqlglot's."""

_PREFIX = "SELECT "
"""What stands in front of a list of expressions, for sqlglot."""
_MOST_CHARACTERS = 1 << 14
_MOST_DEPTH = 100
"""Expressions inside one another, where a chain of `and` or of `or` is one."""
_CHAINS = {"And", "Or"}
_COMMENTS = ("--", "/*")
_PARENTHESES = re.compile(r"""[()]|'[^']*'|"[^"]*"|--|/\*""")
"""Or what a parenthesis may stand in."""
_CLOSED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|--.*|/\*.*?\*/|[^'"`/-]+|-|/(?!\*)""", re.DOTALL)
"""What begins and ends, or needs no end."""

_GOES_ON = re.compile(r"\W+|and|or|not|in|is|as|like|ilike|between|escape", re.IGNORECASE)
"""What something has to follow."""
_MEANT = {"&&": "and", "||": "or", "==": "=", "!": "not"}
"""Words of other languages."""


class Text:
    """The text of an argument, and what it stands for."""

    def __init__(self, argument: str, text: str):
        self._argument, self._text = argument, text

    def expressions(self) -> list[Node]:
        """The expressions of a list. Raises a QueryError for a text that has none."""
        if len(self._text) > _MOST_CHARACTERS:
            raise self._error(f"expected at most {_MOST_CHARACTERS} characters")
        if any("\ud800" <= each <= "\udfff" for each in self._text):
            raise self._error("expected text of UTF-8, got other bytes")
        if not self._text.strip():
            raise self._error("expected an expression, got nothing")
        self._check_parentheses()
        parsed = self._parsed()
        given = {key for key, value in parsed.args.items() if value} - {"expressions"}
        if type(parsed).__name__ != "Select" or given:
            raise self._error(
                f"expected expressions alone, got '{self._text}': what else a query says has "
                "arguments of its own"
            )
        self._check_depth(parsed)
        if not parsed.expressions:
            raise self._error(f"expected expressions, got '{self._text}'")
        return parsed.expressions

    def expression(self) -> Node:
        """The one expression. Raises a QueryError for a text that is none."""
        first, *others = self.expressions()
        if others:
            raise self.error(others[0], "expected one expression, got several: join them by 'and'")
        if kind_of(first) == "Alias":
            raise self.error(first, f"did not expect the name '{first.alias}' behind it")
        return first

    def _parsed(self) -> Node:
        sqlglot, errors = extra("sqlglot"), extra("sqlglot.errors")
        log = logging.getLogger("sqlglot")
        log.addFilter(_nothing)  # it says there what else it takes a text for
        try:
            return sqlglot.parse_one(_PREFIX + self._text, read=_dialect())
        except errors.ParseError as error:
            raise self._parse_error(error) from error
        except errors.TokenError as error:
            raise self._error(self._without_end()) from error
        except RecursionError as error:
            raise self._error("expressions are nested too deeply") from error
        finally:
            log.removeFilter(_nothing)

    def _without_end(self) -> str:
        """What is wrong with a text of which a quote or comment does not end."""
        end = 0
        while (found := _CLOSED.match(self._text, end)) is not None:
            end = found.end()
        if end == len(self._text):
            return "expected words of SQL, got other characters"
        begun = self._text[end : end + 2] if self._text[end] == "/" else self._text[end]
        return f"character {end + 1}: there is no end for this {begun}"

    def _check_parentheses(self) -> None:
        """Raise a QueryError for one without the other, where nothing is quoted in other ways."""
        opened = list[int]()
        for found in _PARENTHESES.finditer(self._text):
            if found[0] == "(":
                opened.append(found.start())
            elif found[0] == ")" and not opened:
                raise self._error(f"character {found.start() + 1}: there is no '(' for this ')'")
            elif found[0] == ")":
                opened.pop()
            elif found[0] in _COMMENTS:
                return
        if opened:
            raise self._error(f"character {opened[-1] + 1}: there is no ')' for this '('")

    def _check_depth(self, root: Node) -> None:
        pending: list[tuple[Node, int]] = [(root, 0)]
        while pending:
            node, depth = pending.pop()
            if depth > _MOST_DEPTH:
                raise self.error(node, f"expressions are nested more than {_MOST_DEPTH} deep")
            kind = kind_of(node)
            for each in node.iter_expressions():
                goes_on = kind in _CHAINS and kind_of(each) == kind
                pending.append((each, depth if goes_on else depth + 1))

    def _parse_error(self, error: Any) -> PlacedError:
        first: dict[str, Any] = error.errors[0] if error.errors else {}
        highlight = first.get("highlight")
        end = first.get("col", 0) - len(_PREFIX)
        if not highlight or first.get("line") != 1:
            return self._error(f"expected expressions of SQL, got '{self._text}'")
        column = end - len(highlight) + 1
        place = f"character {column}"
        if _GOES_ON.fullmatch(highlight) and not self._text[column - 1 + len(highlight) :].strip():
            return self._error(f"{place}: expected something behind '{highlight}', got nothing")
        hint = f": write '{_MEANT[highlight]}'" if highlight in _MEANT else ""
        return self._error(f"{place}: did not expect '{highlight}' here{hint}")

    def error(self, node: Node, message: str) -> PlacedError:
        """An error about a part of the text."""
        starts = [each.meta["start"] for each in node.walk() if "start" in each.meta]
        if not starts:
            return self._error(message)
        return self._error(f"character {min(starts) - len(_PREFIX) + 1}: {message}")

    def _error(self, message: str) -> PlacedError:
        return PlacedError(f"{self._argument}: {message}")


@cache
def _dialect() -> Any:
    """BigQuery's words, with strings as other systems have them."""
    bigquery = extra("sqlglot.dialects.bigquery").BigQuery

    class Dialect(bigquery):
        UNESCAPED_SEQUENCES: Mapping[str, str] = {}

        class Tokenizer(bigquery.Tokenizer):
            QUOTES = ("'", '"')
            STRING_ESCAPES = ("'", '"')

    return Dialect


_BINARY = frozenset({"this", "expression"})
_ARGUMENTS: Mapping[str, frozenset[str]] = {
    "Between": frozenset({"this", "low", "high"}),
    "Case": frozenset({"this", "ifs", "default"}),
    "Cast": frozenset({"this", "to"}),
    "Count": frozenset({"this", "expressions", "big_int"}),
    "Div": _BINARY | {"typed", "safe"},
    "Filter": _BINARY,
    "If": frozenset({"this", "true", "false"}),
    "ILike": _BINARY | {"negate"},
    "In": frozenset({"this", "expressions"}),
    "Interval": frozenset({"this", "unit"}),
    "Like": _BINARY | {"negate"},
    "Literal": frozenset({"this", "is_string"}),
    "Anonymous": frozenset({"this", "expressions"}),
    "Max": frozenset({"this", "expressions"}),
    "Min": frozenset({"this", "expressions"}),
}
"""What expressions are known to say, where it is more than one thing about one or two others."""


def unknown_part(node: Node) -> str | None:
    """What an expression says besides that changes its meaning, as a Between that is symmetric."""
    known = _ARGUMENTS.get(kind_of(node), _BINARY)
    return next((name for name, value in node.args.items() if value and name not in known), None)


def shown(node: Node) -> str:
    """An expression as people write it."""
    return node.sql(dialect=_dialect(), normalize_functions="lower")


def name_of(node: Node) -> str:
    """What an expression is called in the answer: by the name behind `as`, or as it is written."""
    return node.alias or (node.name if type(node).__name__ == "Column" else shown(node))


def kind_of(node: Node) -> str:
    """What sort of expression it is: the name of sqlglot's class."""
    return type(node).__name__


def unwrapped(node: Node, kinds: Sequence[str] = ("Paren", "Alias")) -> Node:
    """An expression without the parentheses and the alias around it."""
    while kind_of(node) in kinds:
        node = node.this
    return node


def _nothing(record: logging.LogRecord) -> bool:
    """Which records of a log are kept."""
    del record
    return False
