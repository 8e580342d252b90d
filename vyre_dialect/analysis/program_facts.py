"""What a program is like as a whole: counts, sizes and costs, found out in one linear walk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, partial, reduce
from itertools import accumulate, chain, compress, count, repeat
from operator import attrgetter

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.analysis.listing import Listing
from vyre_dialect.analysis.work import additions_of
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import depends_on_subgroups
from vyre_dialect.ir.interfaces import (
    AccessKind,
    HasAccessesInterface,
    HasExpansionInterface,
    HasInvocationsInterface,
    OrdersMemoryInterface,
    ids_of_class,
    may_be_in_bounds,
)
from vyre_dialect.ir.parts import type_of
from vyre_dialect.ir.types import MemorySpace, TokenType, element_bytes, lane_count, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import ScheduleOp

ASSUMED_COUNT = 65536
"""Elements that a run-time sized buffer is taken to have where only an estimate is asked for."""
ASSUMED_TRIPS = 8
"""Iterations that a loop is taken to have whose bounds are not constants."""
MOST_TRIPS = 1024
"""Iterations beyond which more do not tell loops apart."""

READS, WRITES, UPDATES, ORDERS, TRAPS, UNKNOWN = (1 << bit for bit in range(6))
"""The bits of `effect_bits`."""

_MEMORY_WORK, _ATOMIC_WORK = 4, 16
"""What accesses cost, in additions."""


@dataclass(frozen=True)
class _Class:
    """What all ops of a class are; found out once, as `isinstance` of interfaces takes long."""

    is_instruction: bool
    is_constant: bool
    is_access: bool
    effects: int
    capabilities: frozenset[str]
    is_invocations: bool
    is_step: bool
    """Whether it is one of what a program does one after another."""
    is_looked_at: bool
    """Whether the class does not say all."""

    @staticmethod
    @cache
    def of(op: type[Operation]) -> _Class:
        """What ops of class `op` are."""
        ids = ids_of_class(op)
        is_access = issubclass(op, HasAccessesInterface)
        is_invocations = issubclass(op, HasInvocationsInterface)
        is_step = is_invocations or issubclass(op, HasExpansionInterface | LaunchOp)
        return _Class(
            not op.has_trait(IsTerminator) and not issubclass(op, BufferOp),
            issubclass(op, arith.ConstantOp),
            is_access,
            ORDERS * issubclass(op, OrdersMemoryInterface)
            | TRAPS * issubclass(op, TrapOp)
            | UNKNOWN * (ids is None),
            frozenset({"subgroups"}) if depends_on_subgroups(ids or frozenset()) else frozenset(),
            is_invocations,
            is_step,
            is_access or is_step or issubclass(op, BufferOp),
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
    assumed_trip_counts: int = 0
    """Loops that run as often as `work` assumes, since nobody knows."""
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
        return cls.of_listings(Listing.of(op) for op in module.body.block.ops)

    @classmethod
    def of_listings(cls, listings: Iterable[Listing]) -> ProgramFacts:
        """The facts of a module of which `listings` are just made, one of each op at its top."""
        return cls.total([cls.of_listing(listing) for listing in listings])

    @classmethod
    def of_listing(cls, listing: Listing) -> ProgramFacts:
        """The facts of one op at the top of a module, of which `listing` is just made."""
        if isinstance(listing.ops[0], ScheduleOp):
            return cls()
        collector = _Collector()
        collector.collect(listing)
        return collector.facts()

    @classmethod
    def total(cls, parts: Sequence[ProgramFacts]) -> ProgramFacts:
        """The facts of a module with these at its top."""
        numbers = {
            name: _TOTALS.get(name, sum)(map(attrgetter(name), (cls(), *parts))) for name in NUMBERS
        }
        capabilities = frozenset[str]().union(*(part.capabilities for part in parts))
        return cls(**numbers, capabilities=capabilities)

    def count(self, name: str) -> int:
        """The number called `name`. Raises KeyError where there is none."""
        value = getattr(self, name, None)
        if not isinstance(value, int):
            raise KeyError(name)
        return value


NUMBERS = tuple(each.name for each in fields(ProgramFacts) if each.name != "capabilities")
"""The names of the facts that are numbers."""
_TOTALS: dict[str, Callable[[Iterable[int]], int]] = {
    "peak_bytes": max,
    "register_pressure": max,
    "effect_bits": partial(reduce, int.__or__),
}
"""How the numbers of several programs and kernels make that of all: their sum, unless stated."""


@dataclass
class _Collector:
    """Walks the ops of a module, and adds up what each is."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    capabilities: set[str] = field(default_factory=set[str])

    def facts(self) -> ProgramFacts:
        """What was collected."""
        return ProgramFacts(**self.counts, capabilities=frozenset(self.capabilities))

    def collect(self, listing: Listing) -> None:
        """Add a program or a kernel."""
        known = list(map(_trips, compress(listing.ops, listing.regions)))
        self._add("assumed_trip_counts", known.count(None))
        trips = _trips_of_ops(listing, known)
        alike = Counter(zip(map(type, listing.ops), trips, map(bool, listing.regions), strict=True))
        self._sizes(listing)
        for (op_class, times, is_branch), number in alike.items():
            if times:
                self._instructions(op_class, number, times, is_branch=is_branch)
        looked_at = {op_class for op_class, *_ in alike if _Class.of(op_class).is_looked_at}
        is_looked_at = map(looked_at.__contains__, map(type, listing.ops))
        for op, times in compress(zip(listing.ops, trips, strict=True), is_looked_at):
            self._operation(op, times)
        self._values(listing, trips)
        if isinstance(program := listing.ops[0], ProgramOp):
            self._at_least("peak_bytes", _peak_bytes(program, listing))

    def _add(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def _at_least(self, name: str, number: int) -> None:
        self.counts[name] = max(self.counts.get(name, 0), number)

    def _sizes(self, listing: Listing) -> None:
        """Add how much there is of everything."""
        ops, blocks = len(listing.ops), len(listing.arguments)
        values = sum(map(len, listing.results)) + sum(map(len, listing.arguments))
        self._add("nodes", ops - isinstance(listing.ops[0], ProgramOp))
        self._add("ir_heap_allocations", ops + values + blocks)
        memory = ops * _OP_BYTES + values * _VALUE_BYTES + blocks * _BLOCK_BYTES
        self._add("ir_heap_bytes", memory)

    def _instructions(
        self, op_class: type[Operation], number: int, trips: int, *, is_branch: bool
    ) -> None:
        """Add ops of one class of an arm or a kernel, each of which runs so many times."""
        kind = _Class.of(op_class)
        if kind.is_constant or not kind.is_instruction:
            return
        self._add("instruction_count", number)
        self._effects(kind.effects)
        self.capabilities |= kind.capabilities
        if kind.is_access:  # each is looked at
            return
        self._add("work", trips * number * additions_of(op_class))
        if is_branch:
            self._add("control_flow_count", number)
        elif kind.effects & ORDERS:
            self._add("barrier_count", number)

    def _operation(self, op: Operation, trips: int) -> None:
        """Add an op of a class that does not say all."""
        if isinstance(op, BufferOp):
            self._add("static_storage_bytes", op.type.static_bytes or 0)
        if _Class.of(type(op)).is_step:
            self._add("top_level_regions", isinstance(op.parent_op(), ProgramOp))
        if trips and isinstance(op, HasAccessesInterface):
            self._add("work", trips * self._access(op))

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

    def _values(self, listing: Listing, trips: Sequence[int]) -> None:
        """Add what follows from the values of arms and kernels."""
        values = list(chain.from_iterable(compress(listing.results, trips)))
        types = list(map(type_of, values))
        keys = list(map(id, types))  # many values share one object, and to hash one takes long
        each_once = dict(zip(keys, types, strict=True))
        kinds = {key: _TypeKind.of(type) for key, type in each_once.items()}
        for kind in kinds.values():
            self.capabilities |= kind.capabilities
        if any(kind.is_token for kind in kinds.values()):
            tokens = [value for value, key in zip(values, keys, strict=True) if kinds[key].is_token]
            misused = sum(not token.has_one_use() for token in tokens)
            self._add("linear_type_violations", misused)
        words = {key: kind.words for key, kind in kinds.items()}
        pressure = _register_pressure(listing, trips, [words[key] for key in keys])
        self._at_least("register_pressure", pressure)

    def _effects(self, bits: int) -> None:
        self.counts["effect_bits"] = self.counts.get("effect_bits", 0) | bits


_EFFECTS = {AccessKind.READ: READS, AccessKind.WRITE: WRITES, AccessKind.UPDATE: UPDATES}


def _has_width(type: Attribute, width: int) -> bool:
    return isinstance(type, IntegerType) and type.width.data == width


def _trips_of_ops(listing: Listing, known: Iterable[int | None]) -> list[int]:
    """
    How often an invocation runs each op, by what is `known` of each op with regions; 0 for what the
    host runs.
    """
    trips = {id(listing.parents[0]): 0}
    branches = compress(zip(listing.ops, listing.parents, strict=True), listing.regions)
    for (op, parent), times in zip(branches, known, strict=True):
        own = ASSUMED_TRIPS if times is None else times
        inside = 1 if _Class.of(type(op)).is_invocations else trips[id(parent)] * own
        for region in op.regions:
            trips |= dict.fromkeys(map(id, region.blocks), inside)
    return list(map(trips.__getitem__, map(id, listing.parents)))


def _trips(op: Operation) -> int | None:
    """How often an op runs what is inside; None where that is not known."""
    if isinstance(op, scf.WhileOp):
        return None
    if not isinstance(op, scf.ForOp):
        return 1
    first, end, step = (integer_of(value) for value in (op.lb, op.ub, op.step))
    if first is None or end is None or not step:
        return None
    return min(max(-((first - end) // step), 0), MOST_TRIPS)


@dataclass(frozen=True)
class _TypeKind:
    """What all values of a type are."""

    is_token: bool
    capabilities: frozenset[str]
    words: int
    """32-bit words of registers that one takes."""

    @staticmethod
    @cache
    def of(type: Attribute) -> _TypeKind:
        """What values of `type` are."""
        scalar = scalar_type(type)
        width = scalar.bitwidth if isinstance(scalar, AnyFloat) else None
        size = element_bytes(scalar) or 4
        return _TypeKind(
            isinstance(type, TokenType),
            frozenset({f"fp{width}"} if width in (16, 64) else ()),
            max(1, lane_count(type) * size // 4),
        )


_FREE = frozenset({arith.ConstantOp, BufferOp})
"""Ops whose results take no register."""


def _register_pressure(listing: Listing, trips: Sequence[int], words: Sequence[int]) -> int:
    """
    The most words that are live at once, of values from their definition to their last use. Each
    value that an op with `trips` defines takes its number of `words`.
    """
    results = list(compress(listing.results, trips))
    last_use = dict(_placed(list(compress(listing.operands, trips))))
    is_free = map(_FREE.__contains__, map(type, compress(listing.ops, trips)))
    for (value,) in compress(results, is_free):
        last_use.pop(id(value), None)
    changes = [0] * (len(results) + 1)
    places = chain.from_iterable(map(repeat, count(), map(len, results)))
    ends = map(last_use.get, map(id, chain.from_iterable(results)))
    for start, end, size in zip(places, ends, words, strict=True):
        if end is not None:
            changes[start] += size
            changes[end + 1] -= size
    return max(accumulate(changes))


def _placed(groups: Sequence[Sequence[SSAValue]]) -> Iterator[tuple[int, int]]:
    """The `id` of each value with the number of the group that it is in."""
    numbers = chain.from_iterable(map(repeat, count(), map(len, groups)))
    return zip(map(id, chain.from_iterable(groups)), numbers, strict=True)


def _peak_bytes(program: ProgramOp, listing: Listing) -> int:
    """The largest sum of global buffers between their first and their last use."""
    body = program.body.block
    places = list(accumulate(parent is body for parent in listing.parents))
    uses = [(buffer, places[at]) for buffer, at in _placed(listing.operands)]
    first, last = dict(reversed(uses)), dict(uses)
    changes = dict[int, int]()
    for buffer in [op for op in listing.ops if isinstance(op, BufferOp)]:
        if (start := first.get(id(buffer.results[0]))) is None:
            continue
        size = _estimated_bytes(buffer)
        end = places[-1] if buffer.live_out is not None else last[id(buffer.results[0])]
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
