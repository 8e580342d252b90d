"""Where in a file each op stands, kept as `mlir-opt` keeps it: as the location of the op."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr, UnknownLoc
from xdsl.ir import Operation
from xdsl.parser import Parser


def lines_of(text: str) -> list[str]:
    """The lines of a file as locations count them: only a newline ends one."""
    return text.split("\n")


class LocatingParser(Parser):
    """xDSL's parser, but ops without a location of their own get the place of their text."""

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, text, name)
        self._name = StringAttr(name)
        lengths = (len(line) + 1 for line in lines_of(text))
        self._starts = list(accumulate(lengths, initial=0))

    def parse_operation(self) -> Operation:
        position = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(position)
        return op

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._starts, position)
        column = position - self._starts[line - 1] + 1
        return FileLineColLoc(self._name, IntAttr(line), IntAttr(column))
