"""
MLIR from text that nobody vouches for: programs, schedules, and whatever else is read.

Each op gets the place of its text as its location, as `mlir-opt` keeps it. Whatever the text is,
reading it takes time linear in its length, and what is wrong with it is told in one line.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation
from xdsl.parser import Parser, ParserState
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from vyre_dialect.messages import first_line
from vyre_dialect.verification import failing_op

MOST_DENSE_ELEMENTS = 1 << 22
"""Elements of a literal; the parser makes an object for each, also where all are one number."""


class ReadError(Exception):
    """What is wrong with a text, in one line that begins with the place of it."""


def read_module(text: str, context: Context, name: str) -> ModuleOp:
    """
    The verified module that `text` holds; `name` stands for it in messages and locations.

    Raises ReadError, whatever the text is.
    """
    try:
        parser = LocatingParser(context, text, name)  # which reads the first token
        module = _parsed(parser)
        _verify(module, name)
    except ParseError as error:
        message = " ".join(error.msg.split())
        raise ReadError(f"{error.span.get_location()}: {message}") from error
    except RecursionError as error:
        raise ReadError(f"{name}: {first_line(error)}") from error
    return module


def _parsed(parser: LocatingParser) -> ModuleOp:
    """What the parser reads. What xDSL's does not foresee is an error of the text, too."""
    try:
        return parser.parse_module()
    except (ParseError, RecursionError):
        raise
    except DiagnosticException as error:
        raise ReadError(f"{parser.place}: {first_line(error)}") from error
    except Exception as error:
        raise ReadError(f"{parser.place}: malformed: {first_line(error)}") from error


def _verify(module: ModuleOp, name: str) -> None:
    """Raise ReadError with the line of an op that does not verify."""
    try:
        module.verify()
    except RecursionError:
        raise
    except Exception as error:  # xDSL's verifiers raise more than VerifyException
        location = failing_op(module, error).location
        line = f":{location.line.data}" if isinstance(location, FileLineColLoc) else ""
        raise ReadError(f"{name}{line}: {first_line(error)}") from error


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


class LocatingParser(Parser):
    """
    xDSL's parser, but ops without a location of their own get the place of their text, and it
    withstands any text.
    """

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._parser_state = ParserState(LinearLexer(Input(text, name)))
        self._name = StringAttr(name)
        self._open = list[Position]()
        lengths = (len(line) + 1 for line in lines_of(text))
        self._starts = list(accumulate(lengths, initial=0))

    def _parse_dense_literal_type(self) -> RankedStructure[Any]:
        type = super()._parse_dense_literal_type()
        if (count := math.prod(type.get_shape())) > MOST_DENSE_ELEMENTS:
            self.raise_error(
                f"expected a literal of at most {MOST_DENSE_ELEMENTS} elements, got {count}"
            )
        return type

    def parse_operation(self) -> Operation:
        position = self._current_token.span.start
        self._open.append(position)
        op = super().parse_operation()
        self._open.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(position)
        return op

    @property
    def place(self) -> str:
        """The op that is being parsed, as `file:line:column`."""
        location = self._location(self._open[-1] if self._open else 0)
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._starts, position)
        column = position - self._starts[line - 1] + 1
        return FileLineColLoc(self._name, IntAttr(line), IntAttr(column))
