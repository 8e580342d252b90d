"""
`vyre-split-tail`: one test tells whether wide accesses lie inside of their buffers; where they
do, nothing guards them, and only the tail keeps the general form.

    if (all of it lies inside) { the rest of the block } else { the rest of the block }

The first branch is what `vyre-prove-accesses` and canonicalisation make something of: there the
test holds. Comparisons that it decides are decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_speculatable

from vyre_dialect.builder import Buffer, Value
from vyre_dialect.interfaces import (
    HasAccessesInterface,
    HasInvocationsInterface,
    is_convergent,
)
from vyre_dialect.ops.kernel import measured_buffer
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.analysis.guards import PREDICATES
from vyre_dialect.passes.analysis.linear_forms import Form, LinearForms, Symbol
from vyre_dialect.passes.analysis.value_ranges import ValueRanges
from vyre_dialect.scheduling import Family, PassMetadata, Phase
from vyre_dialect.types import BufferType, MemorySpace

INTERIOR = "vyre.interior"
"""Attribute of an `scf.if`, a unit: its condition tells the interior from the tail."""
MAX_TESTS = 2
"""Comparisons that the test may consist of."""
MAX_GOALS = 16
"""Bounds, apart from those that differ by a number only, that are compared with each other."""
MAX_OPS = 2048
"""Ops that may be there twice."""


@dataclass(frozen=True)
class SplitTailPass(ModulePass):
    """
    Splits, in each arm or kernel, the outermost blocks with loads or stores of several elements
    of global memory that may lie outside, if one or two comparisons decide that of all of them.
    Blocks in which a workgroup does something together stay as they are: its invocations need
    not agree on the test.
    """

    name = "vyre-split-tail"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("canonicalize", "vyre-cse"),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        on_demand=True,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for arm in [each for each in op.walk() if isinstance(each, HasInvocationsInterface)]:
            pending = [arm.body.block]
            while pending:
                block = pending.pop()
                _split(arm, block)
                pending += _inner_blocks(block)


def _inner_blocks(block: Block) -> Iterator[Block]:
    """The blocks in those ops of `block` that are not split yet."""
    for op in block.ops:
        if INTERIOR not in op.attributes:
            yield from (inner for region in op.regions for inner in region.blocks)


@dataclass(frozen=True)
class _Goal:
    """That an access does not begin before its buffer, or does not end after it."""

    access: LoadOp | StoreOp
    is_upper: bool
    """Whether it is about the end."""
    form: Form
    """Positive exactly where it is not so."""

    def test(self) -> Value:
        """Whether it is so, at the current place."""
        index = Value(self.access.index)
        if not self.is_upper:
            return index >= 0
        return index + self.access.elements <= _length(self.access)


def _length(access: LoadOp | StoreOp) -> Value:
    """The element count of a buffer: in a kernel, the argument behind it."""
    owner = access.buffer.owner
    for argument in owner.args if isinstance(owner, Block) else ():
        if measured_buffer(argument) is access.buffer:
            return Value(argument)
    return Buffer(access.buffer).length


def _split(arm: HasInvocationsInterface, block: Block) -> None:
    """Split a block at its first access that may lie outside, if a few tests decide on it."""
    forms = LinearForms(arm, None, ValueRanges())
    goals = [goal for op in block.ops for goal in _unproven(op, block, forms)]
    tests = _deciding(goals, block, forms)
    if not tests:
        return
    first = goals[0].access
    last = block.last_op if isinstance(block.last_op, scf.YieldOp) else None
    rest = [op for op in _from(first, block) if op is not last]
    hoisted = _hoisted([test.access.index for test in tests], rest)
    if hoisted is None or not _may_be_twice(rest):
        return
    for op in hoisted:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(first))
        rest.remove(op)
    inner = _branch(rest, last, tests)
    _decide(inner, LinearForms(arm, None, ValueRanges()))


def _unproven(op: Operation, block: Block, forms: LinearForms) -> Iterator[_Goal]:
    """The bounds that a wide access of global memory may not keep."""
    if not isinstance(op, LoadOp | StoreOp) or op.in_bounds is not None or op.elements < 2:
        return
    type = op.buffer.type
    assert isinstance(type, BufferType)
    if type.space != MemorySpace.GLOBAL:
        return
    index = forms.at(op.index, block)
    past_the_end = index.shifted(op.elements).plus(forms.length_at(op.buffer, block), -1)
    for is_upper, form in ((False, index.times(-1)), (True, past_the_end)):
        if not forms.is_never_positive(form, block):
            yield _Goal(op, is_upper, form)


def _deciding(goals: Sequence[_Goal], block: Block, forms: LinearForms) -> list[_Goal]:
    """A few of the goals that imply all of them; none if there are no such few, or never true."""
    chosen, left = list[_Goal](), _strongest(goals)
    if len(left) > MAX_GOALS:
        return []
    while left and len(chosen) < MAX_TESTS:
        each = [(goal, _without_implied(left, [*chosen, goal], block, forms)) for goal in left]
        goal, left = min(each, key=lambda found: len(found[1]))
        chosen.append(goal)
    is_hopeless = any(_is_never(goal.form, block, forms) for goal in chosen)
    return [] if left or is_hopeless else chosen


def _strongest(goals: Sequence[_Goal]) -> list[_Goal]:
    """Of goals that differ by a number only, the one that implies the others."""
    found = dict[frozenset[tuple[Symbol, int]], _Goal]()
    for goal in goals:
        key = frozenset(goal.form.terms)
        if key not in found or found[key].form.constant < goal.form.constant:
            found[key] = goal
    return list(found.values())


def _is_never(form: Form, block: Block, forms: LinearForms) -> bool:
    """Whether a form is known to be positive."""
    return forms.is_never_positive(form.times(-1).shifted(1), block)


def _without_implied(
    goals: Sequence[_Goal], assumed: Sequence[_Goal], block: Block, forms: LinearForms
) -> list[_Goal]:
    known = [goal.form for goal in assumed]
    return [goal for goal in goals if not forms.is_never_positive(goal.form, block, known)]


def _from(first: Operation, block: Block) -> list[Operation]:
    """`first` and what comes after it."""
    ops = list(block.ops)
    return ops[ops.index(first) :]


def _hoisted(values: Sequence[SSAValue], rest: Sequence[Operation]) -> list[Operation] | None:
    """Those ops of `rest` that compute the values, or None where one has to stay."""
    later, needed = set(rest), set[Operation]()
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if not isinstance(op, Operation) or op not in later or op in needed:
            continue
        if op.regions or isinstance(op, HasAccessesInterface) or not is_speculatable(op):
            return None
        needed.add(op)
        pending += [operand.owner for operand in op.operands]
    return [op for op in rest if op in needed]


def _may_be_twice(rest: Sequence[Operation]) -> bool:
    """Whether invocations may run one of two copies: few ops, and nothing done by all together."""
    ops = [op for each in rest for op in each.walk()]
    return len(ops) <= MAX_OPS and not any(is_convergent(type(op)) for op in ops)


def _branch(rest: Sequence[Operation], last: scf.YieldOp | None, tests: Sequence[_Goal]) -> Block:
    """Put `rest` into both branches of a test, where it stands; the first branch."""
    yielded = () if last is None else tuple(last.operands)
    with ImplicitBuilder(Builder(InsertPoint.before(rest[0]))):
        inside = tests[0].test()
        for test in tests[1:]:
            inside = inside & test.test()
        inside.named("inside")
    copies = dict[SSAValue, SSAValue]()
    inner = Block([op.clone(value_mapper=copies) for op in rest])
    inner.add_op(scf.YieldOp(*(copies.get(value, value) for value in yielded)))
    types = [value.type for value in yielded]
    branch = scf.IfOp(inside.ssa, types, [inner], [tail := Block()])
    branch.attributes[INTERIOR] = UnitAttr()
    Rewriter.insert_op(branch, InsertPoint.before(rest[0]))
    for op in rest:
        op.detach()
        tail.add_op(op)
    tail.add_op(scf.YieldOp(*yielded))
    if last is not None:
        last.operands = branch.results
    for result, value in zip(branch.results, yielded, strict=True):
        result.name_hint = value.name_hint
    return inner


def _decide(block: Block, forms: LinearForms) -> None:
    """Replace the comparisons in a block that are always true, or always false."""
    comparisons = [op for op in block.walk() if isinstance(op, arith.CmpiOp)]
    for op in comparisons:
        if isinstance(op.lhs.type, IndexType) and (known := _truth(op, forms)) is not None:
            decided = arith.ConstantOp(IntegerAttr(int(known), i1))
            Rewriter.replace_op(op, decided)


def _truth(op: arith.CmpiOp, forms: LinearForms) -> bool | None:
    """What a signed comparison gives wherever it runs, or None when that is not known."""
    assert op.parent is not None
    left, right = forms.at(op.lhs, op.parent), forms.at(op.rhs, op.parent)
    match PREDICATES[op.predicate.value.data]:
        case "sle":
            holds = left.plus(right, -1)
        case "slt":
            holds = left.plus(right, -1).shifted(1)
        case "sge":
            holds = right.plus(left, -1)
        case "sgt":
            holds = right.plus(left, -1).shifted(1)
        case _:
            return None
    if forms.is_never_positive(holds, op.parent):
        return True
    return False if forms.is_never_positive(holds.times(-1).shifted(1), op.parent) else None
