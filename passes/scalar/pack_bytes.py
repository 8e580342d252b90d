"""
`vyre-pack-bytes`: lanes of bytes become the bytes of words, four by four.

    %r = arith.xori %a, %b : vector<8xi8>  -->  %r = arith.xori %words_a, %words_b : vector<2xi32>

For devices whose registers are words, which compute with one byte in each. Masks become flags in
the bytes that they are of, where nothing else reads them. Source: Fisher and Dietz, "Compiling for
SIMD within a register", 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import vector
from xdsl.dialects.builtin import ModuleOp, VectorType, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.effects import is_trivially_dead
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import lane_count, scalar_type
from vyre_dialect.ops.words import WORD_BYTES
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import after_definition, building, rewriter_of
from vyre_dialect.passes.scalar.bytes_in_words import arithmetic
from vyre_dialect.passes.scalar.bytes_in_words.arithmetic import BYTE, FLAGS, ONES
from vyre_dialect.passes.scalar.bytes_in_words.choice import Choice
from vyre_dialect.passes.scalar.bytes_in_words.forms import (
    Form,
    Total,
    form_of,
    is_mask,
    is_packable,
    number_in,
    repeated,
    total_of,
)


@dataclass(frozen=True)
class PackBytesPass(RewritePass):
    """
    Computes with vectors of `i8`, of a multiple of four lanes, in words of four: what is bitwise,
    sums, differences, shifts by and products with a number, comparisons, extremes and selections.
    A mask is packed where all that reads it is. So are sums of all lanes of bytes and of masks
    that were extended with zeros. Bytes that are put together one by one stay, where that costs
    more than is gained.
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
        if not any(is_packable(result.type) for op in ops for result in op.results):
            return False
        forms = {op: form for op in ops if (form := form_of(op, facts)) is not None}
        totals = {op: total for op in ops if (total := total_of(op)) is not None}
        choice = Choice(forms, totals)
        choice.leave_out_masks()
        choice.leave_out_losses(ops)
        rewriter = rewriter_of(module, facts)
        _Packing(rewriter, choice).write(ops)
        return rewriter.has_done_action


@dataclass
class _Packing:
    """Writes what is packed of a module, and knows the words that stand for its vectors."""

    rewriter: PatternRewriter
    choice: Choice
    _words: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])

    def write(self, ops: Sequence[Operation]) -> None:
        """Pack, and erase what nothing reads any more."""
        forms, totals = self.choice.forms, self.choice.totals
        for op in ops:
            if op in forms:
                self._write_words(op, forms[op])
            elif op in totals:
                self._write_total(op, totals[op])
        replaced = {*forms, *(part for total in totals.values() for part in total.tree)}
        for op in reversed(ops):
            if op in replaced and is_trivially_dead(op):
                self.rewriter.erase(op)

    def _write_words(self, op: Operation, form: Form) -> None:
        (result,) = op.results
        operands = [self._words_of(each) for each in form.operands]
        with building(self.rewriter, InsertPoint.before(op)):
            words = self._words[result] = form.compute(*operands)
            words.ssa.name_hint = words.ssa.name_hint or result.name_hint
            forms = self.choice.forms
            if is_mask(result) or all(use.operation in forms for use in result.uses):
                return
            lanes = words.bitcast(result.type)
        self.rewriter.replace_uses_with_if(
            result, lanes.ssa, lambda use: use.operation not in forms
        )

    def _write_total(self, op: Operation, total: Total) -> None:
        words = self._words_of(total.lanes)
        with building(self.rewriter, InsertPoint.before(op)):
            if is_packable(total.lanes.type, of=i8):
                summed = arithmetic.sum_of_pairs(_sum(arithmetic.sums_of_pairs(words)))
            else:
                flags = words ^ FLAGS if total.counts_unset else words
                summed = arithmetic.sum_of_small(_sum(arithmetic.zero_or_one(flags)))
            self.rewriter.replace(op, [], [summed.to(op.results[0].type).ssa])

    def _words_of(self, lanes: SSAValue) -> Value:
        """The words of a vector, of which something else than words is made to words first."""
        if lanes not in self._words:
            with building(self.rewriter, after_definition(lanes)):
                self._words[lanes] = _packed(lanes)
        return self._words[lanes]


def _packed(lanes: SSAValue) -> Value:
    """The words of a vector of bytes, or the flags of a mask, at the current place."""
    size, number = lane_count(lanes.type) // WORD_BYTES, number_in(lanes)
    type = VectorType(i32, [size]) if size > 1 else i32
    if number is not None:
        return constant(FLAGS * (number != 0) if is_mask(lanes) else (number & BYTE) * ONES, type)
    if (scalar := repeated(lanes)) is not None:
        value = Value(scalar)
        word = value.select(constant(FLAGS, i32), 0) if is_mask(lanes) else value.to(i32) * ONES
        return word.broadcast(size) if size > 1 else word
    owner = lanes.owner
    if isinstance(owner, vector.BitcastOp) and scalar_type(owner.source.type) == i32:
        return Value(owner.source).bitcast(type)
    return Value(lanes).bitcast(type)


def _sum(words: Value) -> Value:
    """The words added, as one."""
    size = lane_count(words.type)
    return reduce(add, [words.lane(place) for place in range(size)]) if size > 1 else words
