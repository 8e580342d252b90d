"""Where in a file each op stands, kept as `mlir-opt` keeps it: as the location of the op."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, RankedStructure, StringAttr, UnknownLoc
from xdsl.ir import Operation
from xdsl.parser import Parser, ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

MOST_DENSE_ELEMENTS = 1 << 22
"""Elements of a literal; the parser makes an object for each, also where all are one number."""


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
