"""`vyre-cut-stream`: makes a program what it is to do of a piece of its input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils.dynamic_index_list import split_dynamic_index_list
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.streams.apart import forbids_apart
from vyre_dialect.analysis.streams.drift import FIRST, LAST, MIDDLE, Piece
from vyre_dialect.analysis.streams.evaluation import Move
from vyre_dialect.analysis.streams.plan import ArmPlan, StreamPlan
from vyre_dialect.analysis.streams.streams import Streams
from vyre_dialect.builder import Buffer, Program, Value
from vyre_dialect.ir.interfaces import HasCombinerInterface, arm_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    Access,
    Initial,
    InitialAttr,
    lane_count,
    scalar_type,
    sizes_attr,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp, WorkgroupIdOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.ops.stream import StreamOp, declared, stream_of
from vyre_dialect.passes.program.stream import stream_op
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of

PieceName: TypeAlias = Literal["first", "middle", "last"]
_PIECES: dict[PieceName, Piece] = {"first": FIRST, "middle": MIDDLE, "last": LAST}

PLACE = "place_of_piece"
"""The input, where there is one, by which a piece learns how many units lie before it."""


@dataclass(frozen=True)
class CutStreamPass(RewritePass):
    """
    Makes each program with a `vyre.stream`, as `vyre-stream` puts it there, what it does of a
    `piece`: the `first`, one in the `middle`, or the `last`. Arms leave out invocations that belong
    to other pieces, and what pieces hand on to each other becomes an input and an output.

    Raises PassFailedException where what the program says of itself is not what is proven.
    """

    name = "vyre-cut-stream"

    piece: PieceName
    apart: bool = False

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.piece not in get_args(PieceName):
            expected = ", ".join(f"'{each}'" for each in get_args(PieceName))
            raise PassFailedException(
                f"'{self.name}' expected one of {expected} as 'piece', got '{self.piece}'"
            )
        rewriter = rewriter_of(module, facts)
        programs = [op for op in module.ops if isinstance(op, ProgramOp)]
        found = [(each, stream) for each in programs if (stream := stream_of(each)) is not None]
        for program, stream in found:
            plan = _proven(program, stream, facts)
            if self.apart and (refusal := forbids_apart(plan)) is not None:
                raise PassFailedException(f"'{self.name}' '@{program.sym_name.data}': {refusal}")
            rewriter.erase(stream)
            _Cut(program, plan, _PIECES[self.piece], self.apart, rewriter).apply()
        return bool(found)


def _proven(program: ProgramOp, stream: StreamOp, facts: AnalysisManager) -> StreamPlan:
    """The plan that a program says it has."""
    name = program.sym_name.data
    if stream.refused is not None:
        raise PassFailedException(f"'{CutStreamPass.name}' '@{name}': {stream.refused.data}")
    plan = facts.get(Streams, program).along(declared(program, stream.main_name))
    if not isinstance(plan, StreamPlan):
        raise PassFailedException(f"'{CutStreamPass.name}' '@{name}': {plan}")
    if not stream_op(plan).is_structurally_equivalent(stream):
        raise PassFailedException(
            f"'{CutStreamPass.name}' '@{name}' says how it is cut, and something else is proven: "
            "run 'vyre-stream' before"
        )
    return plan


@dataclass
class _Cut:
    """Makes one program what it does of a piece."""

    program: ProgramOp
    plan: StreamPlan
    piece: Piece
    is_apart: bool
    rewriter: PatternRewriter

    def apply(self) -> None:
        """Change the program."""
        self._move_places(self.plan.moves[self.piece])
        for arm, plan in self.plan.arms.items():
            if not plan.turn.is_of(self.piece):
                self.rewriter.erase(arm)
            elif plan.axis is not None:
                self._shift_ids(arm, plan, plan.axis)
                self._restrict(arm, plan, plan.axis)
        for buffer in self.plan.kept:
            self._hand_on(buffer)

    # Arms do what belongs to the piece.

    def _restrict(self, arm: RegionOp, plan: ArmPlan, axis: int) -> None:
        before = 0 if self.piece.begins else plan.before
        after = 0 if self.piece.ends else plan.after
        if self.piece.ends and not before:
            return
        domain = list(arm.domain)
        with building(self.rewriter, InsertPoint.before(arm)):
            if self.piece.ends:
                given = domain[axis]
                assert isinstance(given, SSAValue)
                count = Value(given) - before * plan.rate
            else:
                units = Buffer(self.plan.main.buffer).length // self.plan.unit
                count = (units - (before + after)) * plan.rate
        domain[axis] = count.ssa
        static, dynamic = split_dynamic_index_list(domain, DYNAMIC_INDEX)
        arm.operands, arm.static_invocations = list(dynamic), sizes_attr(static)
        self.rewriter.notify_op_modified(arm)

    def _shift_ids(self, arm: RegionOp, plan: ArmPlan, axis: int) -> None:
        """Let the invocations begin behind those that belong to the piece before."""
        if self.piece.begins or not plan.before:
            return
        for op in ops_inside(arm.body):
            if not isinstance(op, InvocationIdOp | WorkgroupIdOp):
                continue
            if "xyz".index(op.axis.data) != axis:
                continue
            size = arm.workgroup[axis] if isinstance(op, WorkgroupIdOp) else 1
            with building(self.rewriter, InsertPoint.after(op)):
                moved = Value(op.id) + plan.before * plan.rate // size
            moved_op = moved.ssa.owner
            self.rewriter.replace_uses_with_if(
                op.id, moved.ssa, lambda use, moved_op=moved_op: use.operation is not moved_op
            )

    # Places that are taken as data are those in all of the input.

    def _move_places(self, moves: Iterable[Move]) -> None:
        moves = [move for move in moves if self._runs(move)]
        if not moves:
            return
        start = InsertPoint.at_start(self.program.body.block)
        with building(self.rewriter, start):
            place = Program(self.program).buffer(
                unique_name(self.program, PLACE), i64, 1, access=Access.READ_ONLY
            )
            units = place.load(0).to(IndexType())
        behind = units.ssa.owner
        assert isinstance(behind, Operation)
        for move in moves:
            self._move(move, units, InsertPoint.after(behind))

    def _runs(self, move: Move) -> bool:
        """Whether what takes a place as data runs on the piece."""
        arm = arm_of(move.op)
        return not isinstance(arm, RegionOp) or self.plan.arms[arm].turn.is_of(self.piece)

    def _move(self, move: Move, units: Value, host: InsertPoint) -> None:
        operand = move.op.operands[move.operand]
        lane = scalar_type(operand.type)
        with building(self.rewriter, host):
            distance = _as_type(units * move.per_unit, lane)
        with building(self.rewriter, InsertPoint.before(move.op)):
            moved = Value(operand) + _broadcast(distance, operand.type)
        move.op.operands[move.operand] = moved.ssa
        self.rewriter.notify_op_modified(move.op)

    # What pieces hand on.

    def _hand_on(self, buffer: BufferOp) -> None:
        if not self.piece.ends:
            buffer.live_out = UnitAttr()
        if not self.piece.begins:
            buffer.initial = InitialAttr(Initial.HOST)
            if self.is_apart:
                buffer.fill = _neutral_value(buffer)
        self.rewriter.notify_op_modified(buffer)


def _neutral_value(buffer: BufferOp) -> IntegerAttr | FloatAttr:
    """What changes nothing where parts of a buffer are combined."""
    users = (use.operation for use in buffer.buffer.uses)
    return next(op.get_neutral_value() for op in users if isinstance(op, HasCombinerInterface))


def _as_type(value: Value, type: Attribute) -> Value:
    if isinstance(type, IntegerType):
        return value.to(type)
    return value


def _broadcast(value: Value, type: Attribute) -> Value:
    return value.broadcast(lane_count(type)) if isinstance(type, VectorType) else value
