"""An aggregate of the rows of columns."""

from __future__ import annotations

from math import inf
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.query import Output, QueryOp

MAX_GROUPS = 1 << 16
"""Groups that rows may be aggregated by."""


class AggregateKind(StrEnum):
    """What is made of the rows that count."""

    COUNT = "count"
    """How many there are."""
    FIRST = "first"
    """The number of the first one."""
    SUM = "sum"
    """The sum of the values."""
    MINS = "mins"
    """The smallest, of signed integers."""
    MINU = "minu"
    """The smallest, of unsigned integers."""
    MAXS = "maxs"
    """The largest, of signed integers."""
    MAXU = "maxu"
    """The largest, of unsigned integers."""
    MINIMUMF = "minimumf"
    """The smallest float, NaN where one is."""
    MAXIMUMF = "maximumf"
    """The largest float, NaN where one is."""


_ELEMENTS = {
    AggregateKind.SUM: (i32, i64, f32, f64),
    AggregateKind.MINIMUMF: (f32, f64),
    AggregateKind.MAXIMUMF: (f32, f64),
}
"""What results may be of, those of other kinds being integers."""


@irdl_op_definition
class AggregateOp(QueryOp):
    """
    Combines what the body yields of the rows that count with element 0 of each result or, with
    `group`, with the element at the key.

    A row counts where the predicate holds and, with `group`, the key, unsigned, is below the
    number of groups: the element count of the results, which is the same for all, up to 65536.
    Integers are summed up modulo 2^32 or 2^64, as wide as they are yielded. `first` is the least
    number of a row. A result without rows stays what it is, so that all but counts and sums are to
    be declared with a `fill` that every value replaces.

    Floats are combined in one order on all devices, 64 rows at a time, and without `group`.
    """

    name = "vyre.scan.aggregate"

    KINDS: ClassVar = AggregateKind
    WITHOUT_VALUE: ClassVar = frozenset({AggregateKind.COUNT, AggregateKind.FIRST})

    def access_of(self, kind: str) -> AccessKind:
        return AccessKind.UPDATE

    def verify_output(self, output: Output) -> None:
        type = self.global_buffer(f"a {output.kind}", output.buffer)
        if not (type.readable and type.writable):
            raise self.error(f"expected a {output.kind} that is read_write, got {type.access.data}")
        self._verify_element(output, type.element_type)
        self._verify_groups(type)
        self._verify_fill(output, type.element_type)

    def _verify_element(self, output: Output, element: Attribute) -> None:
        kind, value = output.kind, output.value
        legal = _ELEMENTS.get(AggregateKind(kind), (i32, i64))
        if element not in legal:
            expected = " or ".join(map(str, legal))
            raise self.error(f"expected a {kind} of {expected}, got {element}")
        if value is not None and value.type != element:
            raise self.error(
                f"expected the body to yield {element} for a {kind} of {element}, got "
                f"{value.type}: convert it there"
            )
        if isinstance(element, AnyFloat) and self.end.group is not None:
            raise self.error(f"expected integers with a group key, got a {kind} of {element}")

    def _verify_groups(self, type: BufferType) -> None:
        count = type.static_count
        if self.end.group is None:
            if count != 1:
                got = "?" if count is None else count
                raise self.error(
                    f"expected results of one element without a group key, got one of {got}"
                )
            return
        if count is None or count > MAX_GROUPS:
            got = "?" if count is None else count
            raise self.error(
                f"expected results of an element for each of up to {MAX_GROUPS} groups, got {got}"
            )
        first = self.buffers[0].type
        assert isinstance(first, BufferType)
        if first.static_count != count:
            raise self.error(
                f"expected results of the same number of groups, got {first.static_count} and "
                f"{count}"
            )

    def _verify_fill(self, output: Output, element: Attribute) -> None:
        declaration, neutral = output.buffer.owner, neutral_value(output.kind, element)
        if not isinstance(declaration, BufferOp) or _is_zero(neutral):
            return
        if declaration.fill != neutral:
            raise self.error(f"expected a {output.kind} declared with 'fill {neutral}'")

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.aggregate import ExpandAggregate

        return (ExpandAggregate(),)


def neutral_value(kind: str, element: Attribute) -> IntegerAttr | FloatAttr:
    """What changes no value of some type that it is combined with; -0.0 for sums of floats."""
    if isinstance(element, AnyFloat):
        neutral = {AggregateKind.MINIMUMF: inf, AggregateKind.MAXIMUMF: -inf}
        return FloatAttr(neutral.get(AggregateKind(kind), -0.0), element)
    assert isinstance(element, IntegerType)
    largest = (1 << element.width.data - 1) - 1
    of_integers = {
        AggregateKind.FIRST: -1,
        AggregateKind.MINU: -1,
        AggregateKind.MINS: largest,
        AggregateKind.MAXS: -largest - 1,
    }
    return IntegerAttr(of_integers.get(AggregateKind(kind), 0), element)


def _is_zero(value: IntegerAttr | FloatAttr) -> bool:
    return value.value.data == 0
