"""
What an op says about itself, wherever it is defined.

Effects, access relations, legality, guards, uniformity and the facts of a launch all follow from
these interfaces and traits. An op that does not say is refused by name, never guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, OpTrait
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.meaning import OWN_DIALECT, is_function
from vyre_dialect.ir.types import BufferType, MemorySpace


class AccessKind(StrEnum):
    """What an op does to the elements of a buffer that it touches."""

    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    """Reads and writes at once, as atomics do."""


@dataclass(frozen=True, slots=True)
class BufferAccess:
    """
    The elements `[index, index + count)` of a buffer, which an op touches whenever it runs.

    An access outside of the buffer reads zeros and writes nothing.
    """

    kind: AccessKind
    buffer: SSAValue
    index: SSAValue | int | None = None
    """The first element; None where the op does not say which."""
    count: SSAValue | int | None = 1
    """The number of elements; None where the op does not say how many."""
    idempotent: bool = False
    """Whether doing it again with the same operands changes nothing."""
    combiner: Hashable = None
    """
    What an update combines elements by, if it commutes and the old value is unused: updates with
    equal combiners may be done in any order.
    """

    @property
    def reads(self) -> bool:
        """Whether the op sees the elements."""
        return self.kind != AccessKind.WRITE

    @property
    def writes(self) -> bool:
        """Whether elements may change."""
        return self.kind != AccessKind.READ

    def commutes_with(self, other: BufferAccess) -> bool:
        """Whether both are updates that may be done in any order."""
        return self.combiner is not None and self.combiner == other.combiner


_EFFECTS = {
    AccessKind.READ: (MemoryEffectKind.READ,),
    AccessKind.WRITE: (MemoryEffectKind.WRITE,),
    AccessKind.UPDATE: (MemoryEffectKind.READ, MemoryEffectKind.WRITE),
}


class _AccessEffects(MemoryEffect):
    """The effects that follow from an op's accesses."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        assert isinstance(op, HasAccessesInterface)
        return {
            EffectInstance(kind, access.buffer)
            for access in op.get_accesses()
            for kind in _EFFECTS[access.kind]
        }


IN_BOUNDS = "in_bounds"
"""The property by which an op says that it stays inside of its buffers."""
PROVEN = frozenset({IN_BOUNDS, "alignment"})
"""Properties that say of an access what holds of one place only."""


class HasAccessesInterface(Operation, ABC):
    """
    An op that touches elements of buffers, and nothing else. Its memory effects follow. What it
    computes is a function of its operands and of what it reads, unless `DependsOn` adds ids.
    """

    traits = traits_def(_AccessEffects())

    @abstractmethod
    def get_accesses(self) -> Sequence[BufferAccess]:
        """Everything that the op touches, each time it runs."""
        raise NotImplementedError

    def can_redirect(self, access: BufferAccess) -> bool:
        """Whether `redirect` can tell the operands of the access from others."""
        return self._operand(access.buffer) is not None and self._operand(access.index) is not None

    def redirect(self, access: BufferAccess, buffer: SSAValue, index: SSAValue) -> None:
        """
        Let `access` go to `buffer`, from `index` on; what was proven of its old place is dropped.

        An op that takes its buffer or its index for another purpose, too, overrides this and
        `can_redirect`. Raises ValueError where the operands cannot be told from others.
        """
        places = self._operand(access.buffer), self._operand(access.index)
        if places[0] is None or places[1] is None:
            raise ValueError(f"'{self.name}' expected operands of their own for what it accesses")
        self.operands[places[0]] = buffer
        self.operands[places[1]] = index
        for proven in PROVEN & self.properties.keys():
            del self.properties[proven]

    def _operand(self, value: SSAValue | int | None) -> int | None:
        places = [place for place, operand in enumerate(self.operands) if operand is value]
        return places[0] if len(places) == 1 else None


class HasCombinerInterface(HasAccessesInterface, ABC):
    """
    An op that updates one element by the value of one operand, and says how such values combine:
    wherever its access has a combiner, one update by the combination of some values is as good
    as an update by each of them, in any order and grouping.
    """

    @property
    @abstractmethod
    def value_operand(self) -> int:
        """The position of the operand that the element is updated by."""
        raise NotImplementedError

    @abstractmethod
    def get_neutral_value(self) -> IntegerAttr | FloatAttr:
        """The value that changes no element, of the operand's type."""
        raise NotImplementedError

    @abstractmethod
    def combine(self, one: SSAValue, other: SSAValue) -> SSAValue:
        """The combination of two values, computed at the current place."""
        raise NotImplementedError


class Id(StrEnum):
    """What distinguishes invocations, besides the values that they compute with."""

    INVOCATION = "invocation"
    WORKGROUP = "workgroup"
    LOCAL = "local"
    SUBGROUP = "subgroup"
    LANE = "lane"
    """The position in the subgroup."""


@dataclass(frozen=True)
class DependsOn(OpTrait):
    """
    The results are a function of the operands, of the memory that the op reads, and of these ids.

    An op without ids, `DependsOn()`, is a function of its operands alone. That is also known of an
    op of another package whose description has a definition or `numpy` (`vyre_dialect.ir.meaning`).
    """

    ids: frozenset[Id]

    def __init__(self, *ids: Id):
        object.__setattr__(self, "ids", frozenset(ids))


class AlongAxis(OpTrait):
    """Of the ids that the op depends on, it sees those along its property `axis` only."""


class Convergent(OpTrait):
    """
    All invocations of a workgroup run the op together, or none of them does. What such an op
    computes of subgroups is a function of the operands of the whole subgroup.
    """


class UniformOperands(OpTrait):
    """All invocations of a workgroup give the op the same operands."""


class _OrdersAllMemory(MemoryEffect):
    """No access may move across the op."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


class OrdersMemoryInterface(Operation, ABC):
    """An op after which a workgroup sees what its invocations did to memory before it."""

    traits = traits_def(Convergent(), _OrdersAllMemory(), DependsOn())

    @property
    @abstractmethod
    def ordered_spaces(self) -> frozenset[MemorySpace]:
        """The memory spaces that are ordered."""
        raise NotImplementedError


class HasInvocationsInterface(Operation, ABC):
    """An arm or a kernel: a body that every invocation of its domain runs."""

    if TYPE_CHECKING:  # where an annotation is no field that xDSL would ask a definition of
        body: Region
        """What every invocation runs."""
        generator: StringAttr
        """What produced it: the name that errors and timings know it by."""

    @property
    def axes(self) -> int:
        """Axes of its domain: one, unless it says otherwise."""
        return 1

    @property
    @abstractmethod
    def workgroup(self) -> tuple[int, int, int]:
        """Invocations of a workgroup along three axes."""
        raise NotImplementedError

    @property
    @abstractmethod
    def lanes(self) -> int:
        """Invocations of a subgroup."""
        raise NotImplementedError


class HasExpansionInterface(Operation, ABC):
    """
    An op of a decode or scan library, which `vyre-expand` turns into arms.

    Its patterns build the arms at the place of the op, and erase the op. An op of another
    package needs no more than this interface to be expanded.
    """

    @classmethod
    @abstractmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        """The patterns that expand the op, imported when asked for; the first that matches wins."""
        raise NotImplementedError


FUNCTIONAL_DIALECTS = frozenset({"arith", "math", "scf", "vector"})
"""Dialects of xDSL whose ops depend on no ids; what `scf` does stands in its regions."""


def ids_of(op: Operation) -> frozenset[Id] | None:
    """The ids that the results of `op` depend on by itself, or None when it does not say."""
    return ids_of_class(type(op))


def ids_of_class(op: type[Operation]) -> frozenset[Id] | None:
    """As `ids_of`, of all ops of a class. What is described as a function depends on none."""
    ids = _ids_said_by(op)
    if ids is not None or op.dialect_name() == OWN_DIALECT:  # whose ops all say it themselves
        return ids
    return frozenset() if is_function(op) else None


@cache
def _ids_said_by(op: type[Operation]) -> frozenset[Id] | None:
    if (said := op.get_trait(DependsOn)) is not None:
        return said.ids
    if issubclass(op, HasAccessesInterface) or op.dialect_name() in FUNCTIONAL_DIALECTS:
        return frozenset()
    return None


@cache
def is_convergent(op: type[Operation]) -> bool:
    """Whether all invocations of a workgroup run ops of this class together."""
    return op.has_trait(Convergent)


def accesses_of(op: Operation) -> Sequence[BufferAccess]:
    """What `op` touches by itself; nothing unless it says so."""
    return op.get_accesses() if isinstance(op, HasAccessesInterface) else ()


def may_be_in_bounds(op: Operation) -> bool:
    """Whether `op` can say that it stays inside of its buffers, and does not say it yet."""
    return IN_BOUNDS not in op.properties and _says_in_bounds(type(op))


@cache
def _says_in_bounds(op: type[Operation]) -> bool:
    """Whether ops of a class say that they stay inside of their buffers, where that is known."""
    return (
        issubclass(op, HasAccessesInterface)
        and issubclass(op, IRDLOperation)
        and IN_BOUNDS in op.get_irdl_definition().properties
    )


def ops_outside_arms(root: Operation) -> Iterator[Operation]:
    """`root` and all ops in it but those of arms and kernels, which are given, in order."""
    pending = [root]
    while pending:
        op = pending.pop()
        yield op
        if isinstance(op, HasInvocationsInterface):
            continue
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                pending.extend(reversed(list(block.ops)))


def arms_in(root: Operation) -> list[HasInvocationsInterface]:
    """The arms and kernels of a module or program, in order."""
    return [op for op in ops_outside_arms(root) if isinstance(op, HasInvocationsInterface)]


def arm_of(op: Operation) -> HasInvocationsInterface | None:
    """The arm or kernel that `op` stands in, or None."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, HasInvocationsInterface):
        parent = parent.parent_op()
    return parent


def ops_around(op: Operation) -> Iterator[Operation]:
    """The ops around `op` inside of its arm, innermost first."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, HasInvocationsInterface):
        yield parent
        parent = parent.parent_op()


def buffers_of(op: Operation) -> Iterator[SSAValue]:
    """The buffers among the operands of `op`."""
    return (value for value in op.operands if isinstance(value.type, BufferType))
