"""What a program is like as a whole: counts, sizes and costs, found out in one linear walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.interfaces import (
    AccessKind,
    HasAccessesInterface,
    HasExpansionInterface,
    HasInvocationsInterface,
    Id,
    OrdersMemoryInterface,
    ids_of_class,
    may_be_in_bounds,
)
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.types import MemorySpace, TokenType, element_bytes, lane_count, scalar_type
from vyre_dialect.values import integer_of

ASSUMED_COUNT = 65536
"""Elements that a run-time sized buffer is taken to have where only an estimate is asked for."""
ASSUMED_TRIPS = 8
"""Iterations that a loop is taken to have whose bounds are not constants."""
MOST_TRIPS = 1024
"""Iterations beyond which more do not tell loops apart."""

READS, WRITES, UPDATES, ORDERS, TRAPS, UNKNOWN = (1 << bit for bit in range(6))
"""The bits of `effect_bits`."""

_WORK: dict[type[Operation], int] = {
    arith.ConstantOp: 0,
    arith.MuliOp: 2,
    **dict.fromkeys((arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp), 20),
    **dict.fromkeys((arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp), 24),
}
"""What an op costs, in additions; 1 unless stated."""
_MEMORY_WORK, _ATOMIC_WORK = 4, 16


@dataclass(frozen=True)
class _Class:
    """What all ops of a class are; found out once, as `isinstance` of interfaces takes long."""

    is_instruction: bool
    is_constant: bool
    is_access: bool
    effects: int
    capabilities: frozenset[str]
    is_invocations: bool
    is_library: bool

    @staticmethod
    @cache
    def of(op: type[Operation]) -> _Class:
        """What ops of class `op` are."""
        ids = ids_of_class(op)
        return _Class(
            not op.has_trait(IsTerminator) and not issubclass(op, BufferOp),
            issubclass(op, arith.ConstantOp),
            issubclass(op, HasAccessesInterface),
            ORDERS * issubclass(op, OrdersMemoryInterface)
            | TRAPS * issubclass(op, TrapOp)
            | UNKNOWN * (ids is None),
            frozenset({"subgroups"}) if Id.SUBGROUP in (ids or ()) else frozenset(),
            issubclass(op, HasInvocationsInterface),
            issubclass(op, HasExpansionInterface | LaunchOp),
        )


_OP_BYTES, _VALUE_BYTES, _BLOCK_BYTES = 800, 160, 240
"""Roughly what xDSL keeps in memory for an op, a value, and a block with its region."""


@dataclass(frozen=True)
class ProgramFacts:
    """
    Facts of all programs and kernels of a module together. Equal IR has equal facts.

    Counts are static. `work` is weighted by what ops cost and how often loops run; it, `peak_bytes`
    and `register_pressure` are estimates, which nothing may rely on but a choice.
    """

    nodes: int = 0
    """Operations of any kind."""
    top_level_regions: int = 0
    """Arms, launches, and library ops, which become arms."""
    instruction_count: int = 0
    """Operations that invocations run, constants and terminators apart."""
    memory_op_count: int = 0
    atomic_op_count: int = 0
    control_flow_count: int = 0
    """Branches and loops."""
    barrier_count: int = 0
    static_storage_bytes: int = 0
    """Bytes of all buffers whose element count is static."""
    peak_bytes: int = 0
    """The most bytes of global buffers that are needed at once."""
    register_pressure: int = 0
    """The most 32-bit words of values that an invocation needs at once."""
    work: int = 0
    effect_bits: int = 0
    linear_type_violations: int = 0
    """Tokens of asynchronous copies that are not awaited exactly once."""
    shape_predicate_violations: int = 0
    """Accesses that are not proven to be inside of their buffers."""
    ir_heap_allocations: int = 0
    """Operations, values and blocks that the compiler holds."""
    ir_heap_bytes: int = 0
    """What these take in the compiler's memory, estimated."""
    capabilities: frozenset[str] = frozenset()
    """What the device must be able to do: `int64_atomics`, `subgroups`, `fp16`, `fp64`."""

    @classmethod
    def of(cls, module: ModuleOp) -> ProgramFacts:
        """The facts of `module`; schedules in it do not count."""
        collector = _Collector()
        for op in module.body.block.ops:
            if not isinstance(op, ScheduleOp):
                collector.collect(op)
        return collector.facts()

    def count(self, name: str) -> int:
        """The number called `name`. Raises KeyError where there is none."""
        value = getattr(self, name, None)
        if not isinstance(value, int):
            raise KeyError(name)
        return value


NUMBERS = tuple(each.name for each in fields(ProgramFacts) if each.name != "capabilities")
"""The names of the facts that are numbers."""


@dataclass
class KnownFacts:
    """The facts of a module, kept until somebody says that it has changed."""

    module: ModuleOp
    _facts: ProgramFacts | None = None

    def get(self) -> ProgramFacts:
        """The facts of the module as it is."""
        if self._facts is None:
            self._facts = ProgramFacts.of(self.module)
        return self._facts

    def invalidate(self) -> None:
        """Forget the facts."""
        self._facts = None


@dataclass
class _Collector:
    """Walks the ops of a module, and adds up what each is."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    capabilities: set[str] = field(default_factory=set[str])

    def facts(self) -> ProgramFacts:
        """What was collected."""
        return ProgramFacts(**self.counts, capabilities=frozenset(self.capabilities))

    def collect(self, root: Operation) -> None:
        """Add a program or a kernel."""
        order = list(_walk(root))
        alike = dict[tuple[type[Operation], int], list[Operation]]()
        values = list[SSAValue]()
        for op, trips in order:
            alike.setdefault((type(op), trips), []).append(op)
        for (op_class, trips), ops in alike.items():
            kind = _Class.of(op_class)
            self._structure(ops, kind)
            if trips and kind.is_instruction:
                self._instructions(ops, kind, trips)
                values += [result for op in ops for result in op.results]
        self._values(values)
        pressure = _register_pressure([op for op, trips in order if trips])
        self._at_least("register_pressure", pressure)
        if isinstance(root, ProgramOp):
            self._at_least("peak_bytes", _peak_bytes(root, [op for op, _ in order]))

    def _add(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def _at_least(self, name: str, number: int) -> None:
        self.counts[name] = max(self.counts.get(name, 0), number)

    def _structure(self, ops: list[Operation], kind: _Class) -> None:
        """Add ops of one class."""
        blocks = [block for op in ops for region in op.regions for block in region.blocks]
        values = sum(len(op.results) for op in ops) + sum(len(block.args) for block in blocks)
        self._add("ir_heap_allocations", len(ops) + values + len(blocks))
        memory = len(ops) * _OP_BYTES + values * _VALUE_BYTES + len(blocks) * _BLOCK_BYTES
        self._add("ir_heap_bytes", memory)
        if not isinstance(ops[0], ProgramOp):
            self._add("nodes", len(ops))
        if isinstance(ops[0], BufferOp):
            buffers = (op for op in ops if isinstance(op, BufferOp))
            self._add("static_storage_bytes", sum(op.type.static_bytes or 0 for op in buffers))
        if kind.is_invocations or kind.is_library:
            tops = [op for op in ops if isinstance(op.parent_op(), ProgramOp)]
            self._add("top_level_regions", len(tops))

    def _instructions(self, ops: list[Operation], kind: _Class, trips: int) -> None:
        """Add ops of one class of an arm or a kernel, each of which runs so many times."""
        if kind.is_constant:
            return
        self._add("instruction_count", len(ops))
        self._effects(kind.effects)
        self.capabilities |= kind.capabilities
        if kind.is_access:
            accesses = (op for op in ops if isinstance(op, HasAccessesInterface))
            self._add("work", trips * sum(self._access(op) for op in accesses))
            return
        self._add("work", trips * len(ops) * _WORK.get(type(ops[0]), 1))
        branches = sum(bool(op.regions) for op in ops)
        self._add("control_flow_count", branches)
        if kind.effects & ORDERS:
            self._add("barrier_count", len(ops) - branches)

    def _access(self, op: HasAccessesInterface) -> int:
        """Add an access; returns the work of it."""
        kinds = {access.kind for access in op.get_accesses()}
        is_atomic = AccessKind.UPDATE in kinds
        self._add("atomic_op_count" if is_atomic else "memory_op_count")
        self._effects(sum(_EFFECTS[kind] for kind in kinds))
        if is_atomic and any(_has_width(value.type, 64) for value in op.results):
            self.capabilities.add("int64_atomics")
        if may_be_in_bounds(op):
            self._add("shape_predicate_violations")
        return _ATOMIC_WORK if is_atomic else _MEMORY_WORK

    def _values(self, values: list[SSAValue]) -> None:
        for type in {id(value.type): value.type for value in values}.values():
            if isinstance(type, TokenType):
                misused = sum(value.type is type and not value.has_one_use() for value in values)
                self._add("linear_type_violations", misused)
            scalar = scalar_type(type)
            if isinstance(scalar, AnyFloat) and scalar.bitwidth in (16, 64):
                self.capabilities.add(f"fp{scalar.bitwidth}")

    def _effects(self, bits: int) -> None:
        self.counts["effect_bits"] = self.counts.get("effect_bits", 0) | bits


_EFFECTS = {AccessKind.READ: READS, AccessKind.WRITE: WRITES, AccessKind.UPDATE: UPDATES}


def _has_width(type: Attribute, width: int) -> bool:
    return isinstance(type, IntegerType) and type.width.data == width


def _walk(root: Operation) -> Iterator[tuple[Operation, int]]:
    """
    Each op with how often an invocation runs it; 0 for what the host runs. Without recursion, as
    programs may be nested deeply.
    """
    stack = [(root, 0)]
    while stack:
        op, trips = stack.pop()
        yield op, trips
        if not op.regions:
            continue
        inside = 1 if _Class.of(type(op)).is_invocations else trips * _trips(op)
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                last = block.last_op
                while last is not None:
                    stack.append((last, inside))
                    last = last.prev_op


def _trips(op: Operation) -> int:
    if isinstance(op, scf.WhileOp):
        return ASSUMED_TRIPS
    if not isinstance(op, scf.ForOp):
        return 1
    first, end, step = (integer_of(value) for value in (op.lb, op.ub, op.step))
    if first is None or end is None or not step:
        return ASSUMED_TRIPS
    return min(max(-((first - end) // step), 0), MOST_TRIPS)


@cache
def _words(type: Attribute) -> int:
    """32-bit words of registers that a value takes."""
    size = element_bytes(scalar_type(type)) or 4
    return max(1, lane_count(type) * size // 4)


_FREE = frozenset({arith.ConstantOp, BufferOp})
"""Ops whose results take no register."""


def _register_pressure(order: list[Operation]) -> int:
    """The most words that are live at once, of values from their definition to their last use."""
    last_use = {id(operand): place for place, op in enumerate(order) for operand in op.operands}
    types = {id(result.type): result.type for op in order for result in op.results}
    sizes = {key: _words(type) for key, type in types.items()}
    ends = dict[int, int]()
    live = most = 0
    for place, op in enumerate(order):
        if type(op) not in _FREE:
            for result in op.results:
                if (end := last_use.get(id(result))) is not None:
                    live += (words := sizes[id(result.type)])
                    ends[end] = ends.get(end, 0) + words
        most = max(most, live)
        live -= ends.pop(place, 0)
    return most


def _peak_bytes(program: ProgramOp, order: list[Operation]) -> int:
    """The largest sum of global buffers between their first and their last use."""
    first, last = dict[BufferOp, int](), dict[BufferOp, int]()
    place, body = 0, program.body.block
    for op in order:
        place += op.parent is body
        for operand in op.operands:
            buffer = operand.owner
            if type(buffer) is BufferOp:
                first.setdefault(buffer, place)
                last[buffer] = place
    changes = dict[int, int]()
    for buffer, start in first.items():
        size = _estimated_bytes(buffer)
        end = place if buffer.live_out is not None else last[buffer]
        changes[start] = changes.get(start, 0) + size
        changes[end + 1] = changes.get(end + 1, 0) - size
    live = most = 0
    for _, change in sorted(changes.items()):
        live += change
        most = max(most, live)
    return most


def _estimated_bytes(buffer: BufferOp) -> int:
    if buffer.type.space != MemorySpace.GLOBAL:
        return 0
    if buffer.type.static_bytes is not None:
        return buffer.type.static_bytes
    return ASSUMED_COUNT * (element_bytes(buffer.type.element_type) or 1)
