"""`vyre.program`, its buffers, and its arms: the structure that everything else stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.dialects.utils.dynamic_index_list import (
    DynamicIndexList,
    get_dynamic_index_list,
    split_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    RangeOf,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    NoTerminator,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.analysis.divergence import verify_convergence
from vyre_dialect.analysis.live_ranges import (
    BufferLiveRange,
    live_range_of,
    program_points,
    verify_placements,
)
from vyre_dialect.ir.cooperation import cooperative_op, is_data_parallel, uses_subgroups
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.syntax import Body, Sizes
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    Initial,
    MemorySpace,
    sizes_attr,
    three_axes,
    three_axes_of,
    verify_subgroup_size,
    verify_text,
    verify_workgroup_size,
)
from vyre_dialect.ir.verification import (
    StructureError,
    verify_structure,
    verify_values,
)
from vyre_dialect.ir.workgroup_choice import ChoosesWorkgroupSizeInterface
from vyre_dialect.ops.buffer import BufferOp, HasArenaInterface

DEFAULT_WORKGROUP_SIZE, DEFAULT_SUBGROUP_SIZE = (64, 1, 1), 32
NO_ARGUMENTS = RangeOf(AnyAttr()).of_length(0)


class ProgramSymbols(SymbolTable):
    """The symbols of a program: its buffers, each name declared once."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ProgramOp)
        seen = set[str]()
        for buffer in op.buffers():
            if (name := buffer.sym_name.data) in seen:
                raise StructureError(
                    buffer,
                    f"'{ProgramOp.name}' expected buffer names to be unique, got '@{name}' twice",
                )
            seen.add(name)


@irdl_op_definition
class ProgramOp(IRDLOperation, ChoosesWorkgroupSizeInterface, HasArenaInterface):
    """
    A decode -> scan program: buffer declarations, and arms that run in order.

    What stands between the arms (`arith`, `vyre.buf_len`, a `vyre.load`) runs on the host
    and computes sizes and invocation counts.
    """

    name = "vyre.program"
    ARENA_SPACE: ClassVar[MemorySpace] = MemorySpace.GLOBAL

    sym_name = prop_def(SymbolNameConstraint())
    workgroup_size = opt_prop_def(DenseArrayBase.constr(i64))
    """The workgroup size of every arm that does not state its own."""
    entry_op_id = opt_prop_def(StringAttr)
    """The key under which hot-path telemetry knows the program."""
    arena_bytes = opt_prop_def(IntegerAttr.constr(i64))
    """Size of the arena that the buffers with an offset share."""
    body = region_def("single_block", entry_args=NO_ARGUMENTS)

    traits = traits_def(
        HasParent(ModuleOp),
        IsolatedFromAbove(),
        NoTerminator(),
        SymbolOpInterface(),
        ProgramSymbols(),
    )
    custom_directives = (Sizes, Body)
    assembly_format = (
        "$sym_name (`workgroup_size` custom<Sizes>($workgroup_size)^)? "
        "(`entry_op_id` $entry_op_id^)? (`arena_bytes` $arena_bytes^)? "
        "attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        name: str,
        body: Region | None = None,
        *,
        workgroup_size: Sequence[int] | None = None,
        entry_op_id: str | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "workgroup_size": None if workgroup_size is None else sizes_attr(workgroup_size),
                "entry_op_id": None if entry_op_id is None else StringAttr(entry_op_id),
            },
            regions=[body or Region(Block())],
        )

    def buffers(self) -> Iterator[BufferOp]:
        """The buffers that the program declares, in order."""
        return (op for op in self.body.block.ops if isinstance(op, BufferOp))

    def arms(self) -> Iterator[RegionOp]:
        """The arms of the program, in the order in which they run."""
        return (op for op in self.body.block.ops if isinstance(op, RegionOp))

    def buffer(self, name: str) -> BufferOp | None:
        """The buffer called `name`, or None."""
        return next((op for op in self.buffers() if op.sym_name.data == name), None)

    def live_ranges(self) -> dict[BufferOp, BufferLiveRange]:
        """When each global buffer is alive."""
        points = program_points(self.body.block)
        return {
            buffer: live_range_of(
                buffer.buffer, points, is_given=buffer.initial_contents == Initial.HOST
            )
            for buffer in self.buffers()
            if buffer.type.space == MemorySpace.GLOBAL
        }

    @property
    def default_workgroup_size(self) -> tuple[int, int, int]:
        """Invocations of a workgroup along three axes, for arms that state none."""
        if self.workgroup_size is None:
            return DEFAULT_WORKGROUP_SIZE
        return three_axes(self.workgroup_size.get_values())

    def verify(self, verify_nested_ops: bool = True) -> None:
        verify_structure(self)  # first, since the verifiers of `scf` rely on it
        super().verify(verify_nested_ops)

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name, self.entry_op_id)
        if not self.sym_name.data:
            raise VerifyException(f"'{self.name}' expected a name, got an empty string")
        if self.workgroup_size is not None:
            verify_workgroup_size(self.name, self.workgroup_size.get_values())
        self._verify_bindings()
        verify_values(self)
        for arm in self.arms():
            verify_convergence(arm)
        self._verify_arena()

    def _verify_arena(self) -> None:
        placed = [buffer for buffer in self.buffers() if buffer.arena_offset is not None]
        if not placed:
            return
        live_ranges, arena = self.live_ranges(), self.arena_bytes
        placements = [buffer.placement(live_ranges[buffer]) for buffer in placed]
        verify_placements(placements, 0 if arena is None else arena.value.data, self)

    def _verify_bindings(self) -> None:
        bound = dict[int, str]()
        for buffer in self.buffers():
            if buffer.binding is None:
                continue
            binding, name = buffer.binding.value.data, buffer.sym_name.data
            if binding in bound:
                raise VerifyException(
                    f"'{self.name}' expected one buffer per binding, got '@{bound[binding]}' "
                    f"and '@{name}' at binding {binding}"
                )
            bound[binding] = name


@irdl_op_definition
class RegionOp(IRDLOperation, HasInvocationsInterface, HasCanonicalizationPatternsInterface):
    """
    One arm: a body that every invocation of its domain runs.

    `generator` names what produced it. The domain has one to three axes, static or
    computed on the host. An arm that uses workgroup ids, local ids, barriers or workgroup
    memory is cooperative: its domain is a whole number of workgroups.
    """

    name = "vyre.region"

    invocations = var_operand_def(IndexType())
    static_invocations = prop_def(DenseArrayBase.constr(i64))
    generator = prop_def(StringAttr)
    source_region = opt_prop_def(StringAttr)
    """Name of the arm that this one was derived from."""
    workgroup_size = opt_prop_def(DenseArrayBase.constr(i64))
    subgroup_size = opt_prop_def(IntegerAttr.constr(i64))
    """Lanes of a subgroup, for arms that use subgroup ops; DEFAULT_SUBGROUP_SIZE unless stated."""
    body = region_def("single_block", entry_args=NO_ARGUMENTS)

    traits = traits_def(HasParent(ProgramOp), NoTerminator(), RecursiveMemoryEffect())
    custom_directives = (DynamicIndexList, Sizes, Body)
    assembly_format = (
        "$generator (`source` $source_region^)? "
        "`invocations` custom<DynamicIndexList>($invocations, $static_invocations) "
        "(`workgroup_size` custom<Sizes>($workgroup_size)^)? "
        "(`subgroup_size` $subgroup_size^)? attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        generator: str,
        invocations: Sequence[SSAValue | int],
        body: Region | None = None,
        *,
        source_region: str | None = None,
        workgroup_size: Sequence[int] | None = None,
        subgroup_size: int | None = None,
    ):
        static, dynamic = split_dynamic_index_list(invocations, DYNAMIC_INDEX)
        super().__init__(
            operands=[dynamic],
            properties={
                "static_invocations": sizes_attr(static),
                "generator": StringAttr(generator),
                "source_region": None if source_region is None else StringAttr(source_region),
                "workgroup_size": None if workgroup_size is None else sizes_attr(workgroup_size),
                "subgroup_size": None if subgroup_size is None else IntegerAttr(subgroup_size, i64),
            },
            regions=[body or Region(Block())],
        )

    @property
    def program(self) -> ProgramOp:
        """The program that the arm is of."""
        parent = self.parent_op()
        assert isinstance(parent, ProgramOp)
        return parent

    @property
    def domain(self) -> list[SSAValue | int]:
        """The invocation count along each axis: an integer, or an SSA value of type index."""
        return get_dynamic_index_list(
            self.static_invocations.get_values(), self.invocations, DYNAMIC_INDEX
        )

    @property
    def axes(self) -> int:
        """Axes of the invocation domain."""
        return len(self.domain)

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """
        The workgroup size: the arm's own, or the program's default. Of the default, a data-parallel
        arm takes along x what stands along axes that it does not have.
        """
        if self.workgroup_size is not None:
            return three_axes(self.workgroup_size.get_values())
        default = self.program.default_workgroup_size
        beyond = prod(default[self.axes :])
        if beyond == 1 or not self.is_data_parallel:
            return default
        x, *others = default[: self.axes]
        return three_axes([x * beyond, *others])

    @property
    def lanes(self) -> int:
        """Invocations in a subgroup."""
        if self.subgroup_size is None:
            return DEFAULT_SUBGROUP_SIZE
        return self.subgroup_size.value.data

    def accesses(self) -> Iterator[tuple[Operation, BufferOp]]:
        """Every op of the arm that has a buffer of the program as operand, with that buffer."""
        for op in ops_inside(self.body):
            for operand in op.operands:
                if isinstance(operand.owner, BufferOp):
                    yield op, operand.owner

    @property
    def is_data_parallel(self) -> bool:
        """Whether the arm's result is the same for every workgroup size."""
        return is_data_parallel(self.body)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.ops.canonicalization import StaticDomain

        return (StaticDomain(),)

    def verify_(self) -> None:
        static = self.static_invocations.get_values()
        verify_text(self.name, self.generator, self.source_region)
        if not self.generator.data:
            raise VerifyException(f"'{self.name}' expected a generator, got an empty string")
        if not 1 <= len(static) <= 3:
            raise VerifyException(
                f"'{self.name}' expected an invocation domain of 1 to 3 axes, got {len(static)}"
            )
        verify_dynamic_index_list(static, self.invocations, DYNAMIC_INDEX)
        for count in static:
            if count != DYNAMIC_INDEX and count <= 0:
                raise VerifyException(
                    f"'{self.name}' expected a positive invocation count, got {count}"
                )
        if self.workgroup_size is not None:
            verify_workgroup_size(self.name, self.workgroup_size.get_values())
        if not isinstance(self.parent_op(), ProgramOp):
            return
        if self.subgroup_size is not None or uses_subgroups(self.body):
            verify_subgroup_size(self.name, self.lanes, self.workgroup)
        if cooperative_op(self.body) is not None:
            self._verify_whole_workgroups()

    def _verify_whole_workgroups(self) -> None:
        for count, size in zip(three_axes_of(self.domain), self.workgroup, strict=True):
            if isinstance(count, int) and count % size:
                raise VerifyException(
                    f"'{self.name}' \"{self.generator.data}\" is cooperative and expected whole "
                    f"workgroups of {size} invocations, got {count} invocations"
                )
