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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, ModuleOp, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.nesting import LOOPS
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT
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
from vyre_dialect.passes.loop.splitting.marks import MAX_OPS, TAIL
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

PIPELINED = "vyre.pipelined"
"""Attribute of an `scf.for`, a unit: its iterations compute what the next ones update with."""

_Copies = dict[SSAValue, SSAValue]
"""What stands for values of the loop."""


@dataclass
class _Stages:
    """The ops of a loop in two stages, of which the second one follows an iteration later."""

    loop: scf.ForOp
    late: set[Operation] = field(default_factory=set[Operation])
    """The ops of the second stage."""
    late_args: set[SSAValue] = field(default_factory=set[SSAValue])
    """What the loop carries from one second stage to the next."""
    crossing: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    """Values of the first stage that the second one needs, in order."""

    def __post_init__(self) -> None:
        block = self.loop.body.block
        assert block.last_op is not None
        self.ops, self.last = list(block.ops)[:-1], block.last_op
        self.counter, *self.args = block.args
        self._buffers = {op: _buffers_in([op]) for op in self.ops}

    def split(self) -> bool:
        """Let what updates private memory that outlives an iteration, and what follows, be late."""
        updated = {buffer for buffer, written in _buffers_in(self.ops).items() if written}
        kept = {buffer for buffer in updated if self._is_kept(buffer)}
        self.late = {op for op in self.ops if kept & self._buffers[op].keys()}
        if not self.late:
            return False
        while self._take_what_depends():
            pass
        if any(isinstance(inner, LOOPS) for op in self.late for inner in ops_inside(op)):
            return False  # it takes longer than a processor looks ahead
        if len(self.late_args) < len(self.args):
            return False  # what the first stage hands on to itself bounds the loop, in any order
        self._move_what_crosses()
        return any(self._is_computed(value) for value in self.crossing)

    def _is_kept(self, buffer: SSAValue) -> bool:
        """Whether private memory is read, too, and touched outside of the loop."""
        type = buffer.type
        if not isinstance(type, BufferType) or type.space != MemorySpace.PRIVATE:
            return False
        accesses = (each for op in ops_inside(self.loop.body) for each in accesses_of(op))
        return any(each.buffer is buffer and each.reads for each in accesses) and not all(
            self.loop.is_ancestor(use.operation) for use in buffer.uses
        )

    @property
    def early(self) -> list[Operation]:
        """The ops of the first stage."""
        return [op for op in self.ops if op not in self.late]

    def _take_what_depends(self) -> bool:
        """Let be late what needs late values, or touches memory that late ops write, or read."""
        before = len(self.late), len(self.late_args)
        for arg, passed in zip(self.args, self.last.operands, strict=True):
            if passed is arg or passed in self.late_args or passed.owner in self.late:
                self.late_args.add(arg)
        touched = _buffers_in(op for op in self.ops if op in self.late)
        for op in self.early:
            own = self._buffers[op]
            meets = any(own[buffer] or touched[buffer] for buffer in own.keys() & touched.keys())
            if meets or any(self._is_late(each) for each in _operands_of(op)):
                self.late.add(op)
        return before != (len(self.late), len(self.late_args))

    def _is_late(self, value: SSAValue) -> bool:
        return value in self.late_args or value.owner in self.late

    def _move_what_crosses(self) -> None:
        """Let single numbers be late, too, if less crosses then, such as the vector of them all."""
        self.crossing, late = self._crossing(), set(self.late)
        for op in reversed(self.early):
            if self._may_move(op):
                self.late.add(op)
        crossing = self._crossing()
        if _bits(crossing) < _bits(self.crossing):
            self.crossing = crossing
        else:
            self.late = late

    def _is_computed(self, value: SSAValue) -> bool:
        """Whether the first stage computes a value from memory: it takes longer than to load it."""
        owner, pending = value.owner, [value.owner]
        seen = set[Operation | Block]()
        while pending:
            each = pending.pop()
            if each in seen or not isinstance(each, Operation) or each not in self._buffers:
                continue
            if self._buffers[each] and (each.regions or each is not owner):
                return True
            seen.add(each)
            pending += [operand.owner for operand in _operands_of(each)]
        return False

    def _crossing(self) -> dict[SSAValue, None]:
        used = (each for op in self.ops if op in self.late for each in _operands_of(op))
        return dict.fromkeys(each for each in used if self._crosses(each))

    def _crosses(self, value: SSAValue) -> bool:
        """Whether a value is another one in the next iteration's first stage."""
        owner, block = value.owner, self.loop.body.block
        if isinstance(owner, Block):
            return owner is block and value not in self.late_args
        is_here = owner.parent is block and not isinstance(owner, arith.ConstantOp)
        return is_here and owner not in self.late

    def _may_move(self, op: Operation) -> bool:
        """Whether an op gives a single number to late ops alone, and does nothing else."""
        if op.regions or not is_effect_free(type(op)) or isinstance(op, arith.ConstantOp):
            return False
        if any(isinstance(type, VectorType) for type in op.result_types):
            return False
        block = self.loop.body.block
        users = [use.operation for result in op.results for use in result.uses]
        return bool(users) and all(
            block.find_ancestor_op_in_block(user) in self.late for user in users
        )

    # Copies of the stages.

    def compute(self, block: Block, copies: _Copies) -> None:
        """The first stage at the end of a block."""
        _add_copies(block, self.early, copies)

    def update(self, block: Block, copies: _Copies) -> None:
        """The second stage, and the constants that it takes, at the end of a block."""
        ops = [op for op in self.ops if op in self.late or isinstance(op, arith.ConstantOp)]
        _add_copies(block, ops, copies)


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
        if not _may_be_split(op) or not self._can_count(op):
            return
        stages = _Stages(op)
        if stages.split():
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
    ops = list(ops_inside(loop.body))
    return (
        len(ops) <= MAX_OPS
        and not has_convergent_op(loop.body)
        and all(states_effects(op) and not isinstance(op, OrdersMemoryInterface) for op in ops)
    )


def _rotated(stages: _Stages) -> list[Operation]:
    """The ops that replace a loop; the last one has its results."""
    loop = stages.loop
    carried = [*stages.args, *stages.crossing]
    then, ahead = Block(), _Copies({stages.counter: loop.lb})
    stages.compute(then, ahead)
    second = arith.AddiOp(loop.lb, loop.step)
    start = [*loop.iter_args, *_mapped(stages.crossing, ahead)]
    rotated = scf.ForOp(second.result, loop.ub, loop.step, start, _body(stages))
    rotated.attributes |= {**loop.attributes, PIPELINED: UnitAttr()}
    then.add_ops([second, rotated])
    behind = _Copies(zip(carried, rotated.results, strict=True))
    stages.update(then, behind)
    then.add_op(scf.YieldOp(*_mapped(stages.last.operands, behind)))

    runs = arith.CmpiOp(loop.lb, loop.ub, "slt")
    runs.result.name_hint = "runs"
    otherwise = [Block([scf.YieldOp(*loop.iter_args)])] if stages.args else None
    branch = scf.IfOp(runs.result, loop.result_types, [then], otherwise)
    branch.location = rotated.location = loop.location
    for made, own in zip(branch.results, loop.results, strict=True):
        made.name_hint = own.name_hint
    return [runs, branch]


def _body(stages: _Stages) -> Block:
    """The first stage of an iteration, and the second one of the iteration before."""
    carried = [*stages.args, *stages.crossing]
    body = Block(arg_types=[stages.counter.type, *(value.type for value in carried)])
    for made, value in zip(body.args, [stages.counter, *carried], strict=True):
        made.name_hint = value.name_hint
    ahead = _Copies({stages.counter: body.args[0]})
    behind = _Copies(zip(carried, body.args[1:], strict=True))
    stages.compute(body, ahead)
    stages.update(body, behind)
    passed = _mapped(stages.last.operands, behind)
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
        requires=("vyre-prove-accesses", "vyre-split-index-sets"),
        invalidates=("canonicalize", "vyre-cse"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        changed = False
        for arm, integers in facts.of_arms(Integers, module):
            changed |= drive(PipelineLoop(integers), arm.body, facts, scf.ForOp)
        return changed
