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
_SYMBOL_OF_AN_OP = re.compile(r'([a-z_]\w*(?:\.\w+)+)"?\s+(?:\w+\s+)?@([A-Za-z_.$][\w.$]*)')


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

    def names(self) -> Iterator[Name]:
        """All names of values that have been read."""
        by_name = {span.text: (value, span) for value, span in self.defined.items()}
        for value, span in self.defined.items():
            yield Name(span.start, span.end, (span.start, span.end), str(value.type))
        for span, value, name in self.used:
            known, place = value, None if value is None else self.defined.get(value)
            if place is None:  # read before its definition
                known, place = by_name.get(f"%{name}", (None, None))
            definition = None if place is None else (place.start, place.end)
            yield Name(span.start, span.end, definition, None if known is None else str(known.type))


@dataclass
class Document:
    """A text of one module, or of several cases, read as far as it can be."""

    text: str
    problems: list[Problem] = field(default_factory=list[Problem])
    names: list[Name] = field(default_factory=list[Name])

    def __post_init__(self) -> None:
        for case in _cases(self.text):
            self._read(case)

    def _read(self, case: str) -> None:
        context, parsers = context_of_everything(), list[_IndexingParser]()

        def make() -> _IndexingParser:
            parsers.append(_IndexingParser(context, case, "text"))
            return parsers[0]

        try:
            read_with(make, context, case, "text")
        except ReadError as error:
            self.problems.append(self._problem(error))
        self.names += (name for parser in parsers for name in parser.names())

    def _problem(self, error: ReadError) -> Problem:
        """
        An error at the name that it is about: the parser notices undefined values at the end of
        their region, and unknown ops one token further on.
        """
        line, column = error.place or (1, 1)
        noticed = self.offset(line - 1, column - 1)
        for about in _ABOUT.findall(error.message):
            named = [each.start() for each in re.finditer(rf"{re.escape(about)}\b", self.text)]
            if before := [start for start in named if start <= noticed]:
                place = before[-1] if "." in about else before[0]
                line, column = (number + 1 for number in self.place(place))
                break
        return Problem(error.message, line, column)

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


def _cases(text: str) -> Iterator[str]:
    """Each case with what stands before it left blank, so that places stay what they are."""
    before = 0
    for case in text.split(CASES_END):
        yield re.sub(r"[^\n]", " ", text[:before]) + case
        before += len(case) + len(CASES_END)
