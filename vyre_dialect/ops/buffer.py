"""`vyre.buffer`: the memory of programs and kernels, and where it may be declared."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import (
    NoMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.analysis.live_ranges import (
    BufferLiveRange,
    Placement,
)
from vyre_dialect.ir.interfaces import DependsOn, HasInvocationsInterface
from vyre_dialect.ir.syntax import Sizes
from vyre_dialect.ir.types import (
    BufferType,
    EscapeAttr,
    Initial,
    InitialAttr,
    MemorySpace,
    element_bytes,
    scalar_type,
    sizes_attr,
    verify_text,
)
from vyre_dialect.ir.value_names import value_name
from vyre_dialect.ir.verification import (
    NamedOperation,
)


class HasArenaInterface(Operation):
    """An op in which buffers are declared, some of which may share an arena."""

    ARENA_SPACE: ClassVar[MemorySpace]
    """The memory that the arena is in; what is not a program declares no global memory."""


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
        self.buffer.name_hint = value_name(name)

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
        if parent is None:
            return
        if not isinstance(parent, HasArenaInterface):
            raise VerifyException(
                f"'{self.name}' expects parent op to be one of 'vyre.program', 'vyre.kernel'"
            )
        if self.type.space == MemorySpace.GLOBAL and parent.ARENA_SPACE != MemorySpace.GLOBAL:
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
        parent = self.parent_op()
        in_arena = isinstance(parent, HasArenaInterface)
        space = parent.ARENA_SPACE if in_arena else MemorySpace.WORKGROUP
        if self.type.space != space:
            raise self._error(f"expected an arena of {space} memory, got {self.type.space} memory")
        if self.type.static_bytes is None:
            raise self._error("expected a static size beside an arena offset")
        if (offset := self.arena_offset.value.data) < 0:
            raise self._error(f"expected a non-negative arena offset, got {offset}")
