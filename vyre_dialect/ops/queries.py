"""
Scanners with a body: what is asked of the rows of a table is written out in `arith`.

    vyre.scan.aggregate (%price = %prices : !vyre.buffer<?xi32, read_only>)
        into sum %total : !vyre.buffer<1xi64, read_write> {
      …
      vyre.scan.yield %wide : i64 where %is_chosen
    }

A row is an element of each column, which the body has as block arguments; one more, an index, is
the row's number, where the body asks for it. There are as many rows as the shortest column has
elements, or as `rows` says, where that is fewer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import inf
from typing import ClassVar, NamedTuple, Self

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import (
    FUNCTIONAL_DIALECTS,
    AccessKind,
    BufferAccess,
    DependsOn,
)
from vyre_dialect.ir.meaning import is_function
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import RESULT_WIDTHS, LibraryOp, Operand
from vyre_dialect.ops.program import ProgramOp

MAX_GROUPS = 1 << 16
"""Groups that rows may be aggregated by."""


class Output(NamedTuple):
    """A result of a query."""

    kind: str
    """What the buffer takes."""
    buffer: SSAValue
    value: SSAValue | None
    """What the body yields for it; None for what is known without."""


class QueryOp(LibraryOp, ABC):
    """What queries have in common: columns, a body, and buffers for what it yields."""

    columns = var_operand_def(BufferType)
    rows = opt_operand_def(IndexType())
    """How many rows there are at most."""
    buffers = var_operand_def(BufferType)
    """What takes the results."""
    kinds = prop_def(ArrayAttr.constr(StringAttr))
    """What each of them takes."""
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))

    KINDS: ClassVar[type[StrEnum]]
    """What results may be."""
    WITHOUT_VALUE: ClassVar[frozenset[str]]
    """Those kinds for which the body yields nothing."""

    def __init__(
        self,
        columns: Sequence[Operand],
        results: Sequence[tuple[str, Operand]],
        body: Region,
        *,
        rows: Operand | None = None,
    ):
        """`body` is of the elements of a row and, if it has one more argument, of its number."""
        super().__init__(
            operands=[columns, rows, [buffer for _, buffer in results]],
            properties={"kinds": ArrayAttr([StringAttr(str(kind)) for kind, _ in results])},
            regions=[body],
        )

    @property
    def end(self) -> YieldOp:
        """The last op of the body."""
        end = self.body.block.last_op
        assert isinstance(end, YieldOp)
        return end

    @property
    def row(self) -> SSAValue | None:
        """What the body knows as the number of the row, if it asks for that."""
        arguments = self.body.block.args
        return arguments[-1] if len(arguments) > len(self.columns) else None

    def outputs(self) -> Iterator[Output]:
        """The results, each with what the body yields for it."""
        values = iter(self.end.values)
        for kind, buffer in zip(self.kinds, self.buffers, strict=True):
            takes_value = kind.data not in self.WITHOUT_VALUE
            yield Output(kind.data, buffer, next(values) if takes_value else None)

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (
            *(BufferAccess(AccessKind.READ, column, count=None) for column in self.columns),
            *(
                BufferAccess(self.access_of(kind.data), buffer, count=None)
                for kind, buffer in zip(self.kinds, self.buffers, strict=True)
            ),
        )

    @abstractmethod
    def access_of(self, kind: str) -> AccessKind:
        """What happens to a result of some kind."""

    # Verification.

    def verify_(self) -> None:
        if not self.columns:
            raise self.error("expected at least one column, got none")
        for column in self.columns:
            self._verify_column(column)
        self._verify_kinds()
        self._verify_body()
        for output in self.outputs():
            self.verify_output(output)
        self._verify_different()

    @abstractmethod
    def verify_output(self, output: Output) -> None:
        """Raise VerifyException unless a buffer can take what is asked for, and gets it."""

    def _verify_column(self, column: SSAValue) -> None:
        type = self.global_buffer("a column", column)
        if not isinstance(type.element_type, IntegerType | AnyFloat):
            raise self.error(f"expected columns of integers or floats, got {type.element_type}")
        if not type.readable:
            raise self.error(f"expected a readable column, got a {type.access.data} one")

    def _verify_kinds(self) -> None:
        if not self.buffers:
            raise self.error("expected at least one result, got none")
        if len(self.kinds) != len(self.buffers):
            raise self.error(
                f"expected a kind for each of {len(self.buffers)} results, got {len(self.kinds)}"
            )
        known = [each.value for each in self.KINDS]
        for kind in self.kinds:
            if kind.data not in known:
                raise self.error(f'expected a result of {", ".join(known)}, got "{kind.data}"')

    def _verify_body(self) -> None:
        elements = [_element(column) for column in self.columns]
        arguments = [*self.body.block.arg_types]
        if arguments not in (elements, [*elements, IndexType()]):
            expected = ", ".join(map(str, elements))
            raise self.error(
                f"expected a body of the elements of a row, ({expected}), and perhaps its number, "
                f"an index, got ({', '.join(map(str, arguments))})"
            )
        end = self.body.block.last_op
        if not isinstance(end, YieldOp):
            got = "no op" if end is None else f"'{end.name}'"
            raise self.error(f"expected '{YieldOp.name}' at the end of the body, got {got}")
        for op in self.body.block.ops:
            if op is not end and not _is_plain(op):
                raise self.error(
                    f"expected ops of 'arith' and 'math', or others without effects and regions, "
                    f"in the body, got '{op.name}'"
                )
        takers = [kind.data for kind in self.kinds if kind.data not in self.WITHOUT_VALUE]
        if len(takers) != len(end.values):
            named = f" ({', '.join(takers)})" if takers else ""
            raise self.error(
                f"expected the body to yield {len(takers)} values{named}, got {len(end.values)}"
            )

    def _verify_different(self) -> None:
        buffers = [*dict.fromkeys(self.columns), *self.buffers]
        if len(set(buffers)) != len(buffers):
            raise self.error("expected a buffer of its own for each result, other than the columns")

    # Syntax.

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        columns, arguments = list[SSAValue](), list[Parser.Argument]()
        for argument, column, type in parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: _parse_column(parser)
        ):
            columns.append(parser.resolve_operand(column, type))
            arguments.append(argument.resolve(type.element_type))
        if parser.parse_optional_keyword("at"):
            row = parser.parse_argument(expect_type=False)
            arguments.append(row.resolve(IndexType()))
        rows = None
        if parser.parse_optional_keyword("rows"):
            rows = parser.parse_operand(IndexType())
        parser.parse_keyword("into")
        results = parser.parse_comma_separated_list(
            Parser.Delimiter.NONE, lambda: _parse_result(parser, cls.KINDS)
        )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(columns, results, parser.parse_region(arguments), rows=rows)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        arguments = self.body.block.args
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                list(zip(arguments, self.columns, strict=False)),
                lambda pair: _print_column(printer, *pair),
            )
        if self.row is not None:
            printer.print_string(" at ")
            printer.print_ssa_value(self.row)
        if self.rows is not None:
            printer.print_string(" rows ")
            printer.print_ssa_value(self.rows)
        printer.print_string(" into ")
        printer.print_list(
            list(zip(self.kinds, self.buffers, strict=True)),
            lambda result: _print_result(printer, *result),
        )
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _element(column: SSAValue) -> Attribute:
    assert isinstance(column.type, BufferType)
    return column.type.element_type


def _is_plain(op: Operation) -> bool:
    """Whether an op is a function of its operands, and no control flow."""
    return not op.regions and (op.dialect_name() in FUNCTIONAL_DIALECTS or is_function(type(op)))


def _parse_column(
    parser: Parser,
) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand, BufferType]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    column = parser.parse_unresolved_operand()
    return argument, column, _parse_buffer_type(parser)


def _parse_result(parser: Parser, kinds: type[StrEnum]) -> tuple[str, SSAValue]:
    kind = parser.parse_str_enum(kinds)
    buffer = parser.parse_unresolved_operand()
    return kind.value, parser.resolve_operand(buffer, _parse_buffer_type(parser))


def _parse_buffer_type(parser: Parser) -> BufferType:
    parser.parse_punctuation(":")
    type = parser.parse_type()
    if not isinstance(type, BufferType):
        parser.raise_error(f"expected the type of a buffer, got {type}")
    return type


def _print_column(printer: Printer, argument: SSAValue, column: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    _print_buffer(printer, column)


def _print_result(printer: Printer, kind: StringAttr, buffer: SSAValue) -> None:
    printer.print_string(f"{kind.data} ")
    _print_buffer(printer, buffer)


def _print_buffer(printer: Printer, buffer: SSAValue) -> None:
    printer.print_ssa_value(buffer)
    printer.print_string(" : ")
    printer.print_attribute(buffer.type)


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


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends the body of a query: `vyre.scan.yield %amount : i64 where %is_chosen group %key`.

    The values go, in this order, to the results that take one; without `where`, every row counts.
    """

    name = "vyre.scan.yield"

    values = var_operand_def()
    predicate = opt_operand_def(i1)
    group = opt_operand_def(i32)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator(), HasParent(AggregateOp, SelectOp), Pure(), DependsOn())
    assembly_format = (
        "($values^ `:` type($values))? (`where` $predicate^)? (`group` $group^)? attr-dict"
    )

    def __init__(
        self,
        values: Sequence[SSAValue] = (),
        *,
        predicate: SSAValue | None = None,
        group: SSAValue | None = None,
    ):
        super().__init__(operands=[values, predicate, group])
