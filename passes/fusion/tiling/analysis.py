"""What the planner asks of a program, computed once: access relations, users, and order."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import islpy as isl
from xdsl.ir import Operation

from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import BufferOp, BufLenOp, ProgramOp, RegionOp
from vyre_dialect.passes.analysis.access_relations import ArmAccesses, bounded
from vyre_dialect.passes.analysis.affine_values import Symbols
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused


@dataclass
class Users:
    """Who touches a buffer: arms in program order, loads by the host, and any other ops."""

    arms: list[RegionOp] = field(default_factory=list[RegionOp])
    host_loads: list[LoadOp] = field(default_factory=list[LoadOp])
    others: list[Operation] = field(default_factory=list[Operation])


class ProgramAnalysis:
    """Facts about one program. Rewrites tell it which arms are gone and which are new."""

    def __init__(self, program: ProgramOp):
        self.program = program
        self.context = isl.Context()
        self.symbols = Symbols(self.context)
        self._accesses: dict[RegionOp, ArmAccesses] = {}
        self._unknown: dict[RegionOp, Refused] = {}
        self._order = {op: place for place, op in enumerate(program.body.block.ops)}

    def accesses(self, arm: RegionOp) -> ArmAccesses:
        """The accesses of an arm, analysed on first use; raises Refused if `analyse` had to."""
        if arm in self._unknown:
            raise self._unknown[arm]
        if arm not in self._accesses:
            self._accesses[arm] = ArmAccesses(arm, self.symbols)
        return self._accesses[arm]

    def analyse(self, arm: RegionOp) -> None:
        """Find the accesses of an arm, or else note that isl gives up on them."""
        if arm in self._unknown or arm in self._accesses:
            return
        try:
            with self.bounded():
                self.accesses(arm)
        except Refused as refused:
            self._unknown[arm] = refused

    @contextmanager
    def bounded(self) -> Generator[None]:
        """Bound what isl spends on the questions asked inside; raises Refused beyond it."""
        with bounded(self.context):
            try:
                yield
            except Refused:
                raise
            except Exception as error:
                # Once isl gives up, islpy hands out None here and there, which breaks anything.
                if isinstance(error, isl.Error) or _has_given_up(self.context):
                    raise Refused(Reason.NON_AFFINE, f"isl gave up: {error}") from error
                raise

    def users(self, buffer: BufferOp) -> Users:
        """Who touches `buffer`; to ask for its length is not to touch it."""
        arms, loads, others = dict[RegionOp, None](), list[LoadOp](), list[Operation]()
        for use in buffer.buffer.uses:
            user = use.operation
            if isinstance(user, BufLenOp):
                continue
            if (arm := self._arm_of(user)) is not None:
                arms[arm] = None
            elif isinstance(user, LoadOp):
                loads.append(user)
            else:
                others.append(user)
        return Users(sorted(arms, key=self.position), loads, others)

    def is_used_only_in(self, buffer: BufferOp, arms: list[RegionOp]) -> bool:
        """Whether nothing but `arms` touches `buffer`."""
        users = (use.operation for use in buffer.buffer.uses)
        return all(isinstance(user, BufLenOp) or self._arm_of(user) in arms for user in users)

    def between(self, first: Operation, last: Operation) -> list[Operation]:
        """The ops of the program strictly between two of its ops."""
        found = list[Operation]()
        op = first.next_op
        while op is not None and op is not last:
            found.append(op)
            op = op.next_op
        return found

    def position(self, op: Operation) -> int:
        """Where an op of the program stands in its order."""
        return self._order[op]

    def replaced(self, old: list[RegionOp], new: RegionOp) -> None:
        """Arms were fused into `new`, which stands where the last of them stood."""
        self._order[new] = max(self._order.pop(arm) for arm in old)
        for arm in old:
            self._accesses.pop(arm, None)

    def sizes(self, point: isl.Point) -> dict[str, int]:
        """The values that a point gives to the program's parameters, by readable name."""
        space = point.get_space()
        sizes = dict[str, int]()
        for position in range(space.dim(isl.dim_type.param)):
            name = space.get_dim_name(isl.dim_type.param, position) or ""
            value = point.get_coordinate_val(isl.dim_type.param, position)
            sizes[self.symbols.label(name)] = int(value.to_python())
        return sizes

    def _arm_of(self, op: Operation) -> RegionOp | None:
        parent = op.parent_op()
        while parent is not None and not isinstance(parent, RegionOp):
            parent = parent.parent_op()
        return parent


def _has_given_up(context: isl.Context) -> bool:
    """Whether the operations that isl was allowed are spent, so that it answers no more."""
    try:
        isl.Set.read_from_str(context, "{ [0] }")
    except isl.Error:
        return True
    return False
