"""
`vyre-sroa`: private buffers whose accesses are at known offsets become values.

A buffer falls apart into *chunks*, which no store crosses: each is a vector of words, or a
word, and what stores and loads do to it becomes lanes of values. Source of the idea: scalar
replacement of aggregates, as in LLVM's SROA.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd
from typing import ClassVar

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.nesting import can_carry_to
from vyre_dialect.builder import Value, constant
from vyre_dialect.ir.interfaces import HasInvocationsInterface, buffers_of, ops_around
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import EACH_ITEM, MemorySpace, element_bytes, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.memory.partial_accesses import cut_partial_accesses
from vyre_dialect.passes.rewriting.carried_values import Step, carry, drop_unused
from vyre_dialect.passes.rewriting.invocation_body import detached
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of

LANES = (1, 2, 4, 8, 16)
"""Words that a vector of OpenCL may have; one is a scalar."""


@dataclass(frozen=True)
class SROAPass(RewritePass):
    """
    Replaces each private buffer of an arm or kernel by values, if it is only loaded from and
    stored to, inside of it and at offsets that are known. What is stored and never read becomes
    code that nothing uses. `vyre-unroll` makes offsets in loops known.
    """

    name = "vyre-sroa"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=(
            "vyre-unroll",
            "vyre-reassociate",
        ),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses", "vyre-form-byte-permutes"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        buffers, rewriter = set[BufferOp](), rewriter_of(module, facts)
        for arm, integers in facts.of_arms(Integers, module):
            for buffer, users in _private_buffers(arm).items():
                cut_partial_accesses(buffer, users, integers, rewriter)
        for arm, integers in facts.of_arms(Integers, module):
            buffers |= _replace_buffers(arm, integers, rewriter)
        for buffer in buffers:
            if buffer.buffer.first_use is None:
                rewriter.erase(buffer)
        return rewriter.has_done_action


@dataclass(frozen=True)
class _Access:
    """A load or a store of the words `[begin, begin + count)` of a buffer."""

    op: LoadOp | StoreOp
    begin: int
    count: int

    @property
    def type(self) -> Attribute:
        """The type of what is loaded or stored."""
        return self.op.value.type


@dataclass(frozen=True)
class _Chunk:
    """The words `[begin, begin + count)` of a buffer, as one value."""

    begin: int
    count: int
    word: IntegerType

    @property
    def type(self) -> Attribute:
        """The type of the value."""
        return _words(self.count, self.word)


@dataclass(frozen=True)
class _Layout:
    """How a buffer falls apart, and what touches it."""

    buffer: BufferOp
    word: IntegerType
    chunks: Sequence[_Chunk]
    accesses: Sequence[_Access]


def _words(count: int, word: IntegerType) -> Attribute:
    return word if count == 1 else VectorType(word, [count])


def _replace_buffers(
    arm: HasInvocationsInterface, integers: Integers, rewriter: PatternRewriter
) -> set[BufferOp]:
    """Promote the buffers of an arm; which ones these were."""
    layouts = [
        layout
        for buffer, users in _private_buffers(arm).items()
        if (layout := _layout(buffer, users, integers)) is not None
    ]
    by_scope = dict[Block, list[_Layout]]()
    for layout in layouts:
        by_scope.setdefault(_scope(arm, layout.accesses), []).append(layout)
    for scope, inside in by_scope.items():
        _carry(scope, inside, rewriter)
    return {layout.buffer for layout in layouts}


def _scope(arm: HasInvocationsInterface, accesses: Sequence[_Access]) -> Block:
    """The body of the innermost loop over items around all accesses, or else of the arm."""
    for op in ops_around(accesses[0].op) if accesses else ():
        if EACH_ITEM in op.attributes and all(op.is_ancestor(each.op) for each in accesses):
            return op.regions[0].block
    return arm.body.block


def _carry(body: Block, layouts: Sequence[_Layout], rewriter: PatternRewriter) -> None:
    """Replace the accesses. Begin with zeros: undefined contents may be anything."""
    steps, types = dict[Operation, Step](), list[tuple[Attribute, str]]()
    for layout in layouts:
        first = len(types)
        types += [(chunk.type, layout.buffer.sym_name.data) for chunk in layout.chunks]
        for access in layout.accesses:
            steps[access.op] = _step(access, layout, first, rewriter)
    start = Block()
    with ImplicitBuilder(start):
        initial = [constant(0, type).named(name).ssa for type, name in types]
    declarations = [op for op in body.ops if isinstance(op, BufferOp)]
    place = InsertPoint.after(declarations[-1]) if declarations else InsertPoint.at_start(body)
    rewriter.insert(detached(start), place)
    carry(body, initial, steps, rewriter)
    drop_unused(body, rewriter)


# What is known of a buffer.


def _private_buffers(arm: HasInvocationsInterface) -> dict[BufferOp, list[Operation]]:
    """The private buffers that an arm touches, and what has them as operands."""
    users = dict[BufferOp, list[Operation]]()
    for op in ops_inside(arm.body):
        for buffer in buffers_of(op):
            owner = buffer.owner
            if isinstance(owner, BufferOp) and owner.type.space == MemorySpace.PRIVATE:
                users.setdefault(owner, []).append(op)
    return users


def _layout(buffer: BufferOp, users: Sequence[Operation], integers: Integers) -> _Layout | None:
    """How a buffer falls apart, or None where it has to stay memory."""
    size = buffer.type.static_bytes
    spans = [_span(op, buffer, integers) for op in users]
    if size is None or any(span is None for span in spans):
        return None
    ops = [op for op in users if isinstance(op, LoadOp | StoreOp)]
    known = [(op, span) for op, span in zip(ops, spans, strict=True) if span is not None]
    scalars = [element_bytes(scalar_type(op.value.type)) or 1 for op in ops]
    common = gcd(size, *(number for _, span in known for number in (span.start, len(span))))
    data = min(common & -common, max(scalars, default=1))
    word = IntegerType(8 * data)
    accesses = [_Access(op, span.start // data, len(span) // data) for op, span in known]
    chunks = _chunks(accesses, size // data, word)
    counts = [each.count for each in (*chunks, *accesses)]
    return _Layout(buffer, word, chunks, accesses) if set(counts) <= set(LANES) else None


def _span(op: Operation, buffer: BufferOp, integers: Integers) -> range | None:
    """The bytes that an op touches, if it is a load or store inside of the buffer."""
    if not isinstance(op, LoadOp | StoreOp) or not can_carry_to(op):
        return None
    type, element = op.value.type, element_bytes(buffer.type.element_type)
    size, index = element_bytes(type), integers.range_at(op.index, op.parent)
    if not isinstance(scalar_type(type), IntegerType | AnyFloat) or _is_odd(type):
        return None
    if element is None or size is None or index.low != index.high:
        return None
    span = range(index.low * element, index.low * element + size)
    return span if span.start >= 0 and span.stop <= (buffer.type.static_bytes or 0) else None


def _is_odd(type: Attribute) -> bool:
    """Whether a value of the type has other bits than its bytes in memory have."""
    scalar = scalar_type(type)
    return isinstance(scalar, IntegerType) and scalar.width.data not in (8, 16, 32, 64)


def _chunks(accesses: Sequence[_Access], size: int, word: IntegerType) -> list[_Chunk]:
    """The smallest intervals that no store crosses; words that none writes are on their own."""
    begins = [True] * size
    for access in accesses:
        if isinstance(access.op, StoreOp):
            for place in range(access.begin + 1, access.begin + access.count):
                begins[place] = False
    starts = [place for place, is_first in enumerate(begins) if is_first]
    stops = [*starts[1:], size]
    return [_Chunk(begin, end - begin, word) for begin, end in zip(starts, stops, strict=True)]


# What accesses become.


def _step(access: _Access, layout: _Layout, first: int, rewriter: PatternRewriter) -> Step:
    """What an access does with the values of the chunks, which begin with the one at `first`."""
    begin = bisect_right(layout.chunks, access.begin, key=_begin_of) - 1
    end = bisect_left(layout.chunks, access.begin + access.count, key=_begin_of)
    touched = [(first + number, layout.chunks[number]) for number in range(begin, end)]
    if isinstance(access.op, LoadOp):
        return Step(None, partial(_load, access, layout.word, touched, rewriter))
    ((slot, chunk),) = touched
    return Step(slot, partial(_store, access, chunk, slot, rewriter))


def _begin_of(chunk: _Chunk) -> int:
    return chunk.begin


def _store(
    access: _Access,
    chunk: _Chunk,
    slot: int,
    rewriter: PatternRewriter,
    values: Mapping[int, SSAValue],
) -> SSAValue:
    """The chunk behind a store, which goes."""
    with building(rewriter, InsertPoint.before(access.op)):
        stored = Value(access.op.value).bitcast(_words(access.count, chunk.word))
        if access.count < chunk.count:
            at = access.begin - chunk.begin
            stored = _inserted(Value(values[slot]), stored, at, access.count)
    stored.ssa.name_hint = stored.ssa.name_hint or values[slot].name_hint
    rewriter.erase(access.op)
    return stored.ssa


def _inserted(chunk: Value, words: Value, at: int, count: int) -> Value:
    for number in range(count):
        chunk = chunk.with_lane(at + number, _lane(words, number))
    return chunk


def _load(
    access: _Access,
    word: IntegerType,
    touched: Sequence[tuple[int, _Chunk]],
    rewriter: PatternRewriter,
    values: Mapping[int, SSAValue],
) -> None:
    """Put what a load reads in its place."""
    with building(rewriter, InsertPoint.before(access.op)):
        parts = [(Value(values[slot]), chunk) for slot, chunk in touched]
        loaded = _joined(access, word, parts).bitcast(access.type)
    loaded.ssa.name_hint = loaded.ssa.name_hint or access.op.value.name_hint
    rewriter.replace(access.op, [], [loaded.ssa])


def _joined(access: _Access, word: IntegerType, parts: Sequence[tuple[Value, _Chunk]]) -> Value:
    """The words that an access covers, of the chunks that have them."""
    (first, chunk), *others = parts
    if not others and chunk.count == access.count:
        return first
    if access.count > 1 and len(parts) <= 2 and _are_vectors_of_one_size(parts):
        last = others[0][0] if others else first
        at = access.begin - chunk.begin
        return first.shuffle(last, range(at, at + access.count))
    end = access.begin + access.count
    words = [
        _lane(value, place - part.begin)
        for value, part in parts
        for place in range(max(access.begin, part.begin), min(end, part.begin + part.count))
    ]
    if access.count == 1:
        return words[0]
    joined = constant(0, VectorType(word, [access.count]))
    for lane, each in enumerate(words):
        joined = joined.with_lane(lane, each)
    return joined


def _are_vectors_of_one_size(parts: Sequence[tuple[Value, _Chunk]]) -> bool:
    counts = {chunk.count for _, chunk in parts}
    return len(counts) == 1 and counts != {1}


def _lane(value: Value, number: int) -> Value:
    """A word of a vector, or the word that a scalar is."""
    return value.lane(number) if isinstance(value.type, VectorType) else value
