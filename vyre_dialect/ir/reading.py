"""
MLIR from text that is not trusted: programs, schedules, and whatever else is read.

Each op gets the place of its text as its location, as `mlir-opt` keeps it. Whatever the text is,
reading it takes time linear in its length, and what is wrong with it is told in one line.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, AttributeInvT, Operation, ParametrizedAttribute, SSAValue
from xdsl.parser import Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from vyre_dialect.ir.parse_errors import END, NOT_DEFINED, NOT_IN_BLOCK, clause_hint, reworded, told
from vyre_dialect.ir.python_lines import said_by
from vyre_dialect.ir.value_names import value_name
from vyre_dialect.ir.verification import failing_op
from vyre_dialect.messages import did_you_mean, first_line

MOST_DENSE_ELEMENTS = 1 << 22
"""Elements of a literal; the parser makes an object for each, also where all are one number."""

ALIASED_NODES, ALIASED_NODES_PER_CHARACTER = 4096, 16
"""
Attributes that aliases of a text may stand for in all. An alias of aliases may stand for a number
exponential in its length, and to hash, compare or print an attribute takes as long.
"""

_OP_NAME = re.compile(r'(?:%[^=\n]*=\s*)?"?([\w.$]+)')
_BEGIN_OF_OP = re.compile(r'%[\w.$-]+(?::\d+)?(?:\s*,\s*%[\w.$-]+)*\s*=|"?[a-z_]\w*\.[\w.$]+|\}')
"""Where an op begins, or the region ends that it would stand in."""
_MISSING = re.compile(r"expected '([a-z_]+)', got")
_EXPECTED = re.compile(r"expected '\W+', (?=got)")
_VALUE_NAME = re.compile(r"%[\w.$-]+")
_WORD = re.compile(r"[a-z_]+")
_USED_AS = re.compile(r"operand is used with type (.+), but has been previously .* type (.+)")
_UNTYPED = re.compile(r"(arith\.constant -?[\w.]+)\s*(?://.*)?$")
LONGEST_LINE = 100
"""Characters of a line that are shown."""


class ReadError(Exception):
    """What is wrong with a text, in one line that begins with the place of it."""

    def __init__(
        self,
        where: str,
        message: str,
        excerpt: str | None = None,
        place: tuple[int, int] | None = None,
    ):
        super().__init__(f"{where}: {message}")
        self.message = message
        """What is wrong, without the place."""
        self.excerpt = excerpt
        """The line of the text, and below it a caret at the place, where that is known."""
        self.place = place
        """The line and column, from 1 on, where they are known."""


def read_module(text: str, context: Context, name: str) -> ModuleOp:
    """
    The verified module that `text` holds; `name` stands for it in messages and locations.

    Raises ReadError, whatever the text is.
    """
    return read_with(lambda: LocatingParser(context, text, name), context, text, name)


def read_with(
    make_parser: Callable[[], LocatingParser], context: Context, text: str, name: str
) -> ModuleOp:
    """The same by a parser that is made for it, which reads the first token."""
    try:
        module = _parsed(make_parser())
        _verify(module, text, name)
    except ParseError as error:
        message, where = told(error, context), error.span.get_location()
        shown, place = excerpt(text, where.line, where.col), (where.line, where.col)
        raise ReadError(str(where), message, shown, place) from error
    except RecursionError as error:
        raise ReadError(name, first_line(error)) from error
    return module


def _parsed(parser: LocatingParser) -> ModuleOp:
    """What the parser reads. What xDSL's does not foresee is an error of the text, too."""
    try:
        return parser.parse_module()
    except (ParseError, RecursionError):
        raise
    except DiagnosticException as error:
        raise parser.error(reworded(first_line(error))) from error
    except Exception as error:
        raise parser.error(f"malformed: {said_by(error)}") from error


def _verify(module: ModuleOp, text: str, name: str) -> None:
    """Raise ReadError with the line of an op that does not verify."""
    try:
        module.verify()
    except RecursionError:
        raise
    except Exception as error:  # xDSL's verifiers raise more than VerifyException
        location, message = failing_op(module, error).location, reworded(said_by(error))
        if not isinstance(location, FileLineColLoc):
            raise ReadError(name, message) from error
        line, column = location.line.data, location.column.data
        shown = excerpt(text, line, column)
        raise ReadError(f"{name}:{line}", message, shown, (line, column)) from error


def excerpt(text: str, line: int, column: int) -> str | None:
    """A line of a text, both counted from 1, with a caret below a column; None for no such line."""
    lines = lines_of(text)
    if not 0 < line <= len(lines):
        return None
    start = max(0, column - LONGEST_LINE // 2)
    shown = lines[line - 1][start : start + LONGEST_LINE]
    printable = "".join(char if char.isprintable() else " " for char in shown).rstrip()
    return f"    {printable}\n    {' ' * (column - 1 - start)}^"


def lines_of(text: str) -> list[str]:
    """The lines of a file as locations count them: only a newline ends one."""
    return text.split("\n")


class LinearLexer(MLIRLexer):
    """xDSL's lexer, in time linear in the text whatever that is, and for digits of ASCII only."""

    # Possessive, since no other way to match could be a string: xDSL's tries them all.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_number(self, start_pos: Position) -> MLIRToken:
        first = self.input.at(start_pos)
        if first is None or not first.isascii():
            span = Span(start_pos, start_pos + 1, self.input)
            raise ParseError(span, f"Unexpected character: {first}")
        return super()._lex_number(start_pos)


def _nodes(attribute: Attribute, known: Mapping[int, int]) -> int:
    """How many attributes one is made of, written out; `known` has those of aliases, by id."""
    total, pending = 0, [attribute]
    while pending:
        each = pending.pop()
        if (size := known.get(id(each))) is not None:
            total += size
            continue
        total += 1
        pending += _children(each)
    return total


def _children(attribute: Attribute) -> Iterable[Attribute]:
    match attribute:
        case ArrayAttr():
            return attribute.data
        case DictionaryAttr():
            return attribute.data.values()
        case ParametrizedAttribute():
            return attribute.parameters
        case _:
            return ()


class LocatingParser(Parser):
    """
    xDSL's parser, but ops without a location of their own get the place of their text, and it
    withstands any text.
    """

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._parser_state = ParserState(LinearLexer(Input(text, name)))
        self._name, self._text = StringAttr(name), text
        self._open = list[Position]()
        self._uses = dict[str, Span]()
        self._alias_nodes = dict[int, int]()
        """Attributes that an alias stands for, by its id."""
        self._left_of_aliases = ALIASED_NODES + ALIASED_NODES_PER_CHARACTER * len(text)
        lengths = (len(line) + 1 for line in lines_of(text))
        self._starts = list(accumulate(lengths, initial=0))

    def _parse_dense_literal_type(self) -> RankedStructure[Any]:
        type = super()._parse_dense_literal_type()
        if (count := math.prod(type.get_shape())) > MOST_DENSE_ELEMENTS:
            self.raise_error(
                f"expected a literal of at most {MOST_DENSE_ELEMENTS} elements, got {count}"
            )
        return type

    def _parse_alias_def(self) -> None:
        super()._parse_alias_def()
        value = next(reversed(self.attribute_aliases.values()))
        self._alias_nodes[id(value)] = _nodes(value, self._alias_nodes)

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        value = super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)
        self._left_of_aliases -= self._alias_nodes.get(id(value), 0)
        if self._left_of_aliases < 0:
            name = ("!" if is_type else "#") + attr_or_dialect_name
            self.raise_error(f"'{name}' and the aliases before it stand for too many attributes")
        return value

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        if value_name(name) is None:
            for value in values:
                value.name_hint = None

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as error:
            found = (
                self._unclosed(error)
                or self._undefined(error)
                or self._of_another_type(error)
                or self._misplaced(error)
                or self._unfinished(error)
            )
            if found is None:
                raise
            raise found from error

    def _unclosed(self, error: ParseError) -> ParseError | None:
        """What is wrong where the text ends inside an op."""
        if error.span.text or NOT_IN_BLOCK not in error.msg or not self._open:
            return None
        op, line = _OP_NAME.match(self._text, self._open[-1]), self._location(self._open[-1]).line
        opened = f"'{op[1]}' of line {line.data}" if op else f"what begins in line {line.data}"
        return ParseError(error.span, f"expected '}}', got {END}: {opened} is not closed")

    def _undefined(self, error: ParseError) -> ParseError | None:
        """What is wrong where all is read, and a value was not defined."""
        if NOT_DEFINED not in error.msg:
            return None
        name = next(iter(self.forward_ssa_references))
        others = set(_VALUE_NAME.findall(self._text)) - {f"%{name}"}
        hint = did_you_mean(f"%{name}", sorted(others), f"define it, as '%{name} = …', before")
        return ParseError(self._uses[name], f"'%{name}' is used but not defined: {hint}")

    def _of_another_type(self, error: ParseError) -> ParseError | None:
        """What is wrong where a value is used as one of another type: an i64 if none was stated."""
        used, values = _USED_AS.match(error.msg), self.ssa_values.get(error.span.text[1:])
        if used is None or not values:
            return None
        location = values[0].owner.location if isinstance(values[0].owner, Operation) else None
        if not isinstance(location, FileLineColLoc):
            return None
        line = lines_of(self._text)[location.line.data - 1]
        constant = _UNTYPED.search(line, location.column.data - 1)
        if constant is None:
            known = f"is of type {used[2]}, by line {location.line.data}"
            return ParseError(
                error.span, f"'{error.span.text}' is used with type {used[1]}, and {known}"
            )
        message = (
            f"'{error.span.text}' is used with type {used[1]}, and is an i64, as no type is stated "
            f"in line {location.line.data}: '{constant[1]} : {used[1]}'"
        )
        return ParseError(error.span, message)

    def _misplaced(self, error: ParseError) -> ParseError | None:
        """What is wrong where an op ends, or goes on, with what is or may be one of its clauses."""
        op = self._op_name(self._open[-1]) if self._open else None
        type = None if op is None else self.ctx.get_optional_op(op.text)
        message = told(error, self.ctx)
        missing = _MISSING.match(message)
        word = missing[1] if missing else error.span.text
        if type is None or not _WORD.fullmatch(word):
            return None
        hint = clause_hint(type, word)
        if hint is None or not (missing or message.startswith("expected ':'")):
            return None
        return ParseError(error.span, f"{message}: {hint}")

    def _unfinished(self, error: ParseError) -> ParseError | None:
        """What is wrong where an op lacks its end, and another begins in the next line."""
        start = error.span.start
        end = len(self._text[:start].rstrip())
        expected = _EXPECTED.match(told(error, self.ctx))
        if expected is None or "\n" not in self._text[end:start]:
            return None
        if not self._open or not _BEGIN_OF_OP.match(self._text, start):
            return None
        message = f"{expected[0]}got the end of the line"
        if expected[0].startswith("expected ':'"):
            message += ": types stand at the end of an op, behind ':'"
        return ParseError(Span(end, end, self.lexer.input), message)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            # xDSL points behind the name, at what may stand in another line.
            span = self._op_name(self._open[-1]) if self._open else None
            raise ParseError(span or error.span, error.msg) from error

    def _op_name(self, position: Position) -> Span | None:
        """Where the name of the op stands that begins at a position, if it is seen."""
        match = _OP_NAME.match(self._text, position)
        return None if match is None else Span(*match.span(1), self.lexer.input)

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        name = operand.operand_name
        if name not in self.ssa_values and name not in self.forward_ssa_references:
            self._uses[name] = operand.span
        return super().resolve_operand(operand, type)

    def parse_operation(self) -> Operation:
        position = self._current_token.span.start
        self._open.append(position)
        op = super().parse_operation()
        self._open.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(position)
        return op

    def error(self, message: str) -> ReadError:
        """What is wrong with the op that is being parsed."""
        location = self._location(self._open[-1] if self._open else 0)
        line, column = location.line.data, location.column.data
        shown = excerpt(self._text, line, column)
        where = f"{location.filename.data}:{line}:{column}"
        return ReadError(where, message, shown, (line, column))

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._starts, position)
        column = position - self._starts[line - 1] + 1
        return FileLineColLoc(self._name, IntAttr(line), IntAttr(column))
