"""
Handoffs that are written in lanes, and the arms that read them by their own number: what
`vyre-transpose-handoffs` may transpose, proved by isl.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.isl import isl
from vyre_dialect.builder import Value
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, refusal_of, refusal_of_arm
from vyre_dialect.passes.rewriting.whole_workgroups import is_multiple

T = TypeVar("T", bound=Operation)

FEWEST_LANES = 8
"""Of fewer lanes, what an invocation writes is near enough to what neighbours do."""
OWN_NUMBER = "{ I[i, 0, 0] -> E[i] }"
"""What an arm touches whose invocations take the element of their own number."""


@dataclass(frozen=True)
class Blocks:
    """Blocks of elements in rows of `lanes`; an invocation writes the `rows` of one lane."""

    lanes: int
    rows: int

    @property
    def size(self) -> int:
        """The elements of a block."""
        return self.lanes * self.rows

    def element(self, place: Value) -> Value:
        """Which element stands at a place when those of a lane follow each other."""
        block = place // self.size * self.size
        return block + place % self.rows * self.lanes + place // self.rows % self.lanes

    def place_of(self, element: Value, writer: Value) -> Value:
        """Where an element stands then that a certain invocation writes."""
        return writer * self.rows + element // self.lanes % self.rows

    def are_whole(self, handoff: BufferOp, integers: Integers) -> bool:
        """Whether a handoff is known to have whole blocks, so that it has all of their places."""
        count = handoff.size if handoff.size is not None else handoff.type.static_count
        return count is not None and is_multiple(count, self.size, integers)

    @property
    def written(self) -> str:
        """The relation from each invocation to the elements that it writes, for isl."""
        lane = f"{self.size} * floor(i / {self.lanes}) + i mod {self.lanes}"
        rows = f"0 <= r < {self.rows}"
        return f"{{ I[i, 0, 0] -> E[e] : exists r : {rows} and e = {lane} + {self.lanes} * r }}"


@dataclass(frozen=True, eq=False)
class Group:
    """Handoffs that are transposed together, and the arms whose invocations are."""

    blocks: Blocks
    handoffs: dict[BufferOp, None] = field(default_factory=dict[BufferOp, None])
    arms: dict[RegionOp, None] = field(default_factory=dict[RegionOp, None])
    decoders: dict[RegionOp, None] = field(default_factory=dict[RegionOp, None])
    """The arms that write handoffs in lanes, whose invocations stay where they are."""

    def admits(self, moved: Iterable[RegionOp], decoders: Iterable[RegionOp]) -> bool:
        """Whether no arm would move that writes in lanes: each may do either to a handoff."""
        return self.decoders.keys().isdisjoint(moved) and self.arms.keys().isdisjoint(decoders)

    def of_copy(self, copies: Mapping[Operation, Operation]) -> Group:
        """The same in a copy of the program."""
        return Group(
            self.blocks,
            {_same(handoff, copies[handoff]): None for handoff in self.handoffs},
            {_same(arm, copies[arm]): None for arm in self.arms},
            {_same(arm, copies[arm]): None for arm in self.decoders},
        )


def _same(op: T, copy: Operation) -> T:
    assert isinstance(copy, type(op))
    return copy


@dataclass(frozen=True, eq=False)
class BlockLayouts:
    """Looks for what can be transposed in a program."""

    analysis: ProgramAnalysis
    integers: Integers

    def group_of(self, handoff: BufferOp) -> Group | None:
        """What is to be transposed with a handoff that is written in lanes, if one is."""
        if not self._is_open(handoff) or (blocks := self._blocks_of(handoff)) is None:
            return None
        group, pending = Group(blocks), [handoff]
        while pending:
            each = pending.pop()
            if each in group.handoffs or not self._joins(each, blocks):
                continue
            arms = self.analysis.users(each).arms
            moved = [arm for arm in arms if self._takes_own_number(arm, each)]
            decoders = [arm for arm in arms if arm not in moved]
            if not group.admits(moved, decoders):
                continue
            group.handoffs[each] = None
            group.arms.update(dict.fromkeys(moved))
            group.decoders.update(dict.fromkeys(decoders))
            pending += [other for arm in moved for other in self.analysis.touches(arm)]
        return group if group.handoffs else None

    def accesses(self, arm: RegionOp, handoff: BufferOp) -> list[AccessRelation]:
        """What an arm does with a handoff."""
        accesses = self.analysis.accesses(arm)
        return accesses.to(handoff) if isinstance(accesses, ArmAccesses) else []

    def _is_open(self, handoff: BufferOp) -> bool:
        """Whether arms alone know what a handoff holds."""
        if not is_handoff(self.analysis, handoff) or handoff.initial_contents == Initial.HOST:
            return False
        if refusal_of(self.analysis, handoff) is not None:
            return False
        users = self.analysis.users(handoff)
        return len(users.arms) > 1 and not users.host_loads and not users.probes

    def _joins(self, handoff: BufferOp, blocks: Blocks) -> bool:
        """Whether arms take a handoff by their own number, all but one that writes it in lanes."""
        if not self._is_open(handoff):
            return False
        producer, *consumers = self.analysis.users(handoff).arms
        if not all(self._takes_own_number(arm, handoff) for arm in consumers):
            return False
        if not blocks.are_whole(handoff, self.integers) and not self._may_grow(handoff):
            return False
        return self._takes_own_number(producer, handoff) or self._blocks_of(handoff) == blocks

    def _may_grow(self, handoff: BufferOp) -> bool:
        """Whether a handoff may have more elements, as no arm reads beyond those that it has."""
        return handoff.size is not None and all(
            self.analysis.ask(lambda read=read: read.stays_inside(self.analysis.symbols)) is True
            for arm in self.analysis.users(handoff).arms
            for read in self.accesses(arm, handoff)
            if read.access.reads
        )

    def _takes_own_number(self, arm: RegionOp, handoff: BufferOp) -> bool:
        """Whether invocations, which may change places, touch the element of their number."""
        facts = self.analysis.facts(arm)
        if not facts.is_data_parallel or refusal_of_arm(facts, is_producer=False) is not None:
            return False
        if (reach := self._reach(arm, handoff)) is None:
            return False
        own = self.analysis.symbols.relation(OWN_NUMBER)
        return self.analysis.ask(lambda: reach.is_subset(own)) is True

    def _blocks_of(self, handoff: BufferOp) -> Blocks | None:
        """The blocks in which the first arm that touches a handoff writes it, if it does."""
        producer = self.analysis.users(handoff).arms[0]
        written = self._reach(producer, handoff)
        if written is None or any(each.access.reads for each in self.accesses(producer, handoff)):
            return None
        blocks = self.analysis.ask(lambda: self._blocks(written))
        return blocks if isinstance(blocks, Blocks) else None

    def _reach(self, arm: RegionOp, handoff: BufferOp) -> isl.Map | None:
        """What invocations touch of a handoff, inside of it or not, if each is one element."""
        accesses, found = self.analysis.accesses(arm), self.accesses(arm, handoff)
        if not found or not all(map(_is_of_one_element, found)):
            return None
        assert isinstance(accesses, ArmAccesses)
        return accesses.reach(found).intersect_domain(accesses.invocations)

    def _blocks(self, written: isl.Map) -> Blocks | None:
        """The blocks of what a producer writes: told by its first invocation, proved of all."""
        first = self.analysis.symbols.relation("{ I[0, 0, 0] -> E[0] }")
        elements = written.intersect_domain(first.domain()).range().project_out_all_params()
        others = elements.subtract(first.range())
        if others.is_empty() or not elements.is_bounded():
            return None
        lanes, last = _number(others.dim_min_val(0)), _number(others.dim_max_val(0))
        if lanes < FEWEST_LANES:
            return None
        blocks = Blocks(lanes, last // lanes + 1)
        return blocks if written.is_subset(self.analysis.symbols.relation(blocks.written)) else None


def _number(value: isl.Val) -> int:
    return int(value.to_python())


def _is_of_one_element(access: AccessRelation) -> bool:
    return access.access.count == 1 and access.can_redirect and access.reach is not None
