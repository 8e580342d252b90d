"""
`vyre-cse`: computes and loads the same thing once.

Unlike xDSL's `cse`, it tells ops apart whose regions differ in the types of results only, looks
at the buffer that an effect is on, and takes linear time.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsolatedFromAbove, MemoryEffectKind

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import effects_of, is_effect_free
from vyre_dialect.ir.interfaces import (
    HasAccessesInterface,
    HasInvocationsInterface,
    is_convergent,
)
from vyre_dialect.ir.parts import operands_of, type_of
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import children_of, ops_inside
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

_Buffers = frozenset[SSAValue]
_NONE: _Buffers = frozenset()


@dataclass(frozen=True)
class CommonSubexpressionEliminationPass(RewritePass):
    """
    Replaces an op by an equal one whose results it sees, if it is a function of its operands
    and of buffers that nothing between the two may have changed. Arms and kernels share nothing
    with what is around them: the host would have to pass it.
    """

    name = "vyre-cse"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.SCALAR, invalidates=("canonicalize",)
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        return _Elimination(rewriter_of(module, facts)).run(module)


@dataclass(frozen=True)
class _Summary:
    """What an op does, with all that stands in its regions."""

    written: _Buffers | None
    """The buffers that may change; None when it may be any."""
    read: _Buffers | None
    """The buffers whose contents decide the results; None when something else does, too."""

    def join(self, other: _Summary) -> _Summary:
        """What both do."""
        if other is _FUNCTION:
            return self
        return _Summary(_union(self.written, other.written), _union(self.read, other.read))


_FUNCTION = _Summary(_NONE, _NONE)


@dataclass
class _Changes:
    """How often each buffer may have changed so far, in the order of the program."""

    everywhere: int = 0
    buffers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def note(self, written: _Buffers | None) -> None:
        """Something may have written these buffers, or any."""
        if written is None:
            self.everywhere += 1
            return
        for buffer in written:
            self.buffers[buffer] = self.buffers.get(buffer, 0) + 1

    def version(self, read: _Buffers) -> Hashable:
        """What tells the contents of these buffers from those at other times."""
        if not read:
            return None
        return self.everywhere, frozenset((buffer, self.buffers.get(buffer, 0)) for buffer in read)


class _Elimination:
    """One walk over a module, which remembers what the blocks around the current op compute."""

    def __init__(self, rewriter: PatternRewriter) -> None:
        self._rewriter = rewriter
        self._known: dict[Hashable, Operation] = {}
        self._changes = _Changes()
        self._summaries: dict[Operation, _Summary] = {}
        """Of ops that are more than functions of their operands."""
        self._numbers = _Numbers()

    def run(self, module: ModuleOp) -> bool:
        """Replace what is computed again; whether anything is."""
        for op in reversed(ops_inside(module)):  # what is inside of an op before it
            summary = _own_summary(op)
            for child in children_of(op) if op.regions else ():
                summary = summary.join(self._summaries.get(child, _FUNCTION))
            if summary is not _FUNCTION:
                self._summaries[op] = summary
        self._regions(module)
        return self._rewriter.has_done_action

    def _regions(self, op: Operation) -> None:
        outer = self._known
        if op.has_trait(IsolatedFromAbove) or isinstance(op, HasInvocationsInterface):
            self._known = {}
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        self._known = outer

    def _block(self, block: Block) -> None:
        """Replace ops of a block; what it computes is not known after it."""
        added = list[Hashable]()
        for op in block.ops:
            summary = self._summaries.get(op, _FUNCTION)
            if op.regions:
                if not isinstance(op, scf.IfOp | scf.IndexSwitchOp):
                    self._changes.note(summary.written)  # by an iteration before the first op of it
                self._regions(op)
            self._changes.note(summary.written)
            if op.results and summary.written == _NONE and summary.read is not None:
                self._operation(op, summary.read, added)
        for key in added:
            del self._known[key]

    def _operation(self, op: Operation, read: _Buffers, added: list[Hashable]) -> None:
        key = (self._structure(op), self._changes.version(read))
        if (known := self._known.get(key)) is None:
            self._known[key] = op
            added.append(key)
            return
        self._rewriter.replace(op, [], known.results)

    def _structure(self, op: Operation) -> Hashable:
        """What is equal for ops that compute the same, given the same memory."""
        if not op.regions:
            return self._numbers.of(op), operands_of(op)
        return _Nest(op, self._numbers)


class _Nest:
    """
    An op with regions, equal to others that compute the same. What is in the regions is looked at
    only where another op is the same outside, as few are.
    """

    def __init__(self, op: Operation, numbers: _Numbers):
        self._op, self._numbers = op, numbers
        self._outside = numbers.of(op), operands_of(op)

    def __hash__(self) -> int:
        return hash(self._outside)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Nest) or self._outside != other._outside:
            return False
        return self._parts == other._parts

    @cached_property
    def _parts(self) -> tuple[Hashable, ...]:
        values, parts = dict[SSAValue, int](), list[Hashable]()
        for inner in ops_inside(self._op):
            blocks = [block for region in inner.regions for block in region.blocks]
            parts.append(
                (
                    self._numbers.of(inner),
                    tuple(values.get(operand, operand) for operand in operands_of(inner)),
                    tuple(len(region.blocks) for region in inner.regions),
                    tuple((self._numbers.of_types(block.args), len(block.ops)) for block in blocks),
                )
            )
            for value in (*inner.results, *(arg for block in blocks for arg in block.args)):
                values[value] = len(values)
        return tuple(parts)


class _Numbers:
    """
    Numbers that are equal for ops that say the same, operands and regions apart. To hash attributes
    takes long, and most are shared: those objects are looked up first that were met before, which
    are kept, so that no others take their places.
    """

    def __init__(self) -> None:
        self._by_objects: dict[Hashable, tuple[int, tuple[Attribute, ...]]] = {}
        self._by_value: dict[Hashable, int] = {}

    def of(self, op: Operation) -> int:
        """The number of what an op is, with its attributes, properties and types of results."""
        attributes, properties, types = op.attributes, op.properties, map(type_of, op.results)
        said = (*attributes.values(), *properties.values(), *types)
        objects = type(op), tuple(attributes), tuple(properties), tuple(map(id, said))
        if (known := self._by_objects.get(objects)) is None:
            entries = frozenset(attributes.items()), frozenset(properties.items())
            value = (type(op), *entries, self.of_types(op.results))
            known = self._by_objects[objects] = self._number(value), said
        return known[0]

    def of_types(self, values: Sequence[SSAValue]) -> int:
        """The number of the types of values."""
        return self._number(tuple(map(type_of, values)))

    def _number(self, value: Hashable) -> int:
        return self._by_value.setdefault(value, len(self._by_value))


def _union(one: _Buffers | None, other: _Buffers | None) -> _Buffers | None:
    return None if one is None or other is None else one | other


def _own_summary(op: Operation) -> _Summary:
    """What an op does by itself."""
    if not op.regions and is_effect_free(type(op)) and not is_convergent(type(op)):
        return _FUNCTION
    if isinstance(op, HasAccessesInterface):
        accesses = op.get_accesses()
        written = frozenset(access.buffer for access in accesses if access.writes)
        return _Summary(written, None if written else frozenset(a.buffer for a in accesses))
    if op.regions:
        is_known = op.dialect_name() == "scf" and all(len(r.blocks) <= 1 for r in op.regions)
        writes_itself = not is_known and not isinstance(op, HasInvocationsInterface)
        return _Summary(None if writes_itself else _NONE, _NONE if is_known else None)
    if (effects := effects_of(op)) is None:
        return _Summary(None, None)
    changed = {effect.value for effect in effects if effect.kind != MemoryEffectKind.READ}
    buffers = frozenset(value for value in changed if isinstance(value, SSAValue))
    is_function = not effects and not is_convergent(type(op))
    is_known = len(buffers) == len(changed)
    return _Summary(buffers if is_known else None, _NONE if is_function else None)
