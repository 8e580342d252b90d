"""
`vyre-coarsen`: an invocation of a data-parallel arm, or a workgroup of a cooperative one, does
several items in a loop.

An *item* is what an invocation of the data-parallel arm did, or a workgroup of the cooperative
one. What an invocation keeps over the loop, as `vyre-privatize-reductions` lets it keep sums, is
kept over all of its items.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import MAX_COUNT
from vyre_dialect.builder import (
    Scalar,
    Value,
    constant,
    invocation_id,
    local_id,
    workgroup_id,
)
from vyre_dialect.builder.values import ceildiv, scalar
from vyre_dialect.ir.cooperation import unknown_op
from vyre_dialect.ir.interfaces import Id, ids_of, ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import (
    EACH_ITEM,
    GROUPS,
    ITEMS,
    MAX_WORKGROUP_INVOCATIONS,
    MAX_WORKGROUP_SIZE,
    Axis,
    MemorySpace,
    sizes_attr,
    three_axes,
)
from vyre_dialect.ops.invocation import BarrierOp, IdOp, InvocationIdOp, WorkgroupIdOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.rewriting.invocation_body import (
    guarded,
    looped,
    replace_ids,
    replaced_body,
)
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import set_domain

Order = Literal["blocked", "strided"]
_OF_ITEMS = frozenset({Id.INVOCATION, Id.WORKGROUP})
LEAST_WIDTH = 8
"""Invocations side by side whose accesses still are runs of memory."""
FEW_IDLE = 8
"""Times as many invocations as lie beyond the end of an axis: these are few."""
MOST_ITEMS = 1 << 16
"""An invocation asks for each of its items whether there is one."""
MOST_GROUPS = 1 << 31
"""Such that the invocations of a grid can be counted."""


@dataclass(frozen=True)
class CoarsenPass(RewritePass):
    """
    Lets each invocation, or workgroup, do `items` items along x, and launches as many fewer.

    The items of an invocation are next to each other (`blocked`), or as far apart as its
    workgroup is wide (`strided`), so that in each iteration neighbours have neighbouring items;
    those of a workgroup are next to each other. With `groups`, no more workgroups than that
    are launched. Each goes on by the whole grid until all items are done (`strided`), or does its
    share of them, which are next to each other (`blocked`); of a data-parallel arm with several
    axes, the last one is divided first, and one before it where that leaves groups over. Either is
    done to an arm once, and `vyre.items` and `vyre.groups` say how. Before that, `workgroup` is the
    workgroup size of each data-parallel arm that states none; 0 leaves it to the program, but for
    invocations of which many would be beyond the end of an axis, which lie along the next instead.
    """

    name = "vyre-coarsen"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE,
        Family.UNKNOWN,
        parameters=(
            Parameter("items", (1, 2, 4, 8, 16), 1),
            Parameter("order", ("strided", "blocked"), "strided"),
            Parameter("groups", (0, 8, 32, 128, 512, 2048), 0),
        ),
    )

    items: int = 1
    order: Order = "strided"
    groups: int = 0
    workgroup: int = 0

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        self._verify_options()
        rewriter = rewriter_of(module, facts)
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        for arm in [arm for program in programs for arm in program.arms()]:
            if unknown_op(arm.body) is None and not any(map(_knows_its_item, ops_inside(arm.body))):
                self._resize(arm, rewriter)
                self._coarsen(arm, rewriter)
        return rewriter.has_done_action

    def _verify_options(self) -> None:
        if not 1 <= self.items <= MOST_ITEMS:
            raise PassFailedException(
                f"'{self.name}' expected 1 to {MOST_ITEMS} items, got {self.items}"
            )
        if not 0 <= self.groups <= MOST_GROUPS:
            raise PassFailedException(
                f"'{self.name}' expected 0 to {MOST_GROUPS} groups, got {self.groups}"
            )
        if not 0 <= self.workgroup <= MAX_WORKGROUP_INVOCATIONS:
            raise PassFailedException(
                f"'{self.name}' expected a workgroup of 0 to {MAX_WORKGROUP_INVOCATIONS} "
                f"invocations, got {self.workgroup}"
            )

    def _resize(self, arm: RegionOp, rewriter: PatternRewriter) -> None:
        if arm.workgroup_size is not None or not arm.is_data_parallel:
            return
        size = (self.workgroup,) if self.workgroup else _fitting_size(arm)
        if three_axes(size) != arm.workgroup:
            arm.workgroup_size = sizes_attr(size)
            rewriter.notify_op_modified(arm)

    def _coarsen(self, arm: RegionOp, rewriter: PatternRewriter) -> None:
        more_items = self.items > 1 and ITEMS not in arm.attributes
        fewer_groups = self.groups > 0 and GROUPS not in arm.attributes
        if not more_items and not fewer_groups:
            return
        kind = _Invocations if arm.is_data_parallel else _Workgroups
        parts = kind(arm, rewriter)
        if more_items:
            parts.take_several(self.items, self.order)
            arm.attributes[ITEMS] = IntegerAttr(self.items, i64)
        if fewer_groups:
            parts.limit(self.groups, self.order)
            arm.attributes[GROUPS] = IntegerAttr(self.groups, i64)
        rewriter.notify_op_modified(arm)


def _fitting_size(arm: RegionOp) -> tuple[int, ...]:
    """
    The workgroup size of an arm, of which few lie beyond the end of an axis, where it is known how
    many invocations that has: those that are left over lie along the next one.
    """
    size = list(arm.workgroup[: arm.axes])
    for axis, count in enumerate(arm.domain[:-1]):
        if not isinstance(count, int):
            continue
        fitting = _fitting_width(count, size[axis])
        if fitting < size[axis]:
            more = size[axis + 1] * (size[axis] // fitting)
            size[axis], size[axis + 1] = fitting, min(more, MAX_WORKGROUP_SIZE[axis + 1])
    return tuple(size)


def _fitting_width(count: int, width: int) -> int:
    """The widest by which few invocations are beyond `count`, or else by which the fewest are."""

    def beyond(each: int) -> int:
        return -count % each

    halves = [width >> k for k in range(width.bit_length()) if width % (1 << k) == 0]
    widths = [each for each in halves if each >= min(width, count, LEAST_WIDTH)]
    few = (each for each in widths if beyond(each) * FEW_IDLE <= count)
    return next(few, min(widths, key=beyond))


def _knows_its_item(op: Operation) -> bool:
    """Whether an op of another package knows by itself what it runs for, and cannot be told."""
    return not isinstance(op, IdOp) and not _OF_ITEMS.isdisjoint(ids_of(op) or ())


class _Items(ABC):
    """An arm, and what its items are."""

    def __init__(self, arm: RegionOp, rewriter: PatternRewriter):
        self.arm = arm
        self.rewriter = rewriter
        self.width = arm.workgroup[0]
        """Invocations of a workgroup along x."""

    @property
    def count(self) -> Value | int:
        """Invocations along x."""
        return scalar(self.arm.domain[0])

    @abstractmethod
    def take_several(self, items: int, order: Order) -> None:
        """Let whoever did an item do so many, next to each other or strided."""

    @abstractmethod
    def limit(self, groups: int, order: Order) -> None:
        """Let so many workgroups at most do all items."""

    def _launch(self, count: Value | int) -> None:
        """Have another number of invocations along x."""
        set_domain(self.arm, [count, *self.arm.domain[1:]], self.rewriter)

    def _on_host(self) -> AbstractContextManager[None]:
        """Build in front of the arm."""
        return building(self.rewriter, InsertPoint.before(self.arm))

    def _replaced_body(self) -> AbstractContextManager[tuple[Block, list[Operation]]]:
        """What the body of the arm is to be, and the ops that stood there."""
        return replaced_body(self.arm.body.block, self.rewriter)

    def _add(self, block: Block, ops: list[Operation], condition: Value | None) -> None:
        """Put ops to the end of `block`, under a condition if there is one."""
        if condition is None:
            self.rewriter.insert(ops, InsertPoint.at_end(block))
        else:
            guarded(block, condition, ops)


class _Invocations(_Items):
    """The items of a data-parallel arm are its invocations."""

    def take_several(self, items: int, order: Order) -> None:
        count, stride = self.count, 1 if order == "blocked" else self.width
        with self._replaced_body() as (body, ops):
            with ImplicitBuilder(body):
                i, begin = invocation_id(), constant(0)
                block = i if stride == 1 else i // stride
                first = block * (stride * items)
                first = (first if stride == 1 else first + i % stride).named("first")
            with _items(body, begin, stride * items, stride) as (inner, offset):
                with ImplicitBuilder(inner):
                    item = first + offset.named("offset")
                    is_whole = isinstance(count, int) and count % (stride * items) == 0
                    exists = None if is_whole else item < count
                self._run(inner, ops, item, exists)
        with self._on_host():
            self._launch(_times(ceildiv(count, stride * items), stride))

    def limit(self, groups: int, order: Order) -> None:
        parts, items = self._parts(groups), dict[Axis, Value]()
        with self._replaced_body() as (block, ops), ExitStack() as loops:
            for axis, part in parts.items():
                with ImplicitBuilder(block):
                    share = _share(invocation_id(axis), part.count, part.invocations, order)
                block, items[axis] = loops.enter_context(_items(block, *share))
            self._add(block, ops, None)
            for axis, item in items.items():
                replace_ids(block, InvocationIdOp, axis, _named(item, axis), self.rewriter)
        set_domain(self.arm, [part.launched for part in reversed(parts.values())], self.rewriter)

    def _parts(self, groups: int) -> dict[Axis, _Part]:
        """
        What each axis is divided into, the last one first, which gets as many groups as it can
        take, such that a group does whole rows where there are enough of them.
        """
        left: Value | int = groups
        parts = dict[Axis, _Part]()
        axes = [*zip(Axis, map(scalar, self.arm.domain), self.arm.workgroup, strict=False)]
        with self._on_host():
            for axis, count, width in reversed(axes):
                launched = _min(ceildiv(count, width), left)
                parts[axis] = _Part(count, _times(left, width), _times(launched, width))
                if axis != Axis.X:
                    left = _at_least_one(_quotient(left, _at_least_one(launched)))
        return parts

    def _run(self, block: Block, ops: list[Operation], item: Value, exists: Value | None) -> None:
        """Run the body as invocation `item` at the end of `block`, if there is one."""
        self._add(block, ops, exists)
        replace_ids(block, InvocationIdOp, Axis.X, _named(item, Axis.X), self.rewriter)


@dataclass(frozen=True)
class _Part:
    """The items along an axis, and what shares them."""

    count: Value | int
    """How many there are."""
    invocations: Value | int
    """How many invocations have a share, the last ones perhaps an empty one."""
    launched: Value | int
    """Those of them that are launched."""


class _Workgroups(_Items):
    """The items of a cooperative arm are its workgroups."""

    def __init__(self, arm: RegionOp, rewriter: PatternRewriter):
        super().__init__(arm, rewriter)
        self.is_ordered = not any(
            buffer.type.space == MemorySpace.WORKGROUP for _, buffer in arm.accesses()
        )
        """Whether an item need not wait for the one before."""
        with self._on_host():
            if isinstance(self.count, Value) and self.width > 1:
                check = CheckWholeWorkgroupsOp(self.count.ssa, self.width, arm.generator.data)
                check.location = arm.location
            self.tiles = self.count // self.width

    def take_several(self, items: int, order: Order) -> None:
        tiles = self.tiles
        with self._replaced_body() as (body, ops):
            with ImplicitBuilder(body):
                first, begin = (workgroup_id() * items).named("first"), constant(0)
            with _items(body, begin, items, 1) as (inner, offset):
                with ImplicitBuilder(inner):
                    tile = first + offset.named("offset")
                    is_whole = isinstance(tiles, int) and tiles % items == 0
                    exists = None if is_whole else tile < tiles
                self._run(inner, ops, tile, exists)
        with self._on_host():
            self._launch_tiles(ceildiv(tiles, items))

    def limit(self, groups: int, order: Order) -> None:
        with self._replaced_body() as (body, ops):
            with ImplicitBuilder(body):
                share = _share(workgroup_id(), self.tiles, groups, order)
            with _items(body, *share) as (inner, tile):
                self._run(inner, ops, tile, None)
        with self._on_host():
            self._launch_tiles(_min(self.tiles, groups))

    def _launch_tiles(self, tiles: Value | int) -> None:
        self.tiles = tiles
        self._launch(_times(tiles, self.width))

    def _run(self, block: Block, ops: list[Operation], tile: Value, exists: Value | None) -> None:
        """Run the body as workgroup `tile` at the end of `block`, if there is one."""
        if not self.is_ordered:  # the next item may overwrite what this one reads
            ops = [*ops, BarrierOp(MemorySpace.WORKGROUP)]
            self.is_ordered = True
        with ImplicitBuilder(block):
            item = (tile.named("tile") * self.width + local_id()).named("item")
        self._add(block, ops, exists)
        replace_ids(block, WorkgroupIdOp, Axis.X, tile, self.rewriter)
        replace_ids(block, InvocationIdOp, Axis.X, item, self.rewriter)


def _items(
    body: Block, begin: Value, end: Scalar, step: Scalar
) -> AbstractContextManager[tuple[Block, Value]]:
    """A loop whose iterations are items: private memory begins anew in each."""
    return looped(body, begin, end, step, **{EACH_ITEM: UnitAttr()})


def _share(
    own: Value, count: Value | int, parts: Value | int, order: Order
) -> tuple[Value, Scalar, Scalar]:
    """Where the items of the part `own` of `parts` begin and end, and how far apart they are."""
    end = _bounded(count)
    if order == "strided":
        return own, end, parts
    # Not below zero, and of no more parts than there are: so the product does not wrap around.
    if isinstance(end, int) and isinstance(parts, int):
        size = -(-end // parts)
    else:
        size = _value(end).ceildiv(parts).max(0)
    begin = (own.min(parts - 1) * size).named("begin")
    return begin, (begin + size).min(end), 1


def _named(item: Value, axis: Axis) -> Value:
    return item.named("item" if axis == Axis.X else f"item_{axis}")


# Counts of the host, which are known at compile time or computed at the current place.


def _value(count: Value | int) -> Value:
    return constant(count) if isinstance(count, int) else count


def _bounded(count: Value | int) -> Value | int:
    """The count as the end of a loop: no more than any launch has, which bounds the counter."""
    return count if isinstance(count, int) else count.min(MAX_COUNT)


def _times(count: Value | int, factor: int) -> Value | int:
    return count if factor == 1 else count * factor


def _min(count: Value | int, limit: Value | int) -> Value | int:
    if isinstance(count, int) and isinstance(limit, int):
        return min(count, limit)
    return _value(count).min(limit)


def _quotient(count: Value | int, divisor: Value | int) -> Value | int:
    if isinstance(count, int) and isinstance(divisor, int):
        return count // divisor
    return _value(count) // divisor


def _at_least_one(count: Value | int) -> Value | int:
    return max(count, 1) if isinstance(count, int) else count.max(1)
