"""Custom directives that the assembly formats of the ops share."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i64
from xdsl.ir import Block
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from vyre_dialect.ir.types import sizes_attr


def parse_sizes(parser: Parser) -> list[int]:
    """Parse a bracketed list of integers: `[64, 1, 1]`."""
    return parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_integer)


def print_sizes(printer: Printer, sizes: tuple[int, ...]) -> None:
    """Print a bracketed list of integers."""
    printer.print_string(f"[{', '.join(map(str, sizes))}]")


@irdl_custom_directive
class Sizes(CustomDirective):
    """A list of integers that stands in brackets: `workgroup_size [64, 1, 1]`."""

    sizes: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.sizes.set(state, sizes_attr(parse_sizes(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        sizes = self.sizes.get(op)
        assert isa(sizes, DenseArrayBase[IntegerType])
        print_sizes(printer, sizes.get_values())

    def is_anchorable(self) -> bool:
        return True

    def is_present(self, op: IRDLOperation) -> bool:
        return self.sizes.get(op) is not None

    def set_empty(self, state: ParsingState) -> None:
        """An absent list leaves the property unset."""


@irdl_custom_directive
class Body(CustomDirective):
    """A region of one block that may be empty: `{}` is a block without operations."""

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        region = parser.parse_region()
        if region.first_block is None:
            region.add_block(Block())
        self.body.set(state, region)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_region(self.body.get(op), print_empty_block=False)


@irdl_custom_directive
class HalfOpenRange(CustomDirective):
    """A range of integers without its end: `[-5, 7)`."""

    low: AttributeVariable
    high: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("[")
        self.low.set(state, IntegerAttr(parser.parse_integer(), i64))
        parser.parse_punctuation(",")
        self.high.set(state, IntegerAttr(parser.parse_integer(), i64))
        parser.parse_punctuation(")")

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        low, high = self.low.get(op), self.high.get(op)
        assert isinstance(low, IntegerAttr) and isinstance(high, IntegerAttr)
        state.print_whitespace(printer)
        printer.print_string(f"[{low.value.data}, {high.value.data})")
        state.should_emit_space = True
        state.last_was_punctuation = False
