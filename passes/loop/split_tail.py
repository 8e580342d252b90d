"""
`vyre-split-tail`: one test tells whether wide accesses lie inside of their buffers; where they
do, nothing guards them, and only the tail keeps the general form.

    if (all of it lies inside) { the loads } else { the loads, and what guards them } ... the rest

The first branch is what `vyre-prove-accesses` and canonicalisation make something of: there the
test holds. Comparisons that it decides are decided here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_speculatable

from vyre_dialect.analysis.forms import Form, Symbol
from vyre_dialect.analysis.guards import NEGATED, PREDICATES
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT
from vyre_dialect.builder import Buffer, Value
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.interfaces import (
    HasAccessesInterface,
    HasInvocationsInterface,
)
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.kernel import measured_buffer
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.rewriting.analysis_pass import AnalysisPass

INTERIOR = "vyre.interior"
"""
Attribute, a unit: of an `scf.if` whose condition tells the interior from the tail, and of an
`scf.for` all of whose iterations are of the interior.
"""
TAIL = "vyre.tail"
"""Attribute of an `scf.for`, a unit: the iterations behind those of the interior."""
MAX_TESTS = 2
"""Comparisons that the test may consist of."""
MAX_GOALS = 16
"""Bounds, apart from those that differ by a number only, that are compared with each other."""
MAX_OPS = 4096
"""Ops that may be there twice."""


@dataclass(frozen=True)
class SplitTailPass(AnalysisPass):
    """
    Splits, in each arm or kernel, the outermost blocks with loads or stores of several elements
    of global memory that may lie outside, if one or two comparisons decide that of all of them.
    Blocks in which a workgroup does something together stay as they are: its invocations need
    not agree on the test. So does what stands in front of a loop that is split: it runs once for
    all iterations, as where it fills the first of the tiles that slide.
    """

    name = "vyre-split-tail"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-promote-private",),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses", "vyre-form-byte-permutes"),
        on_request=True,
    )

    def apply_with(self, facts: AnalysisManager, module: ModuleOp) -> None:
        for arm in [
            each for each in ops_inside(module) if isinstance(each, HasInvocationsInterface)
        ]:
            pending = [arm.body.block]
            while pending:
                block = pending.pop()
                if not _leads_up_to_loop(block, facts.get(LinearForms, arm)):
                    _split(arm, block, facts)
                pending += _inner_blocks(block)


def _leads_up_to_loop(block: Block, forms: LinearForms) -> bool:
    """Whether the last op of a block with accesses that may lie outside is a loop."""
    if not any(isinstance(op, scf.ForOp) for op in block.ops):
        return False
    inside = ((op, inner) for op in reversed(list(block.ops)) for inner in ops_inside(op))
    unproven = (
        op for op, inner in inside if inner.parent and any(_unproven(inner, inner.parent, forms))
    )
    return isinstance(next(unproven, None), scf.ForOp)


def _inner_blocks(block: Block) -> Iterator[Block]:
    """The blocks in those ops of `block` that are not split yet."""
    for op in block.ops:
        if INTERIOR not in op.attributes and TAIL not in op.attributes:
            yield from (inner for region in op.regions for inner in region.blocks)


@dataclass(frozen=True)
class _Goal(ABC):
    """What holds in the interior."""

    form: Form
    """Positive exactly where it does not."""

    @property
    @abstractmethod
    def operands(self) -> Sequence[SSAValue]:
        """What the test computes with."""

    @abstractmethod
    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        """Whether it holds, at the current place, where `copies` stand for what is further in."""


@dataclass(frozen=True)
class _Bound(_Goal):
    """That an access does not begin before its buffer, or does not end after it."""

    access: LoadOp | StoreOp
    is_upper: bool
    """Whether it is about the end."""
    may_wrap: bool
    """Whether the end may be beyond what an index holds, for all that is known of the beginning."""

    @property
    def operands(self) -> Sequence[SSAValue]:
        return [self.access.index]

    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        index = Value(copies.get(self.access.index, self.access.index))
        if not self.is_upper:
            return index >= 0
        length = _length(self.access)
        if self.may_wrap:
            return index <= length - self.access.elements
        return index + self.access.elements <= length


@dataclass(frozen=True)
class _Decision(_Goal):
    """That a comparison is true, or is not."""

    comparison: arith.CmpiOp
    is_true: bool

    @property
    def operands(self) -> Sequence[SSAValue]:
        return self.comparison.operands

    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        left, right = (Value(copies.get(each, each)) for each in self.operands)
        predicate = PREDICATES[self.comparison.predicate.value.data]
        return left.compare(predicate if self.is_true else NEGATED[predicate], right)


def _length(access: LoadOp | StoreOp) -> Value:
    """The element count of a buffer: in a kernel, the argument behind it."""
    owner = access.buffer.owner
    for argument in owner.args if isinstance(owner, Block) else ():
        if measured_buffer(argument) is access.buffer:
            return Value(argument)
    return Buffer(access.buffer).length


def _split(arm: HasInvocationsInterface, block: Block, facts: AnalysisManager) -> None:
    """
    Split a block from its first access that may lie outside to the last op that gains by it, if a
    few tests decide on all: on those in its branches, too, or else on those in the block itself.
    """
    forms = facts.get(LinearForms, arm)
    for goals in (list(_unproven_within(block, forms)), list(_unproven_in(block, forms))):
        tests = _deciding(goals, block, forms)
        if not tests:
            continue
        inner = _split_by(block, goals, _with_decision(tests, block, forms), forms)
        if inner is not None:
            facts.invalidate(arm)
            _decide(inner, facts.get(LinearForms, arm))
            facts.invalidate(arm)
            return


def _split_by(
    block: Block,
    goals: Sequence[_Bound],
    tests: Sequence[_Goal],
    forms: LinearForms,
) -> Block | None:
    """Split a block by tests, if that is possible; gives the interior."""
    part = _part(block, goals, tests, forms)
    needed = _needed([value for test in tests for value in test.operands], part)
    if needed is None or not _may_be_twice(part):
        return None
    copies = dict[SSAValue, SSAValue]()
    for op in needed:
        if op in part:
            part.remove(op)
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(part[0]))
        else:
            Rewriter.insert_op(op.clone(value_mapper=copies), InsertPoint.before(part[0]))
    return _branch(part, tests, copies)


def _part(
    block: Block, goals: Sequence[_Bound], tests: Sequence[_Goal], forms: LinearForms
) -> list[Operation]:
    """The ops of a block from the first to the last that are simpler where the tests hold."""
    accesses = {goal.access for goal in goals}
    known, ops = [test.form for test in tests], list(block.ops)
    simpler = [
        place
        for place, op in enumerate(ops)
        if any(each in accesses for each in ops_inside(op))
        or ((condition := _condition(op)) and _truth(condition, block, forms, known) is not None)
    ]
    return ops[simpler[0] : simpler[-1] + 1]


def _condition(op: Operation) -> arith.CmpiOp | None:
    """The comparison of indices that an `scf.if` asks for."""
    condition = op.cond.owner if isinstance(op, scf.IfOp) else None
    if isinstance(condition, arith.CmpiOp) and isinstance(condition.lhs.type, IndexType):
        return condition
    return None


def _with_decision(tests: Sequence[_Goal], block: Block, forms: LinearForms) -> Sequence[_Goal]:
    """The tests, and the one more comparison of the block that decides most of the others."""
    known = [test.form for test in tests]
    found = [condition for op in block.ops if (condition := _condition(op))]
    open_ones = [each for each in found if _truth(each, block, forms, known) is None]
    if len(tests) >= MAX_TESTS or len(open_ones) > MAX_GOALS:
        return tests
    best, most = tests, 1
    for comparison in open_ones:
        for is_true in (True, False):
            form = _violated(comparison, block, forms, is_true)
            if form is None or not _agrees(form, known) or _is_never(form, block, forms):
                continue
            more = [*known, form]
            decided = sum(_truth(each, block, forms, more) is not None for each in open_ones)
            if decided > most:
                best, most = [*tests, _Decision(form, comparison, is_true)], decided
    return best


def _agrees(form: Form, others: Sequence[Form]) -> bool:
    """Whether it fails in the same direction: at the end where others do, not at the start."""
    return all(
        factor * form.factors.get(symbol, 0) >= 0
        for other in others
        for symbol, factor in other.terms
    )


def _unproven_in(block: Block, forms: LinearForms) -> Iterator[_Bound]:
    """The bounds that wide accesses of a block itself may not keep."""
    for op in block.ops:
        yield from _unproven(op, block, forms)


def _unproven_within(block: Block, forms: LinearForms) -> Iterator[_Bound]:
    """The same of a block and the branches in it that are not split yet."""
    for op in block.ops:
        yield from _unproven(op, block, forms)
        if isinstance(op, scf.IfOp) and INTERIOR not in op.attributes:
            for inner in (inner for region in op.regions for inner in region.blocks):
                yield from _unproven_within(inner, forms)


def _unproven(op: Operation, block: Block, forms: LinearForms) -> Iterator[_Bound]:
    """The bounds that a wide access of global memory may not keep."""
    if not isinstance(op, LoadOp | StoreOp) or op.in_bounds is not None or op.elements < 2:
        return
    type = op.buffer.type
    assert isinstance(type, BufferType)
    if type.space != MemorySpace.GLOBAL:
        return
    index = forms.at(op.index, block)
    past_the_end = index.shifted(op.elements).plus(forms.length_at(op.buffer, block), -1)
    may_wrap = forms.ranges.range_at(op.index, block).high + op.elements >= INDEX_LIMIT
    for is_upper, form in ((False, index.times(-1)), (True, past_the_end)):
        if not forms.is_never_positive(form, block):
            yield _Bound(form, op, is_upper, may_wrap)


def _deciding(goals: Sequence[_Bound], block: Block, forms: LinearForms) -> list[_Bound]:
    """A few of the goals that imply all of them; none if there are no such few, or never true."""
    chosen, left = list[_Bound](), _strongest(goals)
    if len(left) > MAX_GOALS:
        return []
    while left and len(chosen) < MAX_TESTS:
        each = [(goal, _without_implied(left, [*chosen, goal], block, forms)) for goal in left]
        goal, left = min(each, key=lambda found: len(found[1]))
        chosen.append(goal)
    is_hopeless = any(_is_never(goal.form, block, forms) for goal in chosen)
    return [] if left or is_hopeless else chosen


def _strongest(goals: Sequence[_Bound]) -> list[_Bound]:
    """Of goals that differ by a number only, the one that implies the others."""
    found = dict[frozenset[tuple[Symbol, int]], _Bound]()
    for goal in goals:
        key = frozenset(goal.form.terms)
        if key not in found or found[key].form.constant < goal.form.constant:
            found[key] = goal
    return list(found.values())


def _is_never(form: Form, block: Block, forms: LinearForms) -> bool:
    """Whether a form is known to be positive."""
    return forms.is_never_positive(form.times(-1).shifted(1), block)


def _without_implied(
    goals: Sequence[_Bound], assumed: Sequence[_Bound], block: Block, forms: LinearForms
) -> list[_Bound]:
    known = [goal.form for goal in assumed]
    return [
        goal
        for goal in goals
        if not forms.is_never_positive(goal.form, goal.access.parent or block, known)
    ]


def _needed(values: Sequence[SSAValue], part: Sequence[Operation]) -> list[Operation] | None:
    """The ops in `part` that compute the values, in order; None where one has to stay."""
    inside = [op for each in part for op in ops_inside(each)]
    later, needed = set(inside), set[Operation]()
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if isinstance(op, Block) and op.parent_op() in later:
            return None
        if not isinstance(op, Operation) or op not in later or op in needed:
            continue
        if op.regions or isinstance(op, HasAccessesInterface) or not is_speculatable(op):
            return None
        needed.add(op)
        pending += [operand.owner for operand in op.operands]
    return [op for op in inside if op in needed]


def _may_be_twice(rest: Sequence[Operation]) -> bool:
    """Whether invocations may run one of two copies: few ops, and nothing done by all together."""
    count = sum(1 for each in rest for _ in ops_inside(each))
    return count <= MAX_OPS and not any(map(has_convergent_op, rest))


def _branch(
    part: Sequence[Operation], tests: Sequence[_Goal], copies: Mapping[SSAValue, SSAValue]
) -> Block:
    """Put `part` into both branches of a test, where it stands; the first branch."""
    inside_of = set(part)
    used = [
        result
        for op in part
        for result in op.results
        if any(_ancestor_in(use.operation, op.parent) not in inside_of for use in result.uses)
    ]
    place = InsertPoint.before(part[0])
    with ImplicitBuilder(Builder(place)):
        inside = tests[0].test(copies)
        for test in tests[1:]:
            inside = inside & test.test(copies)
        inside.named("inside")
    mapped = dict[SSAValue, SSAValue]()
    inner = Block([op.clone(value_mapper=mapped) for op in part])
    inner.add_op(scf.YieldOp(*(mapped[value] for value in used)))
    branch = scf.IfOp(inside.ssa, [value.type for value in used], [inner], [tail := Block()])
    branch.attributes[INTERIOR] = UnitAttr()
    Rewriter.insert_op(branch, place)
    for value, result in zip(used, branch.results, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(
            result, lambda use: _ancestor_in(use.operation, branch.parent) not in inside_of
        )
    for op in part:
        op.detach()
        tail.add_op(op)
    tail.add_op(scf.YieldOp(*used))
    return inner


def _ancestor_in(op: Operation, block: Block | None) -> Operation | None:
    """The op of `block` that `op` is, or is inside of."""
    return None if block is None else block.find_ancestor_op_in_block(op)


def _decide(block: Block, forms: LinearForms) -> None:
    """Replace the comparisons in a block, and conditions, that are always true, or never."""
    for op in list(block.walk()):
        comparison = op if isinstance(op, arith.CmpiOp) else _condition(op)
        if comparison is None or not isinstance(comparison.lhs.type, IndexType):
            continue
        assert op.parent is not None
        if (known := _truth(comparison, op.parent, forms)) is None:
            continue
        decided = arith.ConstantOp(IntegerAttr(int(known), i1))
        if op is comparison:
            Rewriter.replace_op(op, decided)
        else:
            Rewriter.insert_op(decided, InsertPoint.before(op))
            op.operands[0] = decided.result


def _truth(
    op: arith.CmpiOp, block: Block, forms: LinearForms, known: Sequence[Form] = ()
) -> bool | None:
    """
    What a comparison, signed or for equality, gives wherever `block` runs and forms that are
    `known` are at most 0, or None when that is not known.
    """
    for is_true in (True, False):
        violated = _violated(op, block, forms, is_true)
        if violated is not None and forms.is_never_positive(violated, block, known):
            return is_true
    predicate = PREDICATES[op.predicate.value.data]
    if predicate in ("eq", "ne") and _differ(op, block, forms, known):
        return predicate == "ne"
    return None


def _differ(op: arith.CmpiOp, block: Block, forms: LinearForms, known: Sequence[Form]) -> bool:
    """Whether one side of a comparison is always the smaller one."""
    left, right = forms.at(op.lhs, block), forms.at(op.rhs, block)
    below, above = left.plus(right, -1).shifted(1), right.plus(left, -1).shifted(1)
    return any(forms.is_never_positive(each, block, known) for each in (below, above))


def _violated(op: arith.CmpiOp, block: Block, forms: LinearForms, is_true: bool) -> Form | None:
    """The form that is positive exactly where a comparison is not what it is said to be."""
    left, right = forms.at(op.lhs, block), forms.at(op.rhs, block)
    predicate = PREDICATES[op.predicate.value.data]
    match predicate if is_true else NEGATED[predicate]:
        case "sle":
            return left.plus(right, -1)
        case "slt":
            return left.plus(right, -1).shifted(1)
        case "sge":
            return right.plus(left, -1)
        case "sgt":
            return right.plus(left, -1).shifted(1)
        case _:
            return None
