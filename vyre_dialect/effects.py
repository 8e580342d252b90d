"""Memory effects of the ops, stated on the buffer that they touch."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, get_effects
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.types import BufferType


class AccessKind(StrEnum):
    """What an op does to the elements of a buffer that it touches."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


FUNCTIONS = frozenset({"arith.extsi", "arith.remui", "vector.bitcast", "vector.reduction"})
"""Functions of their operands for which xDSL 0.74 states no effects."""


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """The memory effects of any op, or None when they are unknown."""
    return set() if op.name in FUNCTIONS else get_effects(op)


def _buffers(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, BufferType)]


class ReadsBuffers(MemoryEffect):
    """Reads every buffer among the op's operands, and nothing else."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.READ, buffer) for buffer in _buffers(op.operands)}


class WritesBuffers(MemoryEffect):
    """Writes every buffer among the op's operands, and nothing else."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.WRITE, buffer) for buffer in _buffers(op.operands)}


class UpdatesBuffers(MemoryEffect):
    """Reads and writes every buffer among the op's operands, as atomics do."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return ReadsBuffers.get_effects(op) | WritesBuffers.get_effects(op)


class CopiesFirstToSecond(MemoryEffect):
    """Reads the op's first buffer operand and writes its second."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        source, destination = _buffers(op.operands)
        return {
            EffectInstance(MemoryEffectKind.READ, source),
            EffectInstance(MemoryEffectKind.WRITE, destination),
        }


class ReadsFirstUpdatesRest(MemoryEffect):
    """Reads the op's first buffer operand; reads and writes the others, as atomics do."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        source, *results = _buffers(op.operands)
        effects = {EffectInstance(MemoryEffectKind.READ, source)}
        for result in results:
            effects.add(EffectInstance(MemoryEffectKind.READ, result))
            effects.add(EffectInstance(MemoryEffectKind.WRITE, result))
        return effects


class ReadsFirstWritesSecondUpdatesRest(MemoryEffect):
    """Reads the op's first buffer operand, writes its second, and updates the others."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        source, destination, *results = _buffers(op.operands)
        effects = {
            EffectInstance(MemoryEffectKind.READ, source),
            EffectInstance(MemoryEffectKind.WRITE, destination),
        }
        for result in results:
            effects.add(EffectInstance(MemoryEffectKind.READ, result))
            effects.add(EffectInstance(MemoryEffectKind.WRITE, result))
        return effects


class AccessesByType(MemoryEffect):
    """Reads and writes the op's buffer operands as far as their access mode allows."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        effects = set[EffectInstance]()
        for buffer in _buffers(op.operands):
            assert isinstance(buffer.type, BufferType)
            if buffer.type.readable:
                effects.add(EffectInstance(MemoryEffectKind.READ, buffer))
            if buffer.type.writable:
                effects.add(EffectInstance(MemoryEffectKind.WRITE, buffer))
        return effects


class OrdersMemory(MemoryEffect):
    """Orders all memory, so that no access may move across the op."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}
