"""Programs and their arms, as they are built."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from xdsl.dialects.builtin import (
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from vyre_dialect.builder.buffers import Buffer
from vyre_dialect.builder.building import building, building_program
from vyre_dialect.builder.values import (
    Scalar,
    Value,
    dense_attr,
    number_attr,
    ssa,
)
from vyre_dialect.ir.element_types import element_type_of
from vyre_dialect.ir.html import fragment, highlighted
from vyre_dialect.ir.types import (
    DYNAMIC,
    Access,
    Axis,
    BufferType,
    Initial,
    MemorySpace,
    scalar_type,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import (
    InvocationIdOp,
)
from vyre_dialect.ops.program import ProgramOp, RegionOp

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

ID_NAMES = ("i", "j", "k")


@overload
def arm(
    generator: str,
    invocations: Scalar,
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[Value]: ...


@overload
def arm(
    generator: str,
    invocations: Sequence[Scalar],
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[tuple[Value, ...]]: ...


def arm(
    generator: str,
    invocations: Scalar | Sequence[Scalar],
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[Value] | AbstractContextManager[tuple[Value, ...]]:
    """
    An arm around what is built inside, at the current place. Gives the invocation id, or,
    for a domain of several axes (`[width, height]`), one id for each.

    Raises a ValueError where nothing is being built.
    """
    body = Block()
    domain = invocations if isinstance(invocations, Sequence) else [invocations]
    op = RegionOp(
        generator,
        [count if isinstance(count, int) else ssa(count) for count in domain],
        Region(body),
        workgroup_size=workgroup_size,
        subgroup_size=subgroup_size,
        source_region=source_region,
    )
    if op.parent is None:
        raise ValueError(
            f"arm '{generator}' expected to stand inside of what is being built, got nothing: "
            "open a 'program', or in an expansion 'ImplicitBuilder(rewriter)', around it"
        )
    ids = _ids(op)
    return ids if isinstance(invocations, Sequence) else _first(ids)


@contextmanager
def _ids(arm: RegionOp) -> Generator[tuple[Value, ...]]:
    axes = tuple(Axis)[: len(arm.domain)]
    with building(arm.body.block):
        ids = [InvocationIdOp(axis) for axis in axes]
        yield tuple(Value(op.id).named(name) for op, name in zip(ids, ID_NAMES, strict=False))
    for op in ids:
        if not op.id.uses:
            arm.body.block.erase_op(op)


@contextmanager
def _first(
    ids: AbstractContextManager[tuple[Value, ...]],
) -> Generator[Value]:
    with ids as (first, *_):
        yield first


@dataclass
class Program:
    """A program under construction."""

    op: ProgramOp

    @property
    def module(self) -> ModuleOp:
        """The program in a module of its own, or in the module that it already stands in."""
        parent = self.op.parent_op()
        return parent if isinstance(parent, ModuleOp) else ModuleOp([self.op])

    def __str__(self) -> str:
        """The program as IR."""
        return str(self.op)

    def _repr_html_(self) -> str:
        """For notebooks: the program as IR, highlighted."""
        return fragment(highlighted(str(self)))

    def buffer(
        self,
        name: str,
        element_type: Attribute | DTypeLike,
        count: int | Value | SSAValue | None = None,
        *,
        access: Access = Access.READ_WRITE,
        memory_space: MemorySpace = MemorySpace.GLOBAL,
        binding: int | None = None,
        live_out: bool = False,
        initial: Initial | None = None,
        fill: int | float | None = None,
        contents: Sequence[int | float] | None = None,
        output_range: tuple[int, int] | None = None,
    ) -> Buffer:
        """
        Declare a buffer of `count` elements: static, computed (a value), or, when it is None,
        as many as the host binds or as `contents` has. Elements are of an MLIR type or one of
        NumPy; the contents may be bytes, too. `binding` is the number by which a host binds it,
        `fill` is what each element is at first, and `output_range` are the first byte that the host
        reads back and the one after the last.

        Raises a TypeError or a ValueError for a number that the elements cannot hold.
        """
        element_type = element_type_of(element_type)
        if contents is not None:
            count = len(contents)
        static = count if isinstance(count, int) else DYNAMIC
        size = None if count is None or isinstance(count, int) else ssa(count)
        table = None
        if contents is not None:
            table = dense_attr(contents, VectorType(element_type, [len(contents)]))
        op = BufferOp(
            name,
            BufferType(static, element_type, access, memory_space),
            size=size,
            binding=binding,
            live_out=live_out,
            initial=initial,
            fill=None if fill is None else number_attr(fill, scalar_type(element_type)),
            contents=table,
            output_range=output_range,
        )
        return Buffer(op.buffer)

    @property
    def arm(self):
        """The function `arm`, which builds at the current place."""
        return arm


@contextmanager
def program(
    name: str, *, workgroup_size: Sequence[int] | None = None, entry_op_id: str | None = None
) -> Generator[Program]:
    """A program around what is built inside; verified at the end."""
    op = ProgramOp(name, workgroup_size=workgroup_size, entry_op_id=entry_op_id)
    with building_program(op):
        yield Program(op)
