"""
Makes one arm out of a proved plan:

    producer share, into tiles  |  barrier  |  zeros outside the handoff  |  consumer shares

With private tiles every invocation does all of it alone, without barriers and unrolled, so
that the tiles become values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import islpy as isl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, local_id, workgroup_id
from vyre_dialect.builder import invocation_id as new_invocation_id
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, BufLenOp, RegionOp
from vyre_dialect.passes.access_relations import Access
from vyre_dialect.passes.fusion.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.emit import AffineEmitter
from vyre_dialect.passes.fusion.plan import Plan
from vyre_dialect.passes.fusion.tiles import Share, TileSpace, Window, residues
from vyre_dialect.types import (
    Access as AccessMode,
)
from vyre_dialect.types import (
    BufferType,
    MemorySpace,
)

UNROLLED_SHARES = 8
"""Producer invocations per private tile up to which they are unrolled."""
UNROLLED_ZEROS = 64
"""Elements of a private tile up to which its zeros are written one by one."""


def fuse(analysis: ProgramAnalysis, plan: Plan) -> RegionOp:
    """Replace the arms of `plan` by one, and its handoffs by tiles. Returns the new arm."""
    return _Fusion(analysis, plan).apply()


class _Fusion:
    def __init__(self, analysis: ProgramAnalysis, plan: Plan):
        self.analysis = analysis
        self.plan = plan
        self.tiles = TileSpace(analysis.symbols)
        self.last = max(plan.arms, key=analysis.position)
        self.buffers: dict[BufferOp, Buffer] = {}
        self.lengths: dict[BufferOp, Value] = {}
        self.bases: dict[BufferOp, Value] = {}

    @property
    def is_private(self) -> bool:
        return self.plan.space == MemorySpace.PRIVATE

    def apply(self) -> RegionOp:
        for handoff, window in self.plan.windows.items():
            self._promote(handoff, window)
        host = Block()
        with ImplicitBuilder(host):
            invocations = self._invocations()
        body = Block()
        self._build(body)
        fused = self._region(invocations, body)
        Rewriter.insert_op([*_detached(host), fused], InsertPoint.before(self.last))
        for arm in self.plan.arms:
            arm.detach()
            arm.erase(safe_erase=False)
        for handoff in self.plan.windows:
            handoff.detach()
            handoff.erase()
        self.analysis.replaced(self.plan.arms, fused)
        return fused

    def _region(self, invocations: Value | int, body: Block) -> RegionOp:
        arms = self.plan.arms
        domain = invocations if isinstance(invocations, int) else invocations.ssa
        fused = RegionOp(
            "+".join(arm.generator.data for arm in arms),
            [domain],
            Region(body),
            source_region=arms[0].source_region.data if arms[0].source_region else None,
            workgroup_size=[self.plan.workgroup_size],
        )
        for arm in arms:
            fused.attributes.update(arm.attributes)
        return fused

    def _promote(self, handoff: BufferOp, window: Window) -> None:
        """Declare the tile that takes the handoff's place and name."""
        space = self.plan.space
        element = handoff.type.element_type
        tile = BufferOp(
            handoff.sym_name.data,
            BufferType(window.extent, element, AccessMode.READ_WRITE, space),
        )
        tile.attributes.update(handoff.attributes)
        length = Block()
        with ImplicitBuilder(length):
            count = handoff.type.static_count
            if count is not None:
                self.lengths[handoff] = constant(count)
            elif handoff.size is not None:
                self.lengths[handoff] = Value(handoff.size)
        Rewriter.insert_op([*_detached(length), tile], InsertPoint.before(handoff))
        self.buffers[handoff] = Buffer(tile.buffer)
        self._redirect_host_lengths(handoff)

    def _redirect_host_lengths(self, handoff: BufferOp) -> None:
        for use in list(handoff.buffer.uses):
            if isinstance(use.operation, BufLenOp):
                Rewriter.replace_op(use.operation, [], [self.lengths[handoff].ssa])

    def _invocations(self) -> Value | int:
        counts = [self._count(share).ceildiv(share.count) for share in self.plan.consumers]
        if self.plan.producer_tiles is not None:
            counts.append(AffineEmitter(self.analysis.symbols).emit(self.plan.producer_tiles))
        total = counts[0]
        for count in counts[1:]:
            total = total.max(count)
        if not self.is_private:
            return total * self.plan.workgroup_size
        if all(share.arm.arm.is_data_parallel for share in self.plan.consumers):
            return total
        return total.ceildiv(self.plan.workgroup_size) * self.plan.workgroup_size

    def _build(self, body: Block) -> None:
        with ImplicitBuilder(body):
            tile = new_invocation_id() if self.is_private else workgroup_id()
            self.tile = tile.named("i" if self.is_private else "tile")
            self.local = constant(0) if self.is_private else local_id().named("lane")
            emitter = AffineEmitter(self.analysis.symbols, self.tile)
            for handoff, window in self.plan.windows.items():
                self.bases[handoff] = emitter.emit(window.base).named(
                    f"{handoff.sym_name.data}_base"
                )
            self.first = emitter.emit(self.plan.producer.first).named("first")
        self._run_producer(body)
        with ImplicitBuilder(body):
            if not self.is_private:
                barrier()
            for handoff in self.plan.windows:
                if handoff in self.plan.overhangs:
                    self._zero_outside(handoff)
        for share in self.plan.consumers:
            self._run_consumer(body, share)

    def _run_producer(self, body: Block) -> None:
        share = self.plan.producer
        if self.is_private and share.count <= UNROLLED_SHARES:
            for copy in range(share.count):
                self._run_copy(body, share, copy)
            return
        if share.count <= self.plan.workgroup_size and not self.is_private:
            self._run_one(body, share, self.local, partial=share.count % self._stride() != 0)
            return
        self._run_in_steps(
            body,
            share,
            lambda block, offset: self._run_one(block, share, offset, partial=False),
        )

    def _run_copy(self, body: Block, share: Share, copy: int) -> None:
        """One unrolled producer invocation, whose accesses to the tile are at constants."""
        with ImplicitBuilder(body):
            id = (self.first + copy if copy else self.first).named("item")
        at = isl.Map.from_pw_aff(share.first + self.tiles.constant(copy))
        runs = at.apply_range(isl.Map.read_from_str(self.analysis.context, "{ [i] -> I[i, 0, 0] }"))
        self._insert_guarded(body, share, id, runs, extra=None)

    def _run_one(self, body: Block, share: Share, offset: Value, *, partial: bool) -> None:
        """The producer invocation `first + offset`, if there is one."""
        with ImplicitBuilder(body):
            id = (self.first + offset).named("item")
            extra = offset < share.count if partial else None
        self._insert_guarded(body, share, id, share.runs, extra)

    def _stride(self) -> int:
        return 1 if self.is_private else self.plan.workgroup_size

    def _run_in_steps(self, body: Block, share: Share, run: Callable[[Block, Value], None]) -> None:
        """A loop of the workgroup over a share: lane, lane + size, lane + 2 size, …"""
        with _loop(body, self.local, share.count, self._stride()) as (inner, offset):
            run(inner, offset)

    def _run_consumer(self, body: Block, share: Share) -> None:
        arm = share.arm.arm
        if not arm.is_data_parallel:
            self._inline_cooperative(body, share)
            return
        if self.is_private:
            self._run_alone(body, share)
            return
        if share.count == self.plan.workgroup_size:
            self._run_at(body, share, self.local)
            return
        self._run_in_steps(body, share, lambda block, offset: self._run_at(block, share, offset))

    def _run_alone(self, body: Block, share: Share) -> None:
        """The consumer invocation that this invocation is, if there is one."""
        if self.plan.is_exact:
            body.add_ops(self._clone(share, self.tile, share.runs))
            return
        self._insert_guarded(body, share, self.tile, share.runs, extra=None)

    def _run_at(self, body: Block, share: Share, offset: Value) -> None:
        """The consumer invocation at `offset` in the tile's share."""
        with ImplicitBuilder(body):
            id = (self.tile * share.count + offset).named("i")
        self._insert_guarded(body, share, id, share.runs, extra=None)

    def _inline_cooperative(self, body: Block, share: Share) -> None:
        """A consumer with workgroups of its own: its body as it is, in its own workgroups."""
        ops = self._clone(share, None, share.runs)
        if self.plan.is_exact:
            body.add_ops(ops)
            return
        with ImplicitBuilder(body):
            # Asked of the workgroup, so that its barriers stay in uniform control flow.
            group = workgroup_id() * self.plan.workgroup_size
            inside = group < self._count(share)
        _if(body, inside, ops)

    def _insert_guarded(
        self, body: Block, share: Share, id: Value, runs: isl.Map, extra: Value | None
    ) -> None:
        with ImplicitBuilder(body):
            inside = self._is_invocation(share, id)
            if extra is not None:
                inside = extra & inside
        _if(body, inside, self._clone(share, id, runs))

    def _is_invocation(self, share: Share, id: Value) -> Value:
        below = id < self._count(share)
        if share is self.plan.producer and not self._is_never_negative(share.first):
            return (id >= 0) & below
        return below

    def _count(self, share: Share) -> Value:
        """How many invocations the arm has."""
        count = share.arm.arm.domain[0]
        return constant(count) if isinstance(count, int) else Value(count)

    def _is_never_negative(self, function: isl.PwAff) -> bool:
        tiles = isl.Set.read_from_str(self.analysis.context, "{ T[w] : w >= 0 }")
        tiles = tiles.intersect_params(self.analysis.symbols.ranges())
        return tiles.is_subset(function.ge_set(self.tiles.constant(0)))

    def _clone(self, share: Share, id: Value | None, runs: isl.Map) -> list[Operation]:
        """The body of an arm for invocation `id`, with its handoffs in tiles."""
        arm = share.arm.arm
        originals: dict[Operation, Operation] = {}
        region = arm.body.clone()
        for old, new in zip(arm.body.walk(), region.walk(), strict=True):
            originals[old] = new
        for handoff in self.plan.windows:
            for access in share.arm.to(handoff):
                self._into_tile(access, originals[access.op], runs)
        if id is not None:
            for op in list(region.walk()):
                if isinstance(op, InvocationIdOp):
                    Rewriter.replace_op(op, [], [id.ssa])
        return _detached(region.block)

    def _into_tile(self, access: Access, op: Operation, runs: isl.Map) -> None:
        handoff = access.buffer
        assert isinstance(op, LoadOp | StoreOp)
        position, inside = self._position(access, op, runs)
        buffer = self.buffers[handoff].ssa
        block = Block()
        with ImplicitBuilder(block):
            index = self._relative(op.index, handoff, position)
            if isinstance(op, LoadOp):
                new: LoadOp | StoreOp = LoadOp(buffer, index.ssa, op.value.type)
            else:
                new = StoreOp(op.value, buffer, index.ssa)
        new.in_bounds = UnitAttr() if inside else None
        new.attributes.update(op.attributes)
        Rewriter.replace_op(op, _detached(block), [*new.results])

    def _position(
        self, access: Access, op: LoadOp | StoreOp, runs: isl.Map
    ) -> tuple[int | None, bool]:
        """The constant position in the tile, if it is one, and whether it lies inside."""
        window = self.plan.windows[access.buffer]
        assert access.reach is not None
        bounds = residues(self.tiles, runs.apply_range(access.reach), window.base, 1)
        if bounds is None:
            return None, False
        low, high = bounds
        inside = low >= 0 and high < window.extent
        return (low if high - low + 1 == op.elements else None), inside

    def _relative(self, index: SSAValue, handoff: BufferOp, position: int | None) -> Value:
        if position is not None:
            return constant(position)
        return Value(index) - self.bases[handoff]

    def _zero_outside(self, handoff: BufferOp) -> None:
        """In tiles at the ends, zeros where the handoff has no elements."""
        window = self.plan.windows[handoff]
        base, length = self.bases[handoff], self.lengths[handoff]
        at_an_end = base + window.extent > length
        if not self._is_never_negative(window.base):
            at_an_end = (base < 0) | at_an_end
        with if_(at_an_end):
            if self.is_private and window.extent <= UNROLLED_ZEROS:
                for position in range(window.extent):
                    self._zero_at(handoff, constant(position))
                return
            with for_(self.local, window.extent, self._stride()) as loop:
                self._zero_at(handoff, loop.counter)
            if not self.is_private:
                barrier()

    def _zero_at(self, handoff: BufferOp, position: Value) -> None:
        element = self.bases[handoff] + position
        outside = element >= self.lengths[handoff]
        if not self._is_never_negative(self.plan.windows[handoff].base):
            outside = (element < 0) | outside
        with if_(outside):
            self.buffers[handoff][position] = constant(0, handoff.type.element_type)


def _detached(block: Block) -> list[Operation]:
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops


def _if(body: Block, condition: Value, ops: list[Operation]) -> None:
    """An `scf.if` around finished ops, at the end of `body`."""
    inner = Block(ops)
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        scf.IfOp(condition.ssa, [], [inner])


@contextmanager
def _loop(body: Block, begin: Value, end: int, step: int) -> Iterator[tuple[Block, Value]]:
    """An `scf.for` at the end of `body` around what is added to its block."""
    with ImplicitBuilder(body):
        bounds = [begin.ssa, constant(end).ssa, constant(step).ssa]
    inner = Block(arg_types=[begin.type])
    yield inner, Value(inner.args[0])
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        scf.ForOp(*bounds, [], inner)
