"""`vyre.program`, its buffers, and its arms: the structure that everything else stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
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
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    NoMemoryEffect,
    NoTerminator,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.analysis.divergence import verify_convergence
from vyre_dialect.analysis.live_ranges import (
    BufferLiveRange,
    Placement,
    live_range_of,
    program_points,
    verify_placements,
)
from vyre_dialect.ir.cooperation import cooperative_op, is_data_parallel, uses_subgroups
from vyre_dialect.ir.interfaces import DependsOn, HasInvocationsInterface
from vyre_dialect.ir.syntax import Body, Sizes
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    BufferType,
    EscapeAttr,
    Initial,
    InitialAttr,
    MemorySpace,
    element_bytes,
    scalar_type,
    sizes_attr,
    three_axes,
    three_axes_of,
    verify_subgroup_size,
    verify_text,
    verify_workgroup_size,
)
from vyre_dialect.ir.verification import (
    NamedOperation,
    StructureError,
    verify_structure,
    verify_values,
)
from vyre_dialect.ir.workgroup_choice import ChoosesWorkgroupSizeInterface

DEFAULT_WORKGROUP_SIZE, DEFAULT_SUBGROUP_SIZE = (64, 1, 1), 32
NO_ARGUMENTS = RangeOf(AnyAttr()).of_length(0)


def verify_known_buffer(op: Operation, buffer: SSAValue) -> None:
    """Raise VerifyException unless `buffer` is declared by the program or a kernel argument."""
    if isinstance(buffer.owner, BufferOp):
        return
    if isinstance(buffer.owner, Operation):
        got = f"a result of '{buffer.owner.name}'"
    else:
        parent = buffer.owner.parent_op()
        if parent is None or isinstance(parent, HasInvocationsInterface):
            return
        got = f"a block argument of '{parent.name}'"
    raise VerifyException(
        f"'{op.name}' expected a buffer declared by 'vyre.buffer' or a kernel argument, got {got}"
    )


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
class ProgramOp(IRDLOperation, ChoosesWorkgroupSizeInterface):
    """
    A decode -> scan program: buffer declarations, and arms that run in order.

    What stands between the arms (`arith`, `vyre.buf_len`, a `vyre.load`) runs on the host
    and computes sizes and invocation counts.
    """

    name = "vyre.program"

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
class BufferOp(IRDLOperation, NamedOperation):
    """
    Declares a named buffer and yields it, so that its uses are the list of its accesses.

    A run-time sized buffer (`?`) takes its element count from the operand in brackets, or,
    without one, from what the host binds to it. Workgroup and private buffers exist once
    per workgroup or invocation of the arm that uses them, and start undefined.
    """

    name = "vyre.buffer"

    size = opt_operand_def(IndexType())
    """Element count of a run-time sized buffer that the host does not supply."""
    sym_name = prop_def(SymbolNameConstraint())
    binding = opt_prop_def(IntegerAttr.constr(i64))
    """Slot under which a host API binds the buffer."""
    live_out = opt_prop_def(UnitAttr)
    """The host reads the buffer back after the last arm."""
    initial = opt_prop_def(InitialAttr)
    """Contents before the first arm; `host` unless stated, for a global buffer."""
    fill = opt_prop_def(IntegerAttr.constr() | FloatAttr.constr())
    """Value of every element that the host does not supply; zero unless stated."""
    contents = opt_prop_def(DenseIntOrFPElementsAttr)
    """Compile-time contents of a read-only table."""
    output_range = opt_prop_def(DenseArrayBase.constr(i64))
    """The bytes `[begin, end)` that the host reads back, all of them unless stated."""
    escaping = opt_prop_def(EscapeAttr)
    """Why its contents matter to more than the arms."""
    non_escaping = opt_prop_def(UnitAttr)
    """Only the arms know it, so that its memory may be others' before and after."""
    arena_offset = opt_prop_def(IntegerAttr.constr(i64))
    """Where it begins in the program's arena, in bytes."""
    buffer = result_def(BufferType)

    traits = traits_def(NoMemoryEffect(), SymbolOpInterface(), DependsOn())
    custom_directives = (Sizes,)
    assembly_format = (
        "$sym_name (`[` $size^ `]`)? (`binding` $binding^)? (`live_out` $live_out^)? "
        "(`initial` $initial^)? (`fill` $fill^)? (`contents` $contents^)? "
        "(`output_range` custom<Sizes>($output_range)^)? (`escaping` $escaping^)? "
        "(`non_escaping` $non_escaping^)? (`arena_offset` $arena_offset^)? "
        "attr-dict `:` type($buffer)"
    )

    def __init__(
        self,
        name: str,
        type: BufferType,
        *,
        size: SSAValue | None = None,
        binding: int | None = None,
        live_out: bool = False,
        initial: Initial | None = None,
        fill: IntegerAttr | FloatAttr | None = None,
        contents: DenseIntOrFPElementsAttr | None = None,
        output_range: tuple[int, int] | None = None,
    ):
        super().__init__(
            operands=[size],
            result_types=[type],
            properties={
                "sym_name": StringAttr(name),
                "binding": None if binding is None else IntegerAttr(binding, i64),
                "live_out": UnitAttr() if live_out else None,
                "initial": None if initial is None else InitialAttr(initial),
                "fill": fill,
                "contents": contents,
                "output_range": None if output_range is None else sizes_attr(output_range),
            },
        )
        self.buffer.name_hint = name if SSAValue.is_valid_name(name) else None

    @property
    def type(self) -> BufferType:
        """The type of the buffer."""
        assert isinstance(self.buffer.type, BufferType)
        return self.buffer.type

    @property
    def is_sized_by_host(self) -> bool:
        """Whether its element count is what the host binds to it."""
        return self.type.static_count is None and self.size is None

    @property
    def initial_contents(self) -> Initial:
        """What the buffer holds before the first arm."""
        if self.initial is not None:
            return self.initial.data
        return Initial.HOST if self.type.space == MemorySpace.GLOBAL else Initial.UNDEFINED

    def placement(self, live_range: BufferLiveRange) -> Placement:
        """Where the buffer is in the arena, if it has a place there."""
        assert self.arena_offset is not None
        size = self.type.static_bytes or 0
        return Placement(self.sym_name.data, live_range, self.arena_offset.value.data, size)

    @property
    def _has_given_contents(self) -> bool:
        return self.fill is not None or self.contents is not None

    def verify_(self) -> None:
        verify_text(self.name, self.sym_name)
        self._verify_place()
        self._verify_size()
        self._verify_host_side()
        self._verify_contents()
        self._verify_output_range()
        self._verify_escape()

    def _verify_place(self) -> None:
        parent = self.parent_op()
        if parent is None or isinstance(parent, ProgramOp):
            return
        if isinstance(parent, RegionOp) or not isinstance(parent, HasInvocationsInterface):
            raise VerifyException(
                f"'{self.name}' expects parent op to be one of 'vyre.program', 'vyre.kernel'"
            )
        if self.type.space == MemorySpace.GLOBAL:
            raise self._error("expected a workgroup or private buffer in a kernel, got global")

    def _verify_size(self) -> None:
        space, element = self.type.space, self.type.element_type
        if self.size is not None and self.type.static_count is not None:
            raise self._error(
                f"expected no run-time size for a static count of {self.type.static_count}"
            )
        if space == MemorySpace.GLOBAL:
            return
        if self.type.static_count is None:
            raise self._error(f"expected a static count for a {space} buffer, got '?'")
        if element_bytes(element) is None:
            raise self._error(
                f"expected elements of a fixed size for a {space} buffer, got {element}"
            )

    def _verify_host_side(self) -> None:
        access = self.type.access.data
        if self.binding is not None and self.binding.value.data < 0:
            raise self._error(f"expected a non-negative binding, got {self.binding.value.data}")
        if self.initial_contents == Initial.UNDEFINED and not self.type.writable:
            raise self._error(f"expected initial contents for a buffer that is {access}")
        if self.type.space == MemorySpace.GLOBAL:
            return
        space = self.type.space
        if self.live_out is not None:
            raise self._error(f"expected a live-out buffer in global memory, got {space}")
        if self.binding is not None:
            raise self._error(f"expected no binding for a {space} buffer")
        if self.initial_contents == Initial.HOST or self._has_given_contents:
            raise self._error(f"expected no initial contents for a {space} buffer")

    def _verify_contents(self) -> None:
        element = self.type.element_type
        if self.fill is not None and self.fill.type != scalar_type(element):
            raise self._error(
                f"expected a fill of type {scalar_type(element)}, got {self.fill.type}"
            )
        if self.initial_contents == Initial.UNDEFINED and self._has_given_contents:
            raise self._error("expected no fill and no contents for an undefined buffer")
        if self.contents is None:
            return
        if self.fill is not None:
            raise self._error("expected a fill or compile-time contents, got both")
        if self.type.static_count is None:
            raise self._error("expected a static count for compile-time contents, got '?'")
        if self.type.writable:
            raise self._error("expected a read-only buffer for compile-time contents")
        if self.contents.get_element_type() != element:
            raise self._error(
                f"expected contents of type {element}, got {self.contents.get_element_type()}"
            )
        if len(self.contents) != self.type.static_count:
            raise self._error(
                f"expected contents for {self.type.static_count} elements, got {len(self.contents)}"
            )

    def _verify_output_range(self) -> None:
        if self.output_range is None:
            return
        bounds = self.output_range.get_values()
        limit = self.type.static_bytes
        if len(bounds) != 2 or not 0 <= bounds[0] < bounds[1]:
            raise self._error(f"expected an output range [begin, end) of bytes, got {list(bounds)}")
        if limit is not None and bounds[1] > limit:
            raise self._error(f"expected an output range within {limit} bytes, got {bounds[1]}")
        if self.live_out is None:
            raise self._error("expected an output range on a live-out buffer only")

    def _verify_escape(self) -> None:
        if self.escaping is not None and self.non_escaping is not None:
            raise self._error("expected either 'escaping' or 'non_escaping', got both")
        is_marked = self.escaping is not None or self.non_escaping is not None
        if is_marked and self.type.space != MemorySpace.GLOBAL:
            raise self._error(
                f"expected 'escaping' or 'non_escaping' of a global buffer, got {self.type.space}"
            )
        if self.non_escaping is not None and self.live_out is not None:
            raise self._error("expected a buffer that is not live out to be 'non_escaping'")
        if self.arena_offset is None:
            return
        if self.type.space == MemorySpace.GLOBAL and self.non_escaping is None:
            raise self._error("expected 'non_escaping' beside an arena offset")
        in_program = isinstance(self.parent_op(), ProgramOp)
        space = MemorySpace.GLOBAL if in_program else MemorySpace.WORKGROUP
        if self.type.space != space:
            raise self._error(f"expected an arena of {space} memory, got {self.type.space} memory")
        if self.type.static_bytes is None:
            raise self._error("expected a static size beside an arena offset")
        if (offset := self.arena_offset.value.data) < 0:
            raise self._error(f"expected a non-negative arena offset, got {offset}")


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
        """The workgroup size: the arm's own, or the program's default."""
        if self.workgroup_size is not None:
            return three_axes(self.workgroup_size.get_values())
        return self.program.default_workgroup_size

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
