"""Whether an arm depends on its workgroups, and which of its ops make it so."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from xdsl.ir import Operation, Region

from vyre_dialect.ir.interfaces import Id, buffers_of, ids_of, is_convergent
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace

_OF_SUBGROUPS = frozenset({Id.SUBGROUP, Id.LANE})
_OF_WORKGROUPS = frozenset({Id.WORKGROUP, Id.LOCAL}) | _OF_SUBGROUPS


def cooperative_op(body: Region) -> Operation | None:
    """The first op of an arm whose meaning depends on the workgroup, or None."""
    return next((op for op in ops_inside(body) if is_cooperative(op)), None)


def unknown_op(body: Region) -> Operation | None:
    """The first op of an arm that does not say which ids it depends on, or None."""
    return next((op for op in ops_inside(body) if ids_of(op) is None), None)


def is_data_parallel(body: Region) -> bool:
    """Whether an arm's result is the same for every workgroup size, as far as its ops say."""
    return not any(ids_of(op) is None or is_cooperative(op) for op in ops_inside(body))


def has_convergent_op(root: Operation | Region) -> bool:
    """Whether a workgroup does something together in an op or region."""
    return any(is_convergent(type(op)) for op in ops_inside(root))


def uses_subgroups(body: Region) -> bool:
    """Whether an arm has an op whose meaning depends on subgroups."""
    return any(depends_on_subgroups(ids_of(op) or frozenset()) for op in ops_inside(body))


def depends_on_subgroups(ids: AbstractSet[Id]) -> bool:
    """Whether any of `ids` is one of subgroups, or of places in them."""
    return not _OF_SUBGROUPS.isdisjoint(ids)


def is_cooperative(op: Operation) -> bool:
    """Whether the meaning of an op depends on the workgroup."""
    return (
        is_convergent(type(op))
        or not _OF_WORKGROUPS.isdisjoint(ids_of(op) or ())
        or any(_is_shared(buffer.type) for buffer in buffers_of(op))
    )


def _is_shared(type: object) -> bool:
    return isinstance(type, BufferType) and type.space == MemorySpace.WORKGROUP
