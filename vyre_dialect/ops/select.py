"""The rows of columns that a predicate selects."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ops.library import RESULT_WIDTHS
from vyre_dialect.ops.query import Output, QueryOp


class SelectKind(StrEnum):
    """What is kept of the rows that are selected."""

    COUNT = "count"
    """How many there are."""
    BITMAP = "bitmap"
    """A bit for each row."""
    POSITIONS = "positions"
    """Their numbers."""
    VALUES = "values"
    """What the body yields of them."""


BITMAP_WIDTHS = (8, 16, 32)
"""Bits of the elements of bitmaps."""


@irdl_op_definition
class SelectOp(QueryOp):
    """
    Keeps the rows where the predicate holds: their number, which is added to element 0 of a
    `count`; a `bitmap` with a bit for each row, the low bit of an element first; and, in the order
    of the rows and from element 0 on, their `positions`, and `values` that the body yields.

    Results of unknown size get the size that it takes. A shorter one takes what fits. Of a longer
    one, elements behind the last that is selected keep what they hold; bits behind the last row, up
    to a multiple of 32, are 0.
    """

    name = "vyre.scan.select"

    KINDS: ClassVar = SelectKind
    WITHOUT_VALUE: ClassVar = frozenset({SelectKind.COUNT, SelectKind.BITMAP, SelectKind.POSITIONS})

    def access_of(self, kind: str) -> AccessKind:
        return AccessKind.UPDATE if kind == SelectKind.COUNT else AccessKind.WRITE

    def verify_output(self, output: Output) -> None:
        kind = output.kind
        type = self.global_buffer(f"a result ({kind})", output.buffer)
        if self.end.group is not None:
            raise self.error("expected no group key, got one")
        if not type.writable:
            raise self.error(f"expected {kind} that can be written, got {type.access.data}")
        if kind == SelectKind.COUNT and not type.readable:
            raise self.error(f"expected a count that is read_write, got {type.access.data}")
        self._verify_element(output, type.element_type)

    def _verify_element(self, output: Output, element: Attribute) -> None:
        if output.value is not None:
            if output.value.type != element:
                raise self.error(
                    f"expected the body to yield {element} for values of {element}, got "
                    f"{output.value.type}: convert it there"
                )
            return
        widths = BITMAP_WIDTHS if output.kind == SelectKind.BITMAP else RESULT_WIDTHS
        if not isinstance(element, IntegerType) or element.width.data not in widths:
            expected = " or ".join(f"i{width}" for width in widths)
            raise self.error(f"expected {output.kind} of {expected}, got {element}")

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.select import ExpandSelect

        return (ExpandSelect(),)
