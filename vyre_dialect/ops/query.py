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
from typing import ClassVar, NamedTuple, Self

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    IndexType,
    IntegerType,
    StringAttr,
    i1,
    i32,
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
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import (
    FUNCTIONAL_DIALECTS,
    AccessKind,
    BufferAccess,
    DependsOn,
)
from vyre_dialect.ir.meaning import is_function
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.library import LibraryOp, Operand
from vyre_dialect.ops.program import ProgramOp


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
    traits = traits_def(IsTerminator(), Pure(), DependsOn())
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

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, QueryOp):
            raise VerifyException(
                f"'{self.name}' expected at the end of the body of a query, got in '{parent.name}'"
            )
