"""
`vyre-pack-bytes`: lanes of bytes become the bytes of words, four by four.

    %r = arith.xori %a, %b : vector<8xi8>  -->  %r = arith.xori %words_a, %words_b : vector<2xi32>

For devices whose registers are words, which compute with one byte in each. Masks become flags in
the bytes that they are of, where nothing else reads them. Source: Fisher and Dietz, "Compiling for
SIMD within a register", 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import ModuleOp, VectorType, i1, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.reduced_lanes import reduced_vector
from vyre_dialect.analysis.value_ranges import RANGE, full_range
from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.effects import is_trivially_dead
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import CompareLanesOp, Conversion, ConvertLanesOp, SelectLanesOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.words import BYTE_BITS, WORD_BYTES
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import after_definition, building, rewriter_of
from vyre_dialect.passes.scalar import packed_bytes
from vyre_dialect.passes.scalar.packed_bytes import BYTE, FLAGS, ONES, PREDICATES

_KEPT: Mapping[type[Operation], str] = {
    arith.MinUIOp: "ule",
    arith.MaxUIOp: "uge",
    arith.MinSIOp: "sle",
    arith.MaxSIOp: "sge",
}
"""By which predicate an extreme is its first operand."""


_GAINS: Mapping[type[Operation], int] = {
    arith.AndIOp: 3,
    arith.OrIOp: 3,
    arith.XOrIOp: 3,
    arith.MuliOp: 3,
    arith.ShLIOp: 2,
    arith.ShRUIOp: 2,
    SelectLanesOp: 1,
}
"""Instructions that a word of four bytes spares; sums, differences and comparisons take as many."""
_TOTAL_GAIN = 6
_ASSEMBLY_COST = 6
"""
Of a word of bytes in registers of their own: `substitution_breaks` of the gate, of 8 for 2 of them,
took 1.13 times as long.
"""


@dataclass(frozen=True)
class PackBytesPass(RewritePass):
    """
    Computes with vectors of `i8`, of a multiple of four lanes, in words of four: what is bitwise,
    sums, differences, shifts by and products with a number, comparisons, extremes and selections.
    A mask is packed where all that reads it is. So are sums of all lanes of bytes and of masks
    that were extended with zeros.
    """

    name = "vyre-pack-bytes"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-optimize-integers", "vyre-merge-branches", "vyre-sroa"),
        invalidates=("canonicalize", "vyre-cse"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        ops = ops_inside(module)
        if not any(_is_packable(result.type) for op in ops for result in op.results):
            return False
        forms = {op: form for op in ops if (form := _form_of(op, facts)) is not None}
        totals = {op: total for op in ops if (total := _total_of(op)) is not None}
        packing = _Packing(rewriter_of(module, facts), forms, totals)
        packing.leave_out()
        packing.write(ops)
        return packing.rewriter.has_done_action


@dataclass(frozen=True)
class _Form:
    """What an op does in lanes of bytes, as words do it."""

    compute: Callable[..., Value]
    operands: Sequence[SSAValue]
    """The vectors whose words it takes."""


@dataclass(frozen=True)
class _Total:
    """The sum of all lanes of bytes, or of those of a mask as zeros and ones."""

    extension: Operation
    """What makes numbers of the lanes."""
    lanes: SSAValue
    counts_unset: bool = False


@dataclass
class _Packing:
    """What is packed of a module, and the words that stand for its vectors."""

    rewriter: PatternRewriter
    forms: dict[Operation, _Form]
    totals: dict[Operation, _Total]
    _words: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])

    def leave_out(self) -> None:
        """Leave ops as they are whose masks something else makes or reads, or that do not gain."""
        while left := [op for op in self._all() if self._is_apart(op)] or self._losing():
            for op in left:
                self.forms.pop(op, None)
                self.totals.pop(op, None)

    def _losing(self) -> list[Operation]:
        """
        Ops that hand on to each other where that costs more than it gains: bytes that are put
        together one by one, and not by a load.
        """
        losing = list[Operation]()
        for ops in self._joint():
            taken = {each for op in ops for each in self._taken(op)}
            gain = sum(_GAINS.get(type(op), 0) if op in self.forms else _TOTAL_GAIN for op in ops)
            if gain <= _ASSEMBLY_COST * sum(map(self._is_assembled, taken)):
                losing += ops
        return losing

    def _is_assembled(self, lanes: SSAValue) -> bool:
        """Whether a vector is put together of bytes in registers of their own."""
        owner = lanes.owner
        if owner in self.forms or _number(lanes) is not None:
            return False
        if isinstance(owner, vector.ShuffleOp):
            return any(map(self._is_assembled, owner.operands))
        return not isinstance(owner, LoadOp | vector.BitcastOp | vector.BroadcastOp)

    def _all(self) -> Iterator[Operation]:
        yield from self.forms
        yield from self.totals

    def _joint(self) -> list[set[Operation]]:
        """The ops that are packed, those together that take words of each other."""
        joint = list[set[Operation]]()
        for op in self._all():
            others = {each.owner for each in self._taken(op)}
            own = {op}.union(*(ops for ops in joint if not ops.isdisjoint(others)))
            joint = [ops for ops in joint if ops.isdisjoint(own)] + [own]
        return joint

    def _taken(self, op: Operation) -> Sequence[SSAValue]:
        """The vectors whose words an op takes."""
        return self.forms[op].operands if op in self.forms else [self.totals[op].lanes]

    def _is_apart(self, op: Operation) -> bool:
        taken = self._taken(op)
        readers = {*self.forms, *(total.extension for total in self.totals.values())}
        return not all(map(self._has_words, taken)) or any(
            _is_packable(result.type, of=i1) and use.operation not in readers
            for result in op.results
            for use in result.uses
        )

    def _has_words(self, lanes: SSAValue) -> bool:
        """Whether a vector is one of bytes, or a mask whose flags are known."""
        is_mask = _is_packable(lanes.type, of=i1)
        is_one = isinstance(lanes.owner, vector.BroadcastOp) or _number(lanes) is not None
        return not is_mask or is_one or lanes.owner in self.forms

    def write(self, ops: Sequence[Operation]) -> None:
        """Pack, and erase what nothing reads any more."""
        for op in ops:
            if op in self.forms:
                self._write_words(op, self.forms[op])
            elif op in self.totals:
                self._write_total(op, self.totals[op])
        if not self._words:
            return
        for op in reversed(ops):
            if is_trivially_dead(op):
                self.rewriter.erase(op)

    def _write_words(self, op: Operation, form: _Form) -> None:
        (result,) = op.results
        operands = [self._words_of(each) for each in form.operands]
        with building(self.rewriter, InsertPoint.before(op)):
            words = self._words[result] = form.compute(*operands)
            words.ssa.name_hint = words.ssa.name_hint or result.name_hint
            others = [use for use in result.uses if use.operation not in self.forms]
            if not others or not _is_packable(result.type, of=i8):
                return
            lanes = _unpacked(words, result.type)
        self._words[lanes.ssa] = words
        self.rewriter.replace_uses_with_if(result, lanes.ssa, lambda use: use in others)

    def _write_total(self, op: Operation, total: _Total) -> None:
        words = self._words_of(total.lanes)
        with building(self.rewriter, InsertPoint.before(op)):
            if _is_packable(total.lanes.type, of=i8):
                summed = packed_bytes.sum_of_pairs(_sum(packed_bytes.sums_of_pairs(words)))
            else:
                flags = words ^ FLAGS if total.counts_unset else words
                summed = packed_bytes.sum_of_small(_sum(packed_bytes.zero_or_one(flags)))
            self.rewriter.replace(op, [], [summed.to(op.results[0].type).ssa])

    def _words_of(self, lanes: SSAValue) -> Value:
        """The words of a vector, of which something else than words is made to words first."""
        if lanes not in self._words:
            with building(self.rewriter, after_definition(lanes)):
                self._words[lanes] = _packed(lanes)
        return self._words[lanes]


def _is_packable(type: Attribute, of: Attribute | None = None) -> bool:
    """Whether a vector holds whole words of bytes, or of what is known of bytes."""
    if not isinstance(type, VectorType) or type.element_type not in (
        (i1, i8) if of is None else (of,)
    ):
        return False
    return len(type.get_shape()) == 1 and lane_count(type) % WORD_BYTES == 0


def _form_of(op: Operation, facts: AnalysisManager) -> _Form | None:
    """How words do what an op does in lanes of bytes, if they can."""
    if len(op.results) != 1 or not _is_packable(op.results[0].type):
        return None
    match op:
        case arith.AndIOp():
            return _Form(Value.__and__, op.operands)
        case arith.OrIOp():
            return _Form(Value.__or__, op.operands)
        case arith.XOrIOp():
            return _Form(Value.__xor__, op.operands)
        case CompareLanesOp() if _is_packable(op.lhs.type, of=i8):
            return _Form(PREDICATES[op.predicate.data], op.operands)
        case _:
            return _form_of_bytes(op, facts) if _is_packable(op.results[0].type, of=i8) else None


def _form_of_bytes(op: Operation, facts: AnalysisManager) -> _Form | None:
    match op:
        case SelectLanesOp():
            return _Form(packed_bytes.select, op.operands)
        case ConvertLanesOp() if _is_extended(op, i1):
            return _Form(packed_bytes.zero_or_one, op.operands)
        case arith.AddiOp():
            return _Form(Value.__add__ if _fits(op, facts) else packed_bytes.add, op.operands)
        case arith.SubiOp():
            return _Form(packed_bytes.subtract, op.operands)
        case arith.MuliOp() | arith.ShLIOp() | arith.ShRUIOp():
            return _form_with_number(op, fits=_fits(op, facts))
        case arith.MinUIOp() | arith.MaxUIOp() | arith.MinSIOp() | arith.MaxSIOp():
            keeps = PREDICATES[_KEPT[type(op)]]
            return _Form(partial(packed_bytes.select_where, keeps), op.operands)
        case _:
            return None


def _form_with_number(
    op: arith.MuliOp | arith.ShLIOp | arith.ShRUIOp, *, fits: bool
) -> _Form | None:
    number = _number(op.rhs)
    if number is None:
        return None
    number &= BYTE  # of eight bits, with or without a sign
    if not isinstance(op, arith.MuliOp) and number >= BYTE_BITS:
        return None
    match op:
        case arith.MuliOp():
            return _Form(partial(Value.__mul__, other=number), [op.lhs]) if fits else None
        case arith.ShLIOp() if fits:
            return _Form(partial(Value.__mul__, other=1 << number), [op.lhs])
        case arith.ShLIOp():
            return _Form(partial(packed_bytes.shift_left, by=number), [op.lhs])
        case _:
            return _Form(partial(packed_bytes.shift_right, by=number), [op.lhs])


def _fits(op: Operation, facts: AnalysisManager) -> bool:
    """Whether what an op computes of bytes is one, in all lanes."""
    exact = RANGE.of(type(op))
    ranges = facts.get(Integers, op).ranges_of(op)
    return exact is not None and exact(op, ranges).within(full_range(op.results[0].type))


def _total_of(op: Operation) -> _Total | None:
    """Of what an op is the sum of all lanes."""
    if not isinstance(op, arith.AddiOp) or isinstance(op.result.type, VectorType):
        return None
    source = reduced_vector(op.result, arith.AddiOp)
    extension = None if source is None else source.owner
    if isinstance(extension, ConvertLanesOp) and (
        _is_extended(extension, i1) or _is_extended(extension, i8)
    ):
        return _Total(extension, extension.input)
    if isinstance(extension, SelectLanesOp) and _is_packable(extension.mask.type, of=i1):
        numbers = (_number(extension.lhs), _number(extension.rhs))
        if sorted(map(str, numbers)) == ["0", "1"]:
            return _Total(extension, extension.mask, counts_unset=numbers == (0, 1))
    return None


def _is_extended(op: ConvertLanesOp, of: Attribute | None = None) -> bool:
    return op.conversion.data is Conversion.EXTUI and _is_packable(op.input.type, of)


def _number(lanes: SSAValue) -> int | None:
    """The number that is in all lanes of a vector."""
    owner = lanes.owner
    return integer_in_lanes(owner.source if isinstance(owner, vector.BroadcastOp) else lanes)


def _packed(lanes: SSAValue) -> Value:
    """The words of a vector of bytes, or the flags of a mask, at the current place."""
    size, number = lane_count(lanes.type) // WORD_BYTES, _number(lanes)
    type = VectorType(i32, [size]) if size > 1 else i32
    is_mask = _is_packable(lanes.type, of=i1)
    if number is not None:
        return constant(FLAGS * (number != 0) if is_mask else (number & BYTE) * ONES, type)
    if isinstance(lanes.owner, vector.BroadcastOp):
        scalar = Value(lanes.owner.source)
        word = scalar.select(constant(FLAGS, i32), 0) if is_mask else scalar.to(i32) * ONES
        return word.broadcast(size) if size > 1 else word
    vectors, owner = VectorType(i32, [size]), lanes.owner
    if isinstance(owner, vector.BitcastOp) and owner.source.type == vectors:
        words = Value(owner.source)
    else:
        words = Value(lanes).bitcast(vectors)
    return words if size > 1 else words.lane(0)


def _unpacked(words: Value, type: Attribute) -> Value:
    """The vector of bytes that words are, at the current place."""
    return (words if lane_count(words.type) > 1 else words.broadcast(1)).bitcast(type)


def _sum(words: Value) -> Value:
    """The words added, as one."""
    size = lane_count(words.type)
    return reduce(add, [words.lane(place) for place in range(size)]) if size > 1 else words
