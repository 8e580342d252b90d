"""A text of MLIR as an editor sees it: what is wrong with it, and where its names are defined."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from xdsl.context import Context
from xdsl.ir import SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.universe import Universe
from xdsl.utils.lexer import Span

from vyre_dialect.ir.reading import LocatingParser, ReadError, lines_of, read_with

CASES_END = "// -----"
"""What stands between the cases of a test, each a module of its own."""
_ABOUT = re.compile(r"%[\w$.-]+|(?<=unknown operation ')[\w.]+")
"""What a parser's error may be about: values, and ops that are unknown."""
_SYMBOL = re.compile(r"@([A-Za-z_.$][\w.$]*)")
# From the beginning of a word alone, so that the time is linear.
_SYMBOL_OF_AN_OP = re.compile(
    r'(?<![\w.])([a-z_]\w*(?:\.\w+)+)"?\s+(?:\w+\s+)?@([A-Za-z_.$][\w.$]*)'
)


@dataclass(frozen=True)
class Problem:
    """An error, and where it is: line and column from 1 on."""

    message: str
    line: int
    column: int


@dataclass(frozen=True)
class Name:
    """A name of a value in the text: characters `[start, end)`, and where it is defined."""

    start: int
    end: int
    definition: tuple[int, int] | None
    type: str | None


def context_of_everything() -> Context:
    """A context with every dialect that is installed, each loaded when it is used."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context


class _IndexingParser(LocatingParser):
    """Keeps where values are defined and used."""

    def __init__(self, context: Context, text: str, name: str):
        self.defined = dict[SSAValue, Span]()
        self.used = list[tuple[Span, SSAValue | None, str]]()
        super().__init__(context, text, name)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        self.defined.update((value, span) for value in values)
        super()._register_ssa_definition(name, values, span)

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        operand = super().parse_optional_unresolved_operand()
        if operand is not None:
            values = self.ssa_values.get(operand.operand_name, ())
            value = values[operand.index] if operand.index < len(values) else None
            self.used.append((operand.span, value, operand.operand_name))
        return operand

    def names(self, begin: int) -> Iterator[Name]:
        """All names of values that have been read, in a text that stands at `begin` in another."""
        by_name = {span.text: (value, span) for value, span in self.defined.items()}
        for value, span in self.defined.items():
            place = _moved(span, begin)
            yield Name(*place, place, str(value.type))
        for span, value, name in self.used:
            known, defined = value, None if value is None else self.defined.get(value)
            if defined is None:  # read before its definition
                known, defined = by_name.get(f"%{name}", (None, None))
            definition = None if defined is None else _moved(defined, begin)
            type = None if known is None else str(known.type)
            yield Name(*_moved(span, begin), definition, type)


def _moved(span: Span, by: int) -> tuple[int, int]:
    return span.start + by, span.end + by


@dataclass
class Document:
    """A text of one module, or of several cases, read as far as it can be."""

    text: str
    problems: list[Problem] = field(default_factory=list[Problem])
    names: list[Name] = field(default_factory=list[Name])

    def __post_init__(self) -> None:
        context = context_of_everything()
        for begin, case in _cases(self.text):
            self._read(case, begin, context)

    def _read(self, case: str, begin: int, context: Context) -> None:
        parsers = list[_IndexingParser]()

        def make() -> _IndexingParser:
            parsers.append(_IndexingParser(context, case, "text"))
            return parsers[0]

        try:
            read_with(make, context, case, "text")
        except ReadError as error:
            self.problems.append(self._problem(error, begin))
        self.names += (name for parser in parsers for name in parser.names(begin))

    def _problem(self, error: ReadError, begin: int) -> Problem:
        """
        An error of the case at `begin`, at the name that it is about: the parser notices undefined
        values at the end of their region, and unknown ops one token further on.
        """
        place = noticed = self._place_in_case(error.place or (1, 1), begin)
        for about in _ABOUT.findall(error.message):
            name = re.compile(rf"{re.escape(about)}\b")
            end = noticed + len(about) + 1
            if before := [each.start() for each in name.finditer(self.text, begin, end)]:
                place = before[-1] if "." in about else before[0]
                break
        line, column = self.place(place)
        return Problem(error.message, line + 1, column + 1)

    def _place_in_case(self, place: tuple[int, int], begin: int) -> int:
        """Where a line and column, from 1 on, of the case at `begin` are in the text."""
        line, column = place
        if line == 1:
            return begin + column - 1
        return self.offset(self.place(begin)[0] + line - 1, column - 1)

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in lines_of(self.text)), initial=0))

    def offset(self, line: int, column: int) -> int:
        """The place of a line and column, both from 0 on."""
        return self._starts[min(line, len(self._starts) - 1)] + column

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of a place, both from 0 on."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def name_at(self, offset: int) -> Name | None:
        """The name of a value at a place."""
        return next((each for each in self.names if each.start <= offset <= each.end), None)

    def word_at(self, offset: int, letters: str = r"[\w.$-]") -> tuple[int, int]:
        """The beginning and end of the word around a place."""
        start = end = offset
        while start and re.match(letters, self.text[start - 1]):
            start -= 1
        while end < len(self.text) and re.match(letters, self.text[end]):
            end += 1
        return start, end

    def symbols(self) -> dict[str, tuple[int, int]]:
        """Where each symbol is defined: behind the name of an op that defines one."""
        from vyre_dialect.runtime.lsp.descriptions import defines_symbols

        found = dict[str, tuple[int, int]]()
        for match in _SYMBOL_OF_AN_OP.finditer(self.text):
            if defines_symbols(match[1]):
                found.setdefault(match[2], (match.start(2) - 1, match.end(2)))
        return found

    def symbol_at(self, offset: int) -> str | None:
        """The symbol at a place."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        for match in _SYMBOL.finditer(self.text, line_start):
            if match.start() > offset:
                return None
            if offset <= match.end():
                return match[1]
        return None


def _cases(text: str) -> Iterator[tuple[int, str]]:
    """Each case, behind the place where it begins."""
    begin = 0
    for case in text.split(CASES_END):
        yield begin, case
        begin += len(case) + len(CASES_END)
