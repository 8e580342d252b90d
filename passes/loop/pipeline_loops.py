"""
`vyre-pipeline-loops`: an iteration is computed before the one in front of it updates memory.

    for k in 0 .. n { update(compute(k)) }    becomes

    if (0 < n) {
      x = compute(0)
      for k in 1 .. n { y = compute(k); update(x); x = y }
      update(x)
    }

Updates of private memory at places that the data choose wait for each other, and an out-of-order
processor sees only so many ops ahead: what comes next is to stand in front of them. The method is
modulo scheduling in two stages: M. Lam, "Software pipelining: an effective scheduling technique for
VLIW machines", 1988.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, ModuleOp, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import most_iterations
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.nesting import LOOPS
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.effects import is_effect_free, states_effects
from vyre_dialect.ir.interfaces import (
    OrdersMemoryInterface,
    accesses_of,
    arm_of,
)
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace, lane_count, scalar_type
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.splitting.marks import MAX_OPS, TAIL
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

PIPELINED = "vyre.pipelined"
"""Attribute of an `scf.for`, a unit: its iterations compute what the next ones update with."""

MIN_ITERATIONS = 8
"""A loop of fewer has little that is ahead."""

_COMBINES = (
    *(arith.AddiOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp),
)
"""Ops that take a processor no time worth mentioning."""

_Copies = dict[SSAValue, SSAValue]
"""What stands for values of the loop."""


@dataclass(frozen=True)
class _Late:
    """The second stage of a loop, which follows an iteration later."""

    ops: frozenset[Operation]
    args: frozenset[SSAValue] = frozenset()
    """What the loop carries from one second stage to the next."""

    def has(self, value: SSAValue) -> bool:
        """Whether a value is known to the second stage alone."""
        return value in self.args or value.owner in self.ops

    def and_ops(self, ops: Iterable[Operation]) -> _Late:
        """The same with more ops."""
        return _Late(self.ops.union(ops), self.args)


@dataclass(frozen=True)
class _Loop:
    """The ops of a loop, and which buffers each touches."""

    op: scf.ForOp
    ops: Sequence[Operation]
    last: Operation
    counter: SSAValue
    args: Sequence[SSAValue]
    buffers: Mapping[Operation, Mapping[SSAValue, bool]]
    """Of each op, with whether it writes them."""

    @staticmethod
    def of(op: scf.ForOp) -> _Loop:
        """The loop that an op is."""
        block = op.body.block
        assert block.last_op is not None
        ops, (counter, *args) = list(block.ops)[:-1], block.args
        return _Loop(
            op, ops, block.last_op, counter, args, {each: _buffers_in([each]) for each in ops}
        )

    @cached_property
    def constants(self) -> frozenset[Operation]:
        """The ops that compute what is the same in all iterations, from constants alone."""
        found = set[Operation]()
        for op in self.ops:
            is_constant = isinstance(op, arith.ConstantOp)
            is_of_some = bool(op.operands) and is_effect_free(type(op)) and not op.regions
            if is_constant or (is_of_some and all(each.owner in found for each in op.operands)):
                found.add(op)
        return frozenset(found)

    def updates(self) -> _Late:
        """The ops that update private memory that outlives an iteration."""
        updated = {buffer for buffer, written in _buffers_in(self.ops).items() if written}
        kept = {buffer for buffer in updated if self._is_kept(buffer)}
        return _Late(frozenset(op for op in self.ops if kept & self.buffers[op].keys()))

    def _is_kept(self, buffer: SSAValue) -> bool:
        """Whether private memory is read that an earlier iteration, or another loop, wrote."""
        type = buffer.type
        if not isinstance(type, BufferType) or type.space != MemorySpace.PRIVATE:
            return False
        is_touched_elsewhere = any(not self.op.is_ancestor(use.operation) for use in buffer.uses)
        return is_touched_elsewhere and self._reads_older(buffer)

    def _reads_older(self, buffer: SSAValue) -> bool:
        """Whether an iteration may read of a buffer what it has not stored itself."""
        stored = set[Hashable]()
        for op in self.ops:
            accesses = [each for inner in ops_inside(op) for each in accesses_of(inner)]
            if isinstance(op, StoreOp) and op.buffer is buffer:
                stored.add(_place(op))
            elif any(each.buffer is buffer and each.reads for each in accesses) and not (
                isinstance(op, LoadOp) and _place(op) in stored
            ):
                return True
        return False

    def with_what_depends(self, late: _Late) -> _Late:
        """What needs late values, or touches memory that late ops write, or read, is late, too."""
        while True:
            args = set(late.args)
            for arg, passed in zip(self.args, self.last.operands, strict=True):
                if passed is arg or passed in args or passed.owner in late.ops:
                    args.add(arg)
            wider = self._with_ops_that_depend(_Late(late.ops, frozenset(args)))
            if wider == late:
                return late
            late = wider

    def _with_ops_that_depend(self, late: _Late) -> _Late:
        touched = _buffers_in(op for op in self.ops if op in late.ops)
        for op in self.ops:
            if op in late.ops:
                continue
            own = self.buffers[op]
            meets = any(own[buffer] or touched[buffer] for buffer in own.keys() & touched.keys())
            if meets or any(late.has(each) for each in _operands_of(op)):
                late = late.and_ops([op])
        return late

    def with_single_numbers(self, late: _Late) -> _Late:
        """Ops that give a single number to late ops alone, and do nothing else, are late, too."""
        for op in reversed(self.ops):
            if op not in late.ops and self._may_move(op, late):
                late = late.and_ops([op])
        return late

    def _may_move(self, op: Operation, late: _Late) -> bool:
        if op.regions or not is_effect_free(type(op)) or isinstance(op, arith.ConstantOp):
            return False
        if any(isinstance(type, VectorType) for type in op.result_types):
            return False
        block = self.op.body.block
        users = [use.operation for result in op.results for use in result.uses]
        return bool(users) and all(
            block.find_ancestor_op_in_block(user) in late.ops for user in users
        )

    def is_reduction(self, arg: SSAValue) -> bool:
        """Whether each iteration only combines what is carried with something, by one op."""
        passed = self.last.operands[list(self.args).index(arg)]
        combines = isinstance(passed.owner, _COMBINES) and arg in passed.owner.operands
        return combines and arg.has_one_use()

    def is_computed(self, value: SSAValue) -> bool:
        """Whether a value is computed from memory: it takes longer than to load it."""
        owner, pending = value.owner, [value.owner]
        seen = set[Operation | Block]()
        while pending:
            each = pending.pop()
            if each in seen or not isinstance(each, Operation) or each not in self.buffers:
                continue
            if self.buffers[each] and (each.regions or each is not owner):
                return True
            seen.add(each)
            pending += [operand.owner for operand in _operands_of(each)]
        return False


@dataclass(frozen=True)
class _Stages:
    """The ops of a loop in two stages, of which the second one follows an iteration later."""

    loop: _Loop
    late: _Late

    @staticmethod
    def of(op: scf.ForOp) -> _Stages | None:
        """What updates private memory that outlives an iteration, and what follows, is late."""
        loop = _Loop.of(op)
        updates = loop.updates()
        if not updates.ops:
            return None
        late = loop.with_what_depends(updates)
        if any(isinstance(inner, LOOPS) for each in late.ops for inner in ops_inside(each)):
            return None  # it takes longer than a processor looks ahead
        if not all(each in late.args or loop.is_reduction(each) for each in loop.args):
            return None  # what the first stage hands on to itself bounds the loop, in any order
        # Single numbers are late, too, if less crosses then, such as the vector of them all.
        choices = _Stages(loop, late), _Stages(loop, loop.with_single_numbers(late))
        stages = min(choices, key=lambda each: _bits(each.crossing))
        if any(each in stages.early for each in stages.crossing):
            return None  # it would be carried as what it was, and as what it is
        return stages if any(map(loop.is_computed, stages.crossing)) else None

    @cached_property
    def early(self) -> Sequence[SSAValue]:
        """What the loop carries from one first stage to the next."""
        return [each for each in self.loop.args if each not in self.late.args]

    @cached_property
    def crossing(self) -> Sequence[SSAValue]:
        """Values of the first stage that the second one needs, in order."""
        used = (each for op in self.loop.ops if op in self.late.ops for each in _operands_of(op))
        return list(dict.fromkeys(each for each in used if self._crosses(each)))

    def _crosses(self, value: SSAValue) -> bool:
        """Whether a value is another one in the next iteration's first stage."""
        owner, block = value.owner, self.loop.op.body.block
        if isinstance(owner, Block):
            return owner is block and value not in self.late.args
        is_here = owner.parent is block and owner not in self.loop.constants
        return is_here and owner not in self.late.ops

    # What is carried.

    def passed(self, copies: _Copies) -> _Copies:
        """What an iteration of copies hands on in the place of each value that the loop carries."""
        return _Copies(zip(self.loop.args, _mapped(self.loop.last.operands, copies), strict=True))

    def merged(self, of_first: _Copies, of_second: _Copies) -> list[SSAValue]:
        """What is carried, of one stage or the other: whichever hands it on to itself."""
        return [(of_first if arg in self.early else of_second)[arg] for arg in self.loop.args]

    # Copies of the stages.

    def compute(self, block: Block, copies: _Copies) -> None:
        """The first stage at the end of a block."""
        _add_copies(block, [op for op in self.loop.ops if op not in self.late.ops], copies)

    def update(self, block: Block, copies: _Copies) -> None:
        """The second stage, and the constants that it takes, at the end of a block."""
        late = self.late.ops | self.loop.constants
        _add_copies(block, [op for op in self.loop.ops if op in late], copies)


def _place(op: LoadOp | StoreOp) -> Hashable:
    """What is equal for accesses of the same elements."""
    number = integer_of(op.index)
    return op.index if number is None else number, op.elements


def _buffers_in(ops: Iterable[Operation]) -> dict[SSAValue, bool]:
    """The buffers that ops, and those in them, touch, and whether they write them."""
    found = dict[SSAValue, bool]()
    for op in ops:
        for inner in ops_inside(op):
            for access in accesses_of(inner):
                found[access.buffer] = found.get(access.buffer, False) or access.writes
    return found


def _operands_of(op: Operation) -> Iterable[SSAValue]:
    """What an op, and those in it, use."""
    return (operand for inner in ops_inside(op) for operand in inner.operands)


def _bits(values: Iterable[SSAValue]) -> int:
    """The size of values together."""
    return sum(_width(scalar_type(value.type)) * lane_count(value.type) for value in values)


def _width(type: Attribute) -> int:
    return type.bitwidth if isinstance(type, FixedBitwidthType) else 64


def _add_copies(block: Block, ops: Sequence[Operation], copies: _Copies) -> None:
    for op in ops:
        block.add_op(copied(op, copies))


def _mapped(values: Iterable[SSAValue], copies: Mapping[SSAValue, SSAValue]) -> list[SSAValue]:
    return [copies.get(value, value) for value in values]


@dataclass
class PipelineLoop(RewritePattern):
    """Rotates a loop of two stages, whose ops all say what they touch."""

    integers: Integers

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if PIPELINED in op.attributes or TAIL in op.attributes or arm_of(op) is None:
            return
        if most_iterations(op, self.integers) < MIN_ITERATIONS:
            return
        if not _may_be_split(op) or not self._can_count(op):
            return
        if (stages := _Stages.of(op)) is not None:
            made = _rotated(stages)
            rewriter.replace(op, made, made[-1].results)

    def _can_count(self, loop: scf.ForOp) -> bool:
        """Whether the second iteration's counter can be computed without wrapping around."""
        if not isinstance(loop.lb.type, IndexType):
            return False
        end, step = (self.integers.range_at(each, loop.parent) for each in (loop.ub, loop.step))
        return step.low >= 1 and end.high + step.high < INDEX_LIMIT


def _may_be_split(loop: scf.ForOp) -> bool:
    """Whether ops of a loop may run in another order, as far as they say, and be there twice."""
    ops = ops_inside(loop.body)
    return (
        len(ops) <= MAX_OPS
        and not has_convergent_op(loop.body)
        and all(states_effects(op) and not isinstance(op, OrdersMemoryInterface) for op in ops)
    )


def _rotated(stages: _Stages) -> list[Operation]:
    """The ops that replace a loop; the last one has its results."""
    loop, args = stages.loop.op, stages.loop.args
    carried = [*args, *stages.crossing]
    initial = _Copies(zip(args, loop.iter_args, strict=True))
    then, ahead = Block(), _Copies({stages.loop.counter: loop.lb, **initial})
    stages.compute(then, ahead)
    second = arith.AddiOp(loop.lb, loop.step)
    start = [*stages.merged(stages.passed(ahead), initial), *_mapped(stages.crossing, ahead)]
    rotated = scf.ForOp(second.result, loop.ub, loop.step, start, _body(stages))
    rotated.attributes |= {**loop.attributes, PIPELINED: UnitAttr()}
    then.add_ops([second, rotated])
    behind = _Copies(zip(carried, rotated.results, strict=True))
    before = _Copies(behind)
    stages.update(then, behind)
    then.add_op(scf.YieldOp(*stages.merged(before, stages.passed(behind))))

    runs = arith.CmpiOp(loop.lb, loop.ub, "slt")
    runs.result.name_hint = "runs"
    otherwise = [Block([scf.YieldOp(*loop.iter_args)])] if args else None
    branch = scf.IfOp(runs.result, loop.result_types, [then], otherwise)
    branch.location = rotated.location = loop.location
    for made, own in zip(branch.results, loop.results, strict=True):
        made.name_hint = own.name_hint
    return [runs, branch]


def _body(stages: _Stages) -> Block:
    """The first stage of an iteration, and the second one of the iteration before."""
    carried = [*stages.loop.args, *stages.crossing]
    body = Block(arg_types=[stages.loop.counter.type, *(value.type for value in carried)])
    for made, value in zip(body.args, [stages.loop.counter, *carried], strict=True):
        made.name_hint = value.name_hint
    behind = _Copies(zip(carried, body.args[1:], strict=True))
    ahead = _Copies({**behind, stages.loop.counter: body.args[0]})
    stages.compute(body, ahead)
    stages.update(body, behind)
    passed = stages.merged(stages.passed(ahead), stages.passed(behind))
    body.add_op(scf.YieldOp(*passed, *_mapped(stages.crossing, ahead)))
    return body


@dataclass(frozen=True)
class PipelineLoopsPass(RewritePass):
    """
    Lets loops that update private memory, and keep it from one iteration to the next, compute an
    iteration before the one in front of it updates; at the price of a loop that is there twice, of
    registers for what is computed ahead, and of a test whether there is any iteration.

    Come after the interior has a loop of its own: what is computed ahead is computed in any case.
    """

    name = "vyre-pipeline-loops"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-prove-accesses", "vyre-split-index-sets", "vyre-narrow-sums"),
        invalidates=("canonicalize", "vyre-cse"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        changed = False
        for arm, integers in facts.of_arms(Integers, module):
            changed |= drive(PipelineLoop(integers), arm.body, facts, scf.ForOp)
        return changed
