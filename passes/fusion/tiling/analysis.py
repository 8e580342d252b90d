"""What fusion asks of a program: access relations, users, and order, kept current as it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeVar

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.bounded_effort import bounded, has_given_up, next_question
from vyre_dialect.analysis.isl import MISSING, is_installed, isl
from vyre_dialect.analysis.manager import Analysis, AnalysisManager, Change
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import is_cooperative
from vyre_dialect.ir.effects import buffers_touched, states_effects
from vyre_dialect.ir.interfaces import AccessKind, ids_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import knows_its_invocation
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.fusion.tiling.intervals import TileSpace
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.users import Users, users_of

T = TypeVar("T")


@dataclass
class ArmFacts:
    """What the ops of an arm say, found in one walk: the first op of each kind, or None."""

    arm: RegionOp
    unknown_effects: Operation | None = None
    """It does not say what it touches."""
    unknown_ids: Operation | None = None
    """It does not say which ids it depends on."""
    fixed: Operation | None = None
    """It depends on the invocation otherwise than by `vyre.invocation_id`."""
    is_data_parallel: bool = True
    ops: int = 0
    """How many ops the arm has, constants aside."""

    def __post_init__(self) -> None:
        for op in ops_inside(self.arm.body):
            ids = ids_of(op)
            if self.unknown_effects is None and not states_effects(op):
                self.unknown_effects = op
            if self.unknown_ids is None and ids is None:
                self.unknown_ids = op
            if knows_its_invocation(op):
                self.fixed = self.fixed or op
            self.is_data_parallel &= ids is not None and not is_cooperative(op)
            self.ops += not isinstance(op, arith.ConstantOp)


class ProgramAnalysis(Analysis):
    """Facts about one program, of which it forgets only what a rewrite may make untrue."""

    def __init__(self, program: ProgramOp, manager: AnalysisManager):
        self.program, self.manager = program, manager
        self._symbols: Symbols | None = None
        self._accesses: dict[RegionOp, ArmAccesses | Refusal] = {}
        self._facts: dict[RegionOp, ArmFacts] = {}
        self._touches: dict[RegionOp, dict[BufferOp, frozenset[AccessKind]]] = {}
        self._users: dict[Operation | Block, Users] = {}
        self._used_by: dict[Operation | None, set[BufferOp]] = {}
        """The buffers of which an op of the program's body was found to be, or to hold, a user."""
        self._changed_inside = set[Operation]()
        """Ops with regions that were modified, however often, since anything was asked."""
        self._found: dict[Operation | Block, Refusal | None] = {}
        self._order: dict[Operation, float] = {}
        """Numbers that grow from op to op of the program's body; none until somebody asks."""
        self._lengths = {buffer: _length_of(buffer) for buffer in program.buffers()}
        """What lengths were taken from, which all arms may rest on that ask for them."""

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """A program and its arms."""
        assert isinstance(scope, ProgramOp)
        return cls(scope, facts)

    @cached_property
    def context(self) -> isl.Context:
        """Where isl keeps what it is told of this program."""
        return isl.Context()

    @property
    def symbols(self) -> Symbols:
        """What the host computes, for isl."""
        if self._symbols is None:
            self._symbols = Symbols(self.context)
        return self._symbols

    @cached_property
    def tiles(self) -> TileSpace:
        """The tiles, for isl."""
        return TileSpace(self.symbols)

    def accesses(self, arm: RegionOp) -> ArmAccesses | Refusal:
        """The accesses of an arm, analysed on first use; the refusal if isl gives up on them."""
        if arm not in self._accesses:
            self._accesses[arm] = self.ask(lambda: ArmAccesses(arm, self.symbols))
        return self._accesses[arm]

    def facts(self, arm: RegionOp) -> ArmFacts:
        """What the ops of an arm say."""
        if arm not in self._facts:
            self._facts[arm] = ArmFacts(arm)
        return self._facts[arm]

    def ask(self, question: Callable[[], T]) -> T | Refusal:
        """The answer to a question of which isl may spend a bounded effort, or the refusal."""
        if not is_installed():
            return Refusal(Reason.GAVE_UP, MISSING)
        with bounded(self.context):
            try:
                answer = question()
                next_question(self.context)
            except isl.Error as error:
                return Refusal(Reason.GAVE_UP, f"isl gave up: {error}")
            except TypeError as error:
                # A number that isl has no operations left to print comes as None.
                if has_given_up(self.context):
                    return Refusal(Reason.GAVE_UP, f"isl gave up: {error}")
                raise
        return answer

    def once(self, handoff: BufferOp, question: Callable[[], Refusal | None]) -> Refusal | None:
        """What a question about a handoff finds, asked anew only when an arm of it changed."""
        self._catch_up()
        if handoff not in self._found:
            self._found[handoff] = self.ask(question)
        return self._found[handoff]

    def touches(self, arm: RegionOp) -> Mapping[BufferOp, frozenset[AccessKind]]:
        """The buffers of the program that an arm touches, and whether it reads and writes them."""
        if arm not in self._touches:
            touched = buffers_touched(arm.body)
            self._touches[arm] = {
                value.owner: kinds
                for value, kinds in touched.items()
                if isinstance(value.owner, BufferOp)
            }
        return self._touches[arm]

    def users(self, buffer: BufferOp) -> Users:
        """Who touches `buffer`; to ask for its length is not to touch it."""
        self._catch_up()
        if buffer not in self._users:
            self._users[buffer] = users_of(buffer, self.touches, self.position)
            for user in self._users[buffer]:
                self._used_by.setdefault(self._step_around(user), set()).add(buffer)
        return self._users[buffer]

    def position(self, op: Operation) -> float:
        """Where an op of the program, or the one around it, stands in its order."""
        step = self._step_around(op)
        assert step is not None
        if step not in self._order:
            steps = self.program.body.block.ops
            self._order = {each: place for place, each in enumerate(steps)}
        return self._order[step]

    def producer(self, buffer: BufferOp) -> RegionOp | None:
        """The first arm that touches `buffer`."""
        arms = self.users(buffer).arms
        return arms[0] if arms else None

    def follow(self, change: Change, op: Operation) -> bool:
        """Forget what is known of the arm around `op`, and who uses the buffers that it names."""
        step = self._step_around(op)
        if step is None:
            return not op.is_ancestor(self.program)
        if step is op and self._changes_parameters(change, op):
            return False
        if step is op and change == Change.INSERTED:
            self._place(op)
        if isinstance(step, RegionOp):
            self._accesses.pop(step, None)
            self._facts.pop(step, None)
            self._touches.pop(step, None)
        if change == Change.MODIFIED and op.regions:
            self._changed_inside.add(op)
        else:
            self._changed_inside.discard(op)
            self._forget_named_in(op)
        for buffer in self._used_by.pop(step, ()):
            self._forget(buffer)
        return True

    def _changes_parameters(self, change: Change, op: Operation) -> bool:
        """Whether parameters no longer stand for what they did, so that no relation holds."""
        match change, op:
            case Change.INSERTED, BufferOp():
                self._lengths[op] = _length_of(op)
                return False
            case Change.MODIFIED, BufferOp():
                return self._lengths.get(op) != _length_of(op)
            case Change.REMOVED, _:
                symbols = self._symbols
                return symbols is not None and any(map(symbols.has, op.results))
            case _:
                return False

    def _catch_up(self) -> None:
        """Forget who uses the buffers that changed ops name, each looked through once."""
        while self._changed_inside:
            self._forget_named_in(self._changed_inside.pop())

    def _step_around(self, op: Operation) -> Operation | None:
        """The op of the program's body that `op` is, or stands in; None where it does not."""
        body = self.program.body.block
        while op.parent is not body:
            if (parent := op.parent_op()) is None:
                return None
            op = parent
        return op

    def _place(self, op: Operation) -> None:
        """Give an op that was not there at first its place in the order."""
        before, after = op.prev_op, op.next_op
        while after is not None and after not in self._order:
            after = after.next_op
        if before is not None and before in self._order and after is not None:
            low, high = self._order[before], self._order[after]
            middle = (low + high) / 2
            if low < middle < high:
                self._order[op] = middle
                return
        self._order.clear()

    def _forget_named_in(self, op: Operation) -> None:
        """Forget who uses what `op`, and all inside of it, computes or takes."""
        for each in ops_inside(op):
            for value in (*each.operands, *each.results):
                self._forget(value.owner)

    def _forget(self, buffer: Operation | Block) -> None:
        self._users.pop(buffer, None)
        self._found.pop(buffer, None)


def _length_of(buffer: BufferOp) -> SSAValue | int:
    """What gives a buffer its length: a count, a value, or, where only the host has it, itself."""
    # As lengths of others, which stay what they are when those go.
    while isinstance(other := _measured_by(buffer), BufferOp):
        buffer = other
    if (count := buffer.type.static_count) is not None:
        return count
    if (size := buffer.size) is None:
        return buffer.buffer
    constant = integer_of(size)
    return size if constant is None else constant


def _measured_by(buffer: BufferOp) -> Operation | Block | None:
    """What has the same length by declaration, if that is so."""
    size = None if buffer.size is None else buffer.size.owner
    return size.buffer.owner if isinstance(size, BufLenOp) else None
