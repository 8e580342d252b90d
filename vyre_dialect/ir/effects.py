"""Memory effects of any op, stated on the buffer that it touches."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    is_speculatable,
)

from vyre_dialect.ir.interfaces import (
    FUNCTIONAL_DIALECTS,
    AccessKind,
    HasAccessesInterface,
    OrdersMemoryInterface,
    buffers_of,
)
from vyre_dialect.ir.traversal import children_of, ops_inside
from vyre_dialect.ir.types import BufferType

FUNCTIONS = frozenset(
    {"arith.extsi", "arith.remui", "vector.bitcast", "vector.create_mask", "vector.reduction"}
)
"""Functions of their operands for which xDSL 0.74 states no effects."""


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """
    The memory effects of any op, or None when they are unknown.

    As xDSL's `get_effects`, but that what is known of a class is asked once, and no recursion.
    """
    effects = set[EffectInstance]()
    pending = [op]
    while pending:
        op = pending.pop()
        if is_effect_free(type(op)):
            continue
        traits = _effect_traits(type(op))
        if not traits:
            return None
        for trait in traits:
            if isinstance(trait, RecursiveMemoryEffect):
                pending.extend(children_of(op))
            elif (own := trait.get_effects(op)) is None:
                return None
            else:
                effects.update(own)
    return effects


def is_trivially_dead(op: Operation) -> bool:
    """As xDSL's: whether nothing uses the results of `op`, which has no other effect."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return not _is_needed(type(op)) and is_dead_without_uses(op)


@cache
def _is_needed(op: type[Operation]) -> bool:
    """Whether ops of a class end blocks or have names, by which others may know them."""
    return op.has_trait(IsTerminator, value_if_unregistered=False) or op.has_trait(
        SymbolOpInterface, value_if_unregistered=False
    )


def is_dead_without_uses(op: Operation) -> bool:
    """
    Whether `op` would be dead if nothing used its results. As xDSL's `result_only_effects`:
    what it reads does not count, nor what is allocated inside of it.
    """
    pending = [op]
    while pending:
        each = pending.pop()
        if is_effect_free(type(each)):
            continue
        traits = _effect_traits(type(each))
        if not traits:
            return False
        for trait in traits:
            if isinstance(trait, RecursiveMemoryEffect):
                pending.extend(children_of(each))
                continue
            effects = trait.get_effects(each)
            if effects is None or not all(_stays_inside(effect, op) for effect in effects):
                return False
    return True


def _stays_inside(effect: EffectInstance, op: Operation) -> bool:
    if effect.kind == MemoryEffectKind.READ:
        return True
    value = effect.value
    if effect.kind != MemoryEffectKind.ALLOC or not isinstance(value, SSAValue):
        return False
    return op.is_ancestor(value.owner)


@cache
def _effect_traits(op: type[Operation]) -> tuple[MemoryEffect, ...]:
    return tuple(op.get_traits_of_type(MemoryEffect))


@cache
def is_effect_free(op: type[Operation]) -> bool:
    """Whether no op of a class has effects; of some other classes, single ops have none."""
    if op.name in FUNCTIONS:
        return True
    traits = _effect_traits(op)
    return bool(traits) and all(isinstance(trait, NoMemoryEffect) for trait in traits)


def is_total(op: Operation) -> bool:
    """
    Whether `op` may run where it did not: arithmetic, which has a result for all operands, also
    where xDSL's, like MLIR's, has none for some; and what says so itself.
    """
    is_arithmetic = op.dialect_name() in FUNCTIONAL_DIALECTS and not op.regions
    return (is_arithmetic and is_effect_free(type(op))) or is_speculatable(op)


def states_effects(op: Operation) -> bool:
    """
    Whether all that `op` does by itself is known: it has no effects, or says which elements of
    which buffers it touches, or orders memory. What stands in its regions is not asked.
    """
    if not op.regions and is_effect_free(type(op)):
        return True
    if isinstance(op, HasAccessesInterface | OrdersMemoryInterface):
        return True
    if op.regions:
        return op.dialect_name() == "scf"
    effects = effects_of(op)
    return effects is not None and not effects


def buffers_touched(body: Region) -> dict[SSAValue, frozenset[AccessKind]]:
    """
    The buffers that the ops of a body touch, and whether they read and write them. An op that
    does not say what it does may do with its operands whatever their types allow.
    """
    touched = dict[SSAValue, frozenset[AccessKind]]()
    for op in ops_inside(body):
        for buffer in buffers_of(op):
            touched[buffer] = touched.get(buffer, frozenset()) | _kinds(op, buffer)
    return {buffer: kinds for buffer, kinds in touched.items() if kinds}


def kinds_of_accesses(buffer: SSAValue) -> frozenset[AccessKind]:
    """Whether any op reads and writes a buffer, as `buffers_touched` has it of a body."""
    users = dict.fromkeys(use.operation for use in buffer.uses)
    return frozenset[AccessKind]().union(*(_kinds(op, buffer) for op in users))


def _kinds(op: Operation, buffer: SSAValue) -> frozenset[AccessKind]:
    if (effects := effects_of(op)) is not None:
        kinds = {_KINDS.get(effect.kind) for effect in effects if effect.value is buffer}
        return frozenset(kind for kind in kinds if kind is not None)
    assert isinstance(buffer.type, BufferType)
    allowed = {AccessKind.READ: buffer.type.readable, AccessKind.WRITE: buffer.type.writable}
    return frozenset(kind for kind, may in allowed.items() if may)


_KINDS = {
    MemoryEffectKind.READ: AccessKind.READ,
    MemoryEffectKind.WRITE: AccessKind.WRITE,
}
