"""What xDSL's parser says is wrong, in words for people: what is expected there, and what is."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError

from vyre_dialect.messages import did_you_mean, in_lower_case

LONGEST_TOKEN = 40
"""Characters of what stands at a place that are shown."""
END = "the end of the text"
NOT_IN_BLOCK = "in block definition"
"""What the parser says where it is neither at an op nor at the end of a region."""
NOT_DEFINED = "values used but not defined"
"""What it says at the end of the text of values that it has met."""

_CLAUSE = re.compile(r"`([a-z_]+)`")
"""A keyword in the syntax of an op."""
_BAD_STRING = (
    "malformed text: expected '\"' at its end, in the same line, and after each '\\' two "
    "hexadecimal digits, or one of '\"', '\\', 'n', 't'"
)
_REWORDED = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (NOT_IN_BLOCK, "expected an op or '}}', got {got}"),
        (r"Could not parse entire input!", "expected an op, got {got}"),
        (r"attribute expected", "expected an attribute, got {got}: text stands in quotes"),
        (r"(?i)type expected|expected type", "expected a type, as i32 or !vyre.token, got {got}"),
        (r"Expected suffix identifier after .*", "expected a name behind {got}"),
        (r"Expected (?P<what>.+), got [A-Z_]+!", "expected {what}, got {got}"),
        (r"expect symbol name", "expected a symbol name, as '@name', got {got}"),
        (
            r"Invalid type given for integer or float attribute\.",
            "expected a type of numbers, as i32, behind a number: text stands in quotes",
        ),
        (r"End of file reached before closing string literal\.", _BAD_STRING),
        (
            r"operand is used with type (?P<used>.+), but has been previously used or defined "
            r"with type (?P<known>.+)",
            "{got} is used with type {used}, but has been used or defined with type {known} before",
        ),
        (r"(?P<what>(?:(?!expected).)+) expected", "expected {what}, got {got}"),
        (r"Expected (?P<what>(?:(?!\b(?:but|got)\b).)+?)\.?", "expected {what}, got {got}"),
    )
)


def told(error: ParseError, context: Context) -> str:
    """The message of an error in one line; `context` knows what may have been meant."""
    message = " ".join(error.msg.split())
    if unknown := re.fullmatch(r"Operation (\S+) is not registered", message):
        return _unknown_op(unknown[1], context)
    if unknown := re.fullmatch(r"'(\S+)' is not registered", message):
        return _unknown_attribute(unknown[1], context)
    if not (got := _at(error)) and message == "Could not parse entire input!":
        return "expected a program, got an empty text"
    for pattern, words in _REWORDED:
        if match := pattern.fullmatch(message):
            given = words.format(got=got or END, **match.groupdict())
            return given.replace("`", "'")
    return in_lower_case(message)


def reworded(message: str) -> str:
    """What xDSL's ops say of their own text, in the words of the others."""
    if unknown := re.fullmatch(r"Unknown comparison mnemonic: (\S+)", message):
        integers, floats = CMPI_COMPARISON_OPERATIONS, CMPF_COMPARISON_OPERATIONS
        return (
            f"unknown predicate '{unknown[1]}': integers have {', '.join(integers)}; "
            f"floats have {', '.join(floats)}"
        )
    if other := re.fullmatch(r"(.+) should be of base attribute (\S+)", message):
        return f"expected a '{other[2]}', got {other[1]}"
    return message


def clause_hint(type: type[Operation], word: str) -> str | None:
    """What may be meant by a word that is out of place in the text of an op of a type."""
    syntax = getattr(type, "assembly_format", None)
    clauses = list(dict.fromkeys(_CLAUSE.findall(syntax or "")))
    if word in clauses:
        return f"the clauses of '{type.name}' are in this order: {', '.join(clauses)}"
    return did_you_mean(word, clauses, "") or None


_INSTEAD = {
    "arith.index_castui": "'arith.extui' to a wider integer, then 'arith.index_cast'",
}
"""For ops of MLIR that xDSL does not have, where one of a like name does something else."""


def _unknown_op(name: str, context: Context) -> str:
    """An op that is not known, with the one that may have been meant."""
    dialect = context.get_optional_dialect(name.partition(".")[0])
    known = [] if dialect is None else [op.name for op in dialect.operations]
    hint = did_you_mean(name, known, "no dialect that is installed has it")
    return f"unknown operation '{name}': {_INSTEAD.get(name, hint)}"


def _unknown_attribute(name: str, context: Context) -> str:
    """A type or an attribute that is not known, with the one that may have been meant."""
    dialect = context.get_optional_dialect(name.partition(".")[0])
    known = [] if dialect is None else [each.name for each in dialect.attributes]
    hint = did_you_mean(name, known, "no dialect that is installed has it")
    return f"unknown type or attribute '{name}': {hint}"


def _at(error: ParseError) -> str:
    """What stands at the place of an error, in quotes; nothing at the end of the text."""
    shown = str(error.span.text)
    if len(shown) > LONGEST_TOKEN:
        shown = f"{shown[: LONGEST_TOKEN - 1]}…"
    return f"'{shown}'" if shown else ""
