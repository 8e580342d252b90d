"""Kernels, and the launches that a program's host plan consists of after outlining."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.utils.dynamic_index_list import (
    DynamicIndexList,
    get_dynamic_index_list,
    split_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    HasParent,
    IsolatedFromAbove,
    MemoryEffect,
    MemoryWriteEffect,
    NoTerminator,
    SymbolOpInterface,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.analysis.divergence import verify_convergence
from vyre_dialect.analysis.live_ranges import verify_placements
from vyre_dialect.analysis.tile_live_ranges import TILE_ALIGNMENT, TileLiveRanges
from vyre_dialect.ir.cooperation import uses_subgroups
from vyre_dialect.ir.effects import kinds_of_accesses, states_effects
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    HasInvocationsInterface,
)
from vyre_dialect.ir.symbols import lookup_symbol
from vyre_dialect.ir.syntax import parse_sizes, print_sizes
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    BufferType,
    MemorySpace,
    sizes_attr,
    three_axes,
    verify_subgroup_size,
    verify_text,
    verify_workgroup_size,
)
from vyre_dialect.ir.verification import NamedOperation, verify_structure, verify_values
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp, HasArenaInterface, verify_known_buffer
from vyre_dialect.ops.program import DEFAULT_SUBGROUP_SIZE, ProgramOp


@irdl_op_definition
class KernelOp(IRDLOperation, HasInvocationsInterface, HasArenaInterface, NamedOperation):
    """
    What one arm has become: a function of buffers and sizes that every invocation runs,
    with its guards written out. `generator` is the arm's. Behind each run-time sized buffer among
    the arguments stands its length, which nothing in the kernel computes.
    """

    name = "vyre.kernel"
    ARENA_SPACE: ClassVar[MemorySpace] = MemorySpace.WORKGROUP

    sym_name = prop_def(SymbolNameConstraint())
    workgroup_size = prop_def(DenseArrayBase.constr(i64))
    generator = prop_def(StringAttr)
    subgroup_size = opt_prop_def(IntegerAttr.constr(i64))
    arena_bytes = opt_prop_def(IntegerAttr.constr(i64))
    """Size of the array that the workgroup buffers with an offset share."""
    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), HasParent(ModuleOp)
    )

    def __init__(
        self,
        name: str,
        argument_types: Sequence[Attribute],
        *,
        workgroup_size: Sequence[int],
        generator: str,
        subgroup_size: int | None = None,
        body: Region | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "workgroup_size": sizes_attr(workgroup_size),
                "generator": StringAttr(generator),
                "subgroup_size": None if subgroup_size is None else IntegerAttr(subgroup_size, i64),
            },
            regions=[body or Region(Block(arg_types=argument_types))],
        )

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """Invocations of a workgroup along three axes."""
        return three_axes(self.workgroup_size.get_values())

    @property
    def lanes(self) -> int:
        """Invocations in a subgroup."""
        if self.subgroup_size is None:
            return DEFAULT_SUBGROUP_SIZE
        return self.subgroup_size.value.data

    def argument_accesses(self) -> list[frozenset[AccessKind]]:
        """Whether the kernel reads and writes each of its arguments."""
        return [
            kinds_of_accesses(argument) if isinstance(argument.type, BufferType) else frozenset()
            for argument in self.body.block.args
        ]

    def buffers(self) -> Iterator[BufferOp]:
        """The workgroup and private buffers that the kernel declares, in order."""
        return (op for op in self.body.block.ops if isinstance(op, BufferOp))

    def tiles(self) -> Iterator[BufferOp]:
        """The workgroup buffers among them."""
        return (each for each in self.buffers() if each.type.space == MemorySpace.WORKGROUP)

    @property
    def tile_bytes(self) -> int:
        """The workgroup memory that the kernel takes."""
        alone = (each for each in self.tiles() if each.arena_offset is None)
        arena = 0 if self.arena_bytes is None else self.arena_bytes.value.data
        return arena + sum(each.type.static_bytes or 0 for each in alone)

    @property
    def private_bytes(self) -> int:
        """The memory that the private buffers of an invocation take."""
        own = (each for each in self.buffers() if each.type.space == MemorySpace.PRIVATE)
        return sum(each.type.static_bytes or 0 for each in own)

    def verify(self, verify_nested_ops: bool = True) -> None:
        verify_structure(self)  # first, since the verifiers of `scf` rely on it
        super().verify(verify_nested_ops)

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name, self.generator)
        verify_workgroup_size(self.name, self.workgroup_size.get_values())
        if not self.generator.data:
            raise self._error("expected a generator, got an empty string")
        if self.subgroup_size is not None or uses_subgroups(self.body):
            verify_subgroup_size(self.name, self.lanes, self.workgroup)
        for argument in self.body.block.args:
            self._verify_argument(argument.type)
        self._verify_lengths()
        self._verify_buffer_names()
        verify_values(self)
        verify_convergence(self)
        self._verify_arena()

    def _verify_arena(self) -> None:
        placed = [each for each in self.tiles() if each.arena_offset is not None]
        arena = 0 if self.arena_bytes is None else self.arena_bytes.value.data
        if arena < 0:
            raise self._error(f"expected a non-negative size of the arena, got {arena}")
        if not placed:
            return
        live_ranges = TileLiveRanges(self.body.block)
        placements = [each.placement(live_ranges.of(each)) for each in placed]
        for each in placements:
            if each.offset % TILE_ALIGNMENT:
                raise self._error(
                    f"expected an arena offset of '@{each.name}' that is a multiple of "
                    f"{TILE_ALIGNMENT}, got {each.offset}"
                )
        verify_placements(placements, arena, self)

    def _verify_argument(self, type: Attribute) -> None:
        if not isinstance(type, BufferType | IndexType):
            raise self._error(f"expected buffers and sizes of type index as arguments, got {type}")
        if isinstance(type, BufferType) and type.space != MemorySpace.GLOBAL:
            raise self._error(f"expected global buffers as arguments, got a {type.space} one")

    def _verify_lengths(self) -> None:
        arguments = self.body.block.args
        for buffer, following in zip_longest(arguments, arguments[1:]):
            if not is_run_time_sized(buffer.type):
                continue
            if following is None or not isinstance(following.type, IndexType):
                raise self._error(
                    f"expected the length of argument {buffer.index}, an index, behind it"
                )
            if any(isinstance(use.operation, BufLenOp) for use in buffer.uses):
                raise self._error(
                    f"expected argument {following.index} in place of '{BufLenOp.name}' of "
                    f"argument {buffer.index}"
                )

    def _verify_buffer_names(self) -> None:
        seen = set[str]()
        for buffer in self.buffers():
            if (name := buffer.sym_name.data) in seen:
                raise self._error(f"expected buffer names to be unique, got '@{name}' twice")
            seen.add(name)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name().data
        arguments = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_keyword("workgroup_size")
        workgroup_size = parse_sizes(parser)
        subgroup_size = None
        if parser.parse_optional_keyword("subgroup_size"):
            subgroup_size = parser.parse_integer()
        parser.parse_keyword("generator")
        generator = parser.parse_str_literal()
        arena_bytes = None
        if parser.parse_optional_keyword("arena_bytes"):
            arena_bytes = IntegerAttr(parser.parse_integer(), i64)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        kernel = cls(
            name,
            (),
            workgroup_size=workgroup_size,
            generator=generator,
            subgroup_size=subgroup_size,
            body=parser.parse_region(arguments),
        )
        kernel.arena_bytes = arena_bytes
        if attributes is not None:
            kernel.attributes |= attributes.data
        return kernel

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(" workgroup_size ")
        print_sizes(printer, tuple(self.workgroup_size.get_values()))
        if self.subgroup_size is not None:
            printer.print_string(f" subgroup_size {self.subgroup_size.value.data}")
        printer.print_string(" generator ")
        printer.print_string_literal(self.generator.data)
        if self.arena_bytes is not None:
            printer.print_string(f" arena_bytes {self.arena_bytes.value.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def is_run_time_sized(type: Attribute) -> bool:
    """Whether `type` is that of a buffer whose length is known at run time."""
    return isinstance(type, BufferType) and type.static_count is None


def measured_buffer(value: SSAValue) -> BlockArgument | None:
    """The argument of a kernel whose length `value`, another argument, is; or None."""
    if isinstance(value, OpResult) or not isinstance(value, BlockArgument) or not value.index:
        return None
    before = value.block.args[value.index - 1]
    in_kernel = isinstance(value.block.parent_op(), KernelOp)
    return before if in_kernel and is_run_time_sized(before.type) else None


class CallsKernel(SymbolUserOpInterface):
    """The kernel that a launch names exists and takes what it is given."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchOp)
        if not isinstance(op.parent_op(), ProgramOp):
            return  # which is an error of its own, and traits are verified in no order
        kernel = op.callee()
        if kernel is None:
            raise VerifyException(
                f"'{op.name}' expected a 'vyre.kernel' of the module, got '{op.kernel}'"
            )
        expected = [argument.type for argument in kernel.body.block.args]
        got = [argument.type for argument in op.arguments]
        if len(expected) != len(got):
            raise VerifyException(
                f"'{op.name}' {op.kernel} expected {len(expected)} arguments, got {len(got)}"
            )
        for position, pair in enumerate(zip(expected, got, strict=True)):
            if pair[0] != pair[1]:
                raise VerifyException(
                    f"'{op.name}' {op.kernel} expected {pair[0]} as argument {position}, "
                    f"got {pair[1]}"
                )


@irdl_op_definition
class CheckWholeWorkgroupsOp(IRDLOperation):
    """
    Ends the program with an error unless an arm gets whole workgroups:
    `vyre.check_whole_workgroups %n of 64 for "scan"`, with the arm's generator.

    Outlining leaves it in front of a cooperative arm whose invocations are counted at run time.
    """

    name = "vyre.check_whole_workgroups"

    invocations = operand_def(IndexType())
    workgroup_size = prop_def(IntegerAttr.constr(i64))
    generator = prop_def(StringAttr)

    # As `cf.assert` has it: nothing may drop the check, or move a launch across it.
    traits = traits_def(HasParent(ProgramOp), MemoryWriteEffect())
    assembly_format = "$invocations `of` $workgroup_size `for` $generator attr-dict"

    def __init__(self, invocations: SSAValue, workgroup_size: int, generator: str):
        super().__init__(
            operands=[invocations],
            properties={
                "workgroup_size": IntegerAttr(workgroup_size, i64),
                "generator": StringAttr(generator),
            },
        )

    def verify_(self) -> None:
        verify_text(self.name, self.generator)
        if (size := self.workgroup_size.value.data) <= 0:
            raise VerifyException(f"'{self.name}' expected a positive workgroup size, got {size}")


class EffectsOfKernel(MemoryEffect):
    """What a launch does besides its accesses: nothing, or unknown effects."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance] | None:
        assert isinstance(op, LaunchOp)
        kernel = op.callee()
        if kernel is None or not all(map(states_effects, ops_inside(kernel.body))):
            return None
        return set()


@irdl_op_definition
class LaunchOp(IRDLOperation, HasAccessesInterface, HasCanonicalizationPatternsInterface):
    """
    Runs a kernel over a grid of workgroups: `vyre.launch @decode[%groups](%in, %n) : …`.

    Launches of a program run in order, each complete before the next begins.
    """

    name = "vyre.launch"

    kernel = prop_def(FlatSymbolRefAttrConstr)
    grid = var_operand_def(IndexType())
    """Number of workgroups along each axis."""
    static_grid = prop_def(DenseArrayBase.constr(i64))
    arguments = var_operand_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp), CallsKernel(), EffectsOfKernel())
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$kernel `` custom<DynamicIndexList>($grid, $static_grid) "
        "`(` $arguments `)` attr-dict `:` `(` type($arguments) `)`"
    )

    def __init__(
        self,
        kernel: str | SymbolRefAttr,
        grid: Sequence[SSAValue | int],
        arguments: Sequence[SSAValue],
    ):
        static, dynamic = split_dynamic_index_list(grid, DYNAMIC_INDEX)
        super().__init__(
            operands=[dynamic, arguments],
            properties={
                "kernel": SymbolRefAttr(kernel) if isinstance(kernel, str) else kernel,
                "static_grid": sizes_attr(static),
            },
        )

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        if (kernel := self.callee()) is None:
            return ()  # which does not verify
        pairs = zip(self.arguments, kernel.argument_accesses(), strict=True)
        return tuple(
            BufferAccess(kind, argument, count=None)
            for argument, kinds in pairs
            for kind in sorted(kinds)
        )

    @property
    def kernel_name(self) -> str:
        """The name of the kernel that is launched."""
        return self.kernel.string_value()

    @property
    def workgroups(self) -> list[SSAValue | int]:
        """Number of workgroups along each axis: an integer, or an SSA value of type index."""
        return get_dynamic_index_list(self.static_grid.get_values(), self.grid, DYNAMIC_INDEX)

    def callee(self) -> KernelOp | None:
        """The kernel that is launched, or None when the module has none of that name."""
        program = self.parent_op()
        module = None if program is None else program.parent_op()
        if module is None:
            return None
        found = lookup_symbol(module, self.kernel)
        return found if isinstance(found, KernelOp) else None

    def verify_(self) -> None:
        static = self.static_grid.get_values()
        if not 1 <= len(static) <= 3:
            raise VerifyException(
                f"'{self.name}' expected a grid of 1 to 3 axes, got {len(static)}"
            )
        verify_dynamic_index_list(static, self.grid, DYNAMIC_INDEX)
        for count in static:
            if count != DYNAMIC_INDEX and count <= 0:
                raise VerifyException(
                    f"'{self.name}' expected a positive workgroup count, got {count}"
                )
        self._verify_arguments()

    def _verify_arguments(self) -> None:
        seen = set[SSAValue]()
        for argument in self.arguments:
            if not isinstance(argument.type, BufferType):
                continue
            verify_known_buffer(self, argument)
            if argument in seen:
                raise VerifyException(
                    f"'{self.name}' {self.kernel} expected each buffer once, got one twice"
                )
            seen.add(argument)
        for position, pair in enumerate(zip_longest(self.arguments, self.arguments[1:])):
            self._verify_length(position, *pair)

    def _verify_length(self, position: int, buffer: SSAValue, following: SSAValue | None) -> None:
        if not is_run_time_sized(buffer.type):
            return
        length = None if following is None else following.owner
        if not isinstance(length, BufLenOp) or length.buffer is not buffer:
            raise VerifyException(
                f"'{self.name}' {self.kernel} expected '{BufLenOp.name}' of argument {position} as "
                f"argument {position + 1}"
            )

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.ops.canonicalization import StaticGrid

        return (StaticGrid(),)
