"""
`vyre-privatize-reductions`: combines updates of global memory that commute before they are done.

    per invocation   one value, carried through branches and loops,
                     or private copies of a small buffer whose elements the data choose
    per workgroup    the values of its invocations by a tree in workgroup memory
                     (G. E. Blelloch, "Prefix sums and their applications", 1990),
                     or copies of a small buffer in workgroup memory
    at the end       one update of each element that is not neutral
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import prod
from typing import ClassVar, Literal

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.divergence import Divergence, DivergenceAnalysis, Scope
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import most_runs
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.nesting import is_in_loop
from vyre_dialect.analysis.stored_ranges import StoredRanges
from vyre_dialect.analysis.symbol_keys import Quotient
from vyre_dialect.analysis.update_groups import UpdateGroup, update_groups
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, local_id
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import unknown_op
from vyre_dialect.ir.interfaces import HasCombinerInterface, ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import Axis, BufferType, MemorySpace, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.memory.own_copies import (
    FEW_BITS,
    OwnCopies,
    SmallSums,
    flush_between_parts,
    is_flush,
    take_own_updates,
)
from vyre_dialect.passes.memory.own_rows import ROW_BYTES, WORDS, Field, OwnRows, fill_rows
from vyre_dialect.passes.memory.reduction_copies import (
    PrivateCopies,
    SharedCopies,
    Sum,
    chosen_by,
    lanes_of,
    rows_of,
    turns_side_by_side,
)
from vyre_dialect.passes.rewriting.carried_values import Step, carry
from vyre_dialect.passes.rewriting.computed_again import computed_again
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.invocation_body import detached
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import bytes_in, fill_workgroups, lane_in

DEFAULT_BUDGET = 16384
"""Bytes of workgroup memory, and of private memory, for all that an arm keeps there."""
MAX_COPIES = 16
WORD_BYTES = 4
"""Wider elements are updated in workgroup memory by loops of compare and exchange."""
FEW_COPIES = 4
"""As many are kept in private memory as there is room for."""
MANY_COPIES_BYTES = 20480
"""What more than few copies may take of private memory, beside a tile in the cache of a core."""
WIDE_COPIES_BYTES = 4096
"""
Of workgroup memory, for `wide_copies` of a buffer. With 43 KiB, too few workgroups ran at a time:
a histogram took 160 times as long (benchmarks/results/copies-nvidia-h200.json).
"""


@dataclass(frozen=True)
class PrivatizeReductionsPass(RewritePass):
    """
    Combines updates of global buffers that commute and whose old values are unused.

    `scope` says how far: over what an invocation does, which leaves a data-parallel arm
    data-parallel, or over its workgroup; one of a single invocation needs no memory of its own.
    `copies` of a small buffer are kept in workgroup memory by lane, so that neighbours who choose
    one element rarely wait for each other, and in private memory by update, so that one rarely
    waits for the one before. `budget` is the bytes of workgroup memory that an arm may take, and
    those of private memory. Elements wider than 32 bits, for which neighbours wait longest, have a
    copy for each invocation of a workgroup, which updates it without atomics, where all of these
    take no more than `own_bytes`; else `wide_copies`, or as many as take 4 KiB. Copies of its own
    have 32 bits, where these hold what is summed up in many iterations of the arm's loop, which
    then is run in parts. Updates by floats are left as they are unless `floats`, since their
    results depend on the order. With `lanes`, an invocation that updates by all lanes of a vector
    combined, in a loop, keeps the lanes apart until its end.
    """

    name = "vyre-privatize-reductions"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE,
        Family.UNKNOWN,
        requires=("vyre-coarsen",),
        parameters=(
            Parameter("scope", ("invocation", "workgroup"), "invocation"),
            Parameter("copies", (1, 2, 4, 8, 16), 1),
            Parameter("wide_copies", (1, 4, 16), 1),
            Parameter("own_bytes", (0, 8192, 24576), 0),
        ),
    )

    scope: Literal["invocation", "workgroup"] = "invocation"
    copies: int = 1
    wide_copies: int = 1
    own_bytes: int = 0
    budget: int = DEFAULT_BUDGET
    floats: bool = False
    lanes: bool = False

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        self._verify_options()
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        known = [(program, facts.get(Integers, program)) for program in programs]
        rewriter = rewriter_of(module, facts)
        for program, integers in known:
            for arm in list(program.arms()):
                if unknown_op(arm.body) is None:
                    _name_elements(arm, facts, rewriter)
                    divergence = facts.get(DivergenceAnalysis, arm)
                    forms = facts.get(LinearForms, arm)
                    _Privatization(arm, self, integers, divergence, forms, rewriter).apply()
        return rewriter.has_done_action

    def _verify_options(self) -> None:
        for name, copies in (("copies", self.copies), ("wide_copies", self.wide_copies)):
            if not 1 <= copies <= MAX_COPIES or copies & (copies - 1):
                raise PassFailedException(
                    f"'{self.name}' expected {name} to be a power of two up to {MAX_COPIES}, "
                    f"got {copies}"
                )
        for name, count in (("budget", self.budget), ("own_bytes", self.own_bytes)):
            if count < 0:
                raise PassFailedException(f"'{self.name}' expected no negative {name}, got {count}")


def _name_elements(arm: RegionOp, facts: AnalysisManager, rewriter: PatternRewriter) -> None:
    """Let updates say the number of their element where their index is known to be that number."""
    forms = facts.get(LinearForms, arm)
    for op in [each for each in ops_inside(arm.body) if isinstance(each, HasCombinerInterface)]:
        for access in op.get_accesses():
            index, block = access.index, op.parent
            if not isinstance(index, SSAValue) or block is None or not op.can_redirect(access):
                continue
            form = forms.at(index, block)
            if not form.terms and integer_of(index) is None:
                with building(rewriter, InsertPoint.before(op)):
                    op.redirect(access, access.buffer, constant(form.constant).ssa)
                rewriter.notify_op_modified(op)


@dataclass
class _Privatization:
    """Privatizes the reductions of one arm."""

    arm: RegionOp
    options: PrivatizeReductionsPass
    integers: Integers
    divergence: DivergenceAnalysis
    forms: LinearForms
    rewriter: PatternRewriter
    sums: list[Sum] = field(default_factory=list[Sum])
    shared: list[SharedCopies] = field(default_factory=list[SharedCopies])
    private: list[PrivateCopies] = field(default_factory=list[PrivateCopies])
    updates: dict[SSAValue, list[HasCombinerInterface]] = field(
        default_factory=dict[SSAValue, "list[HasCombinerInterface]"]
    )
    """Of each buffer, whatever becomes of them."""

    def __post_init__(self) -> None:
        self.stored = StoredRanges(self.integers)
        self.size = prod(self.arm.workgroup)
        spaces = (MemorySpace.WORKGROUP, MemorySpace.PRIVATE)
        self.own_bytes = self.options.own_bytes
        self.free = {space: self.options.budget - bytes_in(self.arm, space) for space in spaces}

    def apply(self) -> None:
        """Privatize what can be."""
        groups = update_groups(self.arm, self.divergence, floats=self.options.floats)
        for group in groups:
            self.updates.setdefault(group.buffer, []).extend(group.updates)
        groups = [group for group in groups if not all(map(is_flush, group.updates))]
        for group in self._besides_rows(groups):
            self._plan(group)
        if not self.shared and not self.private and not self.sums:
            return
        for each in self.sums:
            each.drop_guards()
        if self.options.lanes:
            self.sums = rows_of(self.sums)
        if self._is_cooperative:
            fill_workgroups(self.arm, self.integers, self.rewriter)
        body = self.arm.body.block
        start = Block()
        with ImplicitBuilder(start):
            self._begin_copies()
            initial = [value.named(each.name) for each in self.sums for value in each.start()]
        self.rewriter.insert(detached(start), InsertPoint.at_start(body))
        values = carry(body, [value.ssa for value in initial], self._steps(), self.rewriter)
        with building(self.rewriter, InsertPoint.at_end(body)):
            self._finish([Value(value) for value in values])

    @property
    def _is_cooperative(self) -> bool:
        """Whether the invocations of a workgroup combine what they have."""
        return bool(self.shared) or any(each.cells for each in self.sums)

    # What to do with each group.

    def _plan(self, group: UpdateGroup) -> None:
        element = group.divergence
        if element.is_invariant and element.scope <= Scope.WORKGROUP and self._is_shared(group):
            if cells := self._cells(group, self.size, MemorySpace.WORKGROUP):
                self.sums.append(Sum(group, self.rewriter, cells))
                return
        if element.is_invariant and group.is_repeated:
            self.sums.append(Sum(group, self.rewriter, lanes=self._lanes(group)))
        elif self._chooses_elements(group):
            self._plan_copies(group)

    def _chooses_elements(self, group: UpdateGroup) -> bool:
        """Whether data choose the elements that are updated, or what comes back to them."""
        element = group.divergence
        return not element.is_decided or (not element.is_invariant and self._is_met_again(group))

    def _is_met_again(self, group: UpdateGroup) -> bool:
        """
        Whether an element that ids or counters choose is updated again: by a loop, or by others
        whose quotient, or remainder, is the same.
        """
        if group.comes_back or not group.divergence & Divergence.INVOCATION:
            return group.comes_back
        return any(map(self._is_quotient, group.updates))

    def _is_quotient(self, op: HasCombinerInterface) -> bool:
        """Whether a quotient or a remainder chooses the element that is updated."""
        (access,) = op.get_accesses()
        if not isinstance(access.index, SSAValue) or op.parent is None:
            return False
        terms = self.forms.at(access.index, op.parent).terms
        return any(isinstance(symbol.key, Quotient) for symbol, _ in terms)

    def _lanes(self, group: UpdateGroup) -> tuple[int, ...]:
        """How many lanes updates of a group combine, if in a loop they may stay apart."""
        if not self.options.lanes or not any(map(is_in_loop, group.updates)):
            return (1,)
        return tuple(sorted({lanes_of(op) for op in group.updates}))

    @property
    def _may_share(self) -> bool:
        return self.options.scope == "workgroup" and self.size > 1

    def _is_shared(self, group: UpdateGroup) -> bool:
        return self._may_share and not group.by_one_invocation(self.arm.workgroup)

    def _besides_rows(self, groups: Sequence[UpdateGroup]) -> list[UpdateGroup]:
        """Plan rows of what is updated together, and give the others."""
        if not self._may_share or not self.own_bytes:
            return list(groups)
        own = [each for each in groups if self._chooses_elements(each) and each.count]
        taken = Counter(each.buffer for each in own)
        alone = [each for each in own if taken[each.buffer] == 1]
        placed = set[int]()
        fields = [Field(each, self.rewriter, self._small(each)) for each in alone]
        for row in fill_rows(fields, self.integers):
            if rows := self._own_rows(row):
                self.shared.append(rows)
                placed |= {id(each.group) for each in row}
        return [each for each in groups if id(each) not in placed]

    def _own_rows(self, fields: Sequence[Field]) -> OwnRows | None:
        """Rows for each invocation of a workgroup, where they fit."""
        group, count = fields[0].group, fields[0].count
        cells = count * self.size
        if cells * ROW_BYTES > self.own_bytes:
            return None
        found = self._cells(group, cells * WORDS, MemorySpace.WORKGROUP, i64)
        if found is None:
            return None
        self.own_bytes -= cells * ROW_BYTES
        return OwnRows(group, self.rewriter, found, count, self.size, fields)

    def _small(self, group: UpdateGroup) -> SmallSums | None:
        """What is known of the sums of all updates of a buffer, if few bits hold them."""
        return SmallSums.of(self.updates[group.buffer], self.integers, self.stored)

    def _plan_copies(self, group: UpdateGroup) -> None:
        if (count := group.count) is None:
            return
        if self._may_share:
            self._plan_shared(group, count)
        else:
            self._plan_private(group, count)

    def _plan_shared(self, group: UpdateGroup, count: int) -> None:
        for copies in self.shared:
            if copies.group.buffer is group.buffer:
                copies.group.updates += group.updates
                return
        if own := self._own_copies(group, count):
            self.shared.append(own)
            return
        copies = self._shared_copies(group, count)
        if cells := self._cells(group, count * copies, MemorySpace.WORKGROUP):
            self.shared.append(SharedCopies(group, self.rewriter, cells, count, copies))

    def _own_copies(self, group: UpdateGroup, count: int) -> OwnCopies | None:
        """A copy of wide elements for each invocation of a workgroup, where they fit."""
        size, cells = element_bytes(group.value_type), count * self.size
        if size is None or size <= WORD_BYTES or not self.own_bytes:
            return None
        small = self._small(group)
        type = group.value_type if small is None else FEW_BITS
        taken = cells * (size if small is None else WORD_BYTES)
        if taken > self.own_bytes:
            return None
        if (found := self._cells(group, cells, MemorySpace.WORKGROUP, type)) is None:
            return None
        self.own_bytes -= taken
        return OwnCopies(group, self.rewriter, found, count, self.size, small)

    def _shared_copies(self, group: UpdateGroup, count: int) -> int:
        """How many copies to keep of a buffer of `count` elements in workgroup memory."""
        asked, size = self.options.copies, element_bytes(group.value_type)
        if size is None or size <= WORD_BYTES:
            return asked
        fitting = max(WIDE_COPIES_BYTES // (count * size), 1)
        return max(asked, min(self.options.wide_copies, 1 << fitting.bit_length() - 1))

    def _plan_private(self, group: UpdateGroup, count: int) -> None:
        """Plan as many copies as fit, if that saves more updates than flushing takes."""
        if sum(most_runs(op, self.integers) for op in group.updates) <= count:
            return
        size = element_bytes(group.value_type)
        turns = max((self._turns(op, count) for op in group.updates), default=1)
        copies = 1 << min(self.options.copies, len(group.updates) * turns).bit_length() - 1
        while size is not None and copies:
            total = copies * PrivateCopies.distance(count, copies, size)
            is_many = copies > FEW_COPIES and total * size > MANY_COPIES_BYTES
            if not is_many and (cells := self._cells(group, total, MemorySpace.PRIVATE)):
                self.private.append(PrivateCopies(group, self.rewriter, cells, count, copies))
                return
            copies //= 2

    def _turns(self, op: HasCombinerInterface, count: int) -> int:
        """
        The turns that an update is to take in a loop, as many as run side by side, so that each is
        known: by lanes that are taken apart; or, under a guard, where it is known to be inside of
        the buffer. To keep it inside of a copy takes lanes nothing, and others as long as they
        would wait.
        """
        inside = Range(0, count - 1)
        is_guarded = isinstance(op.parent_op(), scf.IfOp)
        known = not is_guarded or self.integers.range_at(chosen_by(op), op.parent).within(inside)
        return turns_side_by_side(op) if known else 1

    def _cells(
        self, group: UpdateGroup, count: int, space: MemorySpace, type: Attribute | None = None
    ) -> Buffer | None:
        """
        A buffer of `count` values, of the type of the group's if no other, or none where there is
        not enough memory.
        """
        element = type or group.value_type
        size = element_bytes(element)
        if size is None or size * count > self.free[space]:
            return None
        self.free[space] -= size * count
        cells = BufferOp(
            unique_name(self.arm.program, f"{group.name}_of_{_OWNERS[space]}"),
            BufferType(count, element, memory_space=space),
        )
        self.rewriter.insert(cells, InsertPoint.before(self.arm))
        return Buffer(cells.buffer)

    # What happens to the updates.

    def _begin_copies(self) -> None:
        """Set the copies to what changes nothing, and let the updates go to them."""
        for copies in self.private:
            copies.begin()
            copies.take_updates()
        if not self.shared:
            return
        lane = lane_in(self.arm.workgroup)
        for copies in self.shared:
            copies.begin(lane, self.size)
        barrier(MemorySpace.WORKGROUP)
        own = [each for each in self.shared if isinstance(each, OwnCopies)]
        for copies in self.shared:
            if not isinstance(copies, OwnCopies):
                copies.take_updates(lane)
        take_own_updates(own, lane, self.rewriter)
        holding = [each for each in self.shared if isinstance(each, OwnCopies | OwnRows)]
        flush_between_parts(holding, lane, self.rewriter)

    def _steps(self) -> dict[Operation, Step]:
        """What each of the updates does to the value that is carried in its place."""
        steps, first = dict[Operation, Step](), 0
        for each in self.sums:
            for op in each.group.updates:
                slot = first + each.part_of(op)
                steps[op] = Step(slot, partial(each.combine, op, slot))
            first += len(each.lanes)
        return steps

    # The end of the arm.

    def _finish(self, values: Sequence[Value]) -> None:
        """Combine the values of a workgroup, and update each element once."""
        left = iter(values)
        totals = [each.total([next(left) for _ in each.lanes]) for each in self.sums]
        if self._is_cooperative:
            self._finish_together(totals)
        for each, total in zip(self.sums, totals, strict=True):
            if each.cells is None:
                for part, value in each.flushed(total):
                    self._flush(part, value.named(part.name))
        for copies in self.private:
            copies.end()

    def _finish_together(self, totals: Sequence[Value]) -> None:
        """What the invocations of a workgroup have in common."""
        lane = lane_in(self.arm.workgroup)
        shared = [each for each in self.sums if each.cells is not None]
        for each, total in zip(self.sums, totals, strict=True):
            if each.cells is not None:
                each.cells.store(total, lane, in_bounds=True)
        barrier(MemorySpace.WORKGROUP)
        if shared:
            self._combine_lanes(shared, lane)
        for copies in self.shared:
            copies.end(lane, self.size)
        if shared:
            with if_(self._is_first()):
                for each in shared:
                    assert each.cells is not None
                    self._flush(each, each.cells.load(0, in_bounds=True).named(each.name))

    def _combine_lanes(self, shared: Sequence[Sum], lane: Value) -> None:
        """Combine the upper half of the values with the lower one until one is left."""
        with for_(0, (self.size - 1).bit_length(), carry=[self.size]) as steps:
            (left,) = steps.named("left")
            half = ((left + 1) >> 1).named("half")
            with if_(lane < left - half):
                for each in shared:
                    _combine_cells(each, lane, lane + half)
            barrier(MemorySpace.WORKGROUP)
            steps.yields(half)

    def _is_first(self) -> Value:
        """Whether the invocation is the first one of its workgroup."""
        sizes = zip(Axis, self.arm.workgroup, strict=True)
        return reduce(Value.__and__, [local_id(axis).eq(0) for axis, size in sizes if size > 1])

    def _flush(self, sum_: Sum, value: Value) -> None:
        """Update the element of a sum by `value`, if that changes it."""
        with if_(sum_.changes(value)):
            index = sum_.group.index
            if isinstance(index, SSAValue):
                index = computed_again(self.arm, index)
            sum_.flush(value, index)
        self.rewriter.erase(sum_.update)


def _combine_cells(sum_: Sum, lane: Value, other: Value) -> None:
    """Combine the value of another lane with that of a lane."""
    assert sum_.cells is not None
    theirs = sum_.cells.load(other, in_bounds=True)
    own = sum_.cells.load(lane, in_bounds=True)
    sum_.cells.store(sum_.combined(own, theirs), lane, in_bounds=True)


_OWNERS = {MemorySpace.WORKGROUP: "group", MemorySpace.PRIVATE: "invocation"}
"""Whose memory it is, in the names of buffers."""
