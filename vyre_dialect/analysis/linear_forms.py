"""
Indices of an arm or kernel as forms of ids, counters, lengths and values, and what is proven of
them under guards.

A form is exact: an op whose result might wrap around is a symbol of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.forms import (
    LINEAR,
    MAX_DEPTH,
    ExactOperands,
    FormTransfer,
    LinearForm,
    Symbol,
    inequalities,
    is_never_positive,
)
from vyre_dialect.analysis.forward_analysis import Counter, ForwardAnalysis, Rule, origin_of
from vyre_dialect.analysis.guards import Comparison, guards_of
from vyre_dialect.analysis.integers import Integers, Place
from vyre_dialect.analysis.launches import Launches
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.analysis.range_transfers import axis_number
from vyre_dialect.analysis.symbol_keys import ElementCount, IdAlong, Iteration
from vyre_dialect.analysis.value_ranges import MAX_COUNT, Range
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import HasInvocationsInterface, Id
from vyre_dialect.ir.types import BufferType, three_axes_of
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp, LocalIdOp, WorkgroupIdOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp, measured_buffer
from vyre_dialect.ops.program import RegionOp

MAX_TERMS = 32
"""Symbols of a form; a sum of more is a symbol of its own."""
_Id = InvocationIdOp | WorkgroupIdOp | LocalIdOp
_Step = Rule[SSAValue, LinearForm]
"""How the form of a value follows from those of others, all seen from one block."""


class LinearForms(ForwardAnalysis[Place, LinearForm], Analysis):
    """The forms of the values of one arm or kernel, and what is known about their symbols."""

    start = LinearForm()

    def __init__(self, arm: HasInvocationsInterface, launch: LaunchOp | None, integers: Integers):
        """
        `launch` is one of a kernel whose launches are computed alike: from it follow the number of
        workgroups and how the host has computed the sizes of buffers. Without, nothing is assumed
        of what is passed.
        """
        super().__init__()
        self.arm, self.launch, self.integers = arm, launch, integers
        self._implied: dict[Block, list[LinearForm]] = {}

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The forms in an arm, or in a kernel with what its launches say."""
        assert isinstance(scope, HasInvocationsInterface)
        is_kernel = isinstance(scope, KernelOp)
        launch = facts.get(Launches, scope).typical_of(scope) if is_kernel else None
        return cls(scope, launch, facts.get(Integers, scope))

    def at(self, value: SSAValue, block: Block) -> LinearForm:
        """The form of an index wherever `block` runs."""
        return self.fact(self.integers.place(value, block))

    def length_at(self, buffer: SSAValue, block: Block) -> LinearForm:
        """The form of a buffer's element count."""
        step = self._length(buffer)
        return step.apply([self.at(source, block) for source in step.sources])

    def is_never_positive(
        self, goal: LinearForm, block: Block, assumed: Sequence[LinearForm] = ()
    ) -> bool:
        """
        Whether `goal <= 0` follows from what is known wherever `block` runs, and from forms that
        are `assumed` to be at most 0.
        """
        if goal.highest <= 0:
            return True
        if block not in self._implied:
            self._implied[block] = [
                form for guard in guards_of(block) for form in self._implied_by(guard, block)
            ]
        guards = [*assumed, *self._implied[block]]
        return is_never_positive(goal, [*guards, *_facts_about([goal, *guards])])

    def _implied_by(self, guard: Comparison, block: Block) -> Iterator[LinearForm]:
        left, right = self.at(guard.left, block), self.at(guard.right, block)
        yield from inequalities(
            guard, left, right, lambda value: self.integers.range_at(value, block).is_non_negative
        )

    def rule(self, node: Place) -> Rule[Place, LinearForm]:
        """The form as the guards around the block let it be, or as it is without them."""
        value, block = node
        outer = self.integers.outer_place(node)
        if outer is not None and not self.integers.is_evaluated_again(value):
            return Rule([outer], _same)
        step = self._step(value, block)
        return Rule([self.integers.place(source, block) for source in step.sources], step.apply)

    def _step(self, value: SSAValue, block: Block | None) -> _Step:
        if (buffer := measured_buffer(value)) is not None:
            return self._length(buffer)
        if (passed := self._passed(value)) is not None:
            return Rule([passed], _same)
        if isinstance(value, BlockArgument):
            return self._counter(value, block)
        op = value.owner
        assert isinstance(op, Operation)
        transfer = LINEAR.of(type(op)) if isinstance(value.type, IndexType) else None
        if transfer is not None:
            return Rule(op.operands, partial(self._arithmetic, transfer, value, block))
        match op:
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                return _always(LinearForm((), op.value.value.data))
            case BufLenOp():
                return self._length(op.buffer)
            case InvocationIdOp() | WorkgroupIdOp() | LocalIdOp():
                return self._id(op)
            case _:
                return _always(self._opaque(value, block).form)

    def _opaque(self, value: SSAValue, block: Block | None) -> Symbol:
        return Symbol(value, self.integers.range_at(value, block))

    # Sizes and ids.

    def _length(self, buffer: SSAValue) -> _Step:
        assert isinstance(buffer.type, BufferType)
        if (count := buffer.type.static_count) is not None:
            return _always(LinearForm((), count))
        buffer = self._of_program(buffer)
        if isinstance(buffer.owner, BufferOp) and buffer.owner.size is not None:
            return Rule([buffer.owner.size], _same)
        return _always(Symbol(ElementCount(buffer), Range(0, MAX_COUNT)).form)

    def _of_program(self, buffer: SSAValue) -> SSAValue:
        """The buffer that the launch passes for an argument of the kernel."""
        if self.launch is None or not isinstance(buffer, BlockArgument):
            return buffer
        return self.launch.arguments[buffer.index]

    def _passed(self, value: SSAValue) -> SSAValue | None:
        """What the launch passes for an argument of the kernel that is an index."""
        if self.launch is None or not isinstance(value, BlockArgument):
            return None
        is_argument = value.block.parent_op() is self.arm
        return self.launch.arguments[value.index] if is_argument else None

    def _id(self, op: _Id) -> _Step:
        axis = axis_number(op.axis.data)
        size = self.arm.workgroup[axis]
        local = Symbol(IdAlong(Id.LOCAL, axis), Range(0, size - 1)).form
        match op:
            case LocalIdOp():
                return _always(local)
            case InvocationIdOp() if not self._counts_invocations:
                group = self._below(Id.WORKGROUP, axis)
                return Rule(group.sources, lambda forms: group.apply(forms).times(size).plus(local))
            case InvocationIdOp():
                return self._below(Id.INVOCATION, axis)
            case WorkgroupIdOp():
                return self._below(Id.WORKGROUP, axis)

    @cached_property
    def _counts_invocations(self) -> bool:
        """Whether the domain is one of invocations, which need not fill their workgroups."""
        return isinstance(self.arm, RegionOp) and self.arm.is_data_parallel

    def _below(self, own: Id, axis: int) -> _Step:
        """An id below the count of the domain, whole workgroups of it where it counts those."""
        (count, unit), key = self._domain(axis), IdAlong(own, axis)
        if not isinstance(count, SSAValue):
            return _always(Symbol(key, Range(0, (count or MAX_COUNT) // unit - 1)).form)
        checked = self._checked_count(count)

        def apply(forms: Sequence[LinearForm]) -> LinearForm:
            symbol = Symbol(key, Range(0, MAX_COUNT - 1))
            symbol.facts.append(symbol.form.times(unit).plus(forms[0], -1).shifted(unit))
            if checked is not None:
                # Whole workgroups are no more than the invocations that fill them.
                symbol.facts.append(forms[0].times(checked[1]).plus(forms[1], -1))
            return symbol.form

        return Rule([count] if checked is None else [count, checked[0]], apply)

    def _domain(self, axis: int) -> tuple[SSAValue | int | None, int]:
        """The count along an axis, if known, and how many an id takes up of it."""
        if isinstance(self.arm, RegionOp):
            unit = 1 if self._counts_invocations else self.arm.workgroup[axis]
            return three_axes_of(self.arm.domain)[axis], unit
        return None if self.launch is None else three_axes_of(self.launch.workgroups)[axis], 1

    def _checked_count(self, workgroups: SSAValue) -> tuple[SSAValue, int] | None:
        """The invocations that the host has found to fill `workgroups`, and the workgroup size."""
        division = workgroups.owner
        if self.launch is None or not isinstance(division, arith.CeilDivSIOp):
            return None
        size = integer_of(division.rhs)
        if size is None or not _is_whole(self.launch, division.lhs, size):
            return None
        return division.lhs, size

    def _counter(self, argument: BlockArgument, block: Block | None) -> _Step:
        origin = origin_of(argument)
        if not isinstance(origin, Counter) or not isinstance(argument.type, IndexType):
            return _always(self._opaque(argument, block).form)

        def apply(forms: Sequence[LinearForm]) -> LinearForm:
            low, high, step = forms
            if step.terms or step.constant < 1:
                return self._opaque(argument, block).form
            if step.constant == 1 and not low.terms:
                symbol = self._opaque(argument, block)
                counter = symbol.form
                symbol.facts.append(low.plus(counter, -1))
            else:
                symbol = Symbol(Iteration(argument), Range(0, 2**63 - 1))
                counter = low.plus(symbol.form, step.constant)
            symbol.facts.append(counter.plus(high, -1).shifted(1))
            return counter

        return Rule((origin.begin, origin.end, origin.step), apply)

    # Arithmetic.

    def _arithmetic(
        self,
        transfer: FormTransfer,
        value: SSAValue,
        block: Block | None,
        forms: Sequence[LinearForm],
    ) -> LinearForm:
        """The form of a result; a symbol of its own where it may wrap around or is no sum."""
        op = value.owner
        assert isinstance(op, Operation)

        def ranges() -> Sequence[Range]:
            return [self.integers.range_at(each, block or op.parent) for each in op.operands]

        operands = ExactOperands(forms, ranges, lambda: self._opaque(value, block))
        form = transfer(op, operands)
        if form is None or len(form.terms) > MAX_TERMS:
            return self._opaque(value, block).form
        return form


def _same(forms: Sequence[LinearForm]) -> LinearForm:
    return forms[0]


def _always(form: LinearForm) -> _Step:
    return Rule((), lambda _: form)


def _facts_about(forms: Iterable[LinearForm]) -> list[LinearForm]:
    """What the symbols of `forms` mean, and those of these facts, as far as a proof can reach."""
    found, seen = list[LinearForm](), set[Symbol]()
    layer = list(forms)
    for _ in range(MAX_DEPTH):
        symbols = dict.fromkeys(symbol for form in layer for symbol, _ in form.terms)
        fresh = [symbol for symbol in symbols if symbol not in seen]
        seen.update(fresh)
        facts = [fact for symbol in fresh for fact in symbol.facts]
        layer = [*facts, *(case for symbol in fresh for case in symbol.cases)]
        found += facts
    return found


def _is_whole(launch: LaunchOp, count: SSAValue, size: int) -> bool:
    """Whether the host has checked, before `launch`, that `count` is a multiple of `size`."""
    checks = (use.operation for use in count.uses)
    return any(
        isinstance(check, CheckWholeWorkgroupsOp)
        and check.workgroup_size.value.data == size
        and check.is_before_in_block(launch)
        for check in checks
    )
