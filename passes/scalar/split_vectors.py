"""
`vyre-split-vectors`: vectors of any number of lanes become vectors of as many as OpenCL has.

    %s = arith.addi %a, %b : vector<12xi32>  -->  %s0 = arith.addi %a0, %b0 : vector<8xi32>
                                                  %s1 = arith.addi %a1, %b1 : vector<4xi32>

A conversion of one value to several, as in MLIR's dialect conversion: each pattern takes the parts
of its operands from an `unrealized_conversion_cast` and leaves one of the parts of its results;
those that meet cancel out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, cast

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    ModuleOp,
    UnrealizedConversionCastOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder.values import Value, constants
from vyre_dialect.ir.interfaces import HasInvocationsInterface, arms_in
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import VECTOR_LANES, BufferType, accessed_elements, lane_count
from vyre_dialect.ops.lanes import ConvertLanesOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive
from vyre_dialect.passes.rewriting.vector_forms import takes_vectors
from vyre_dialect.passes.scalar.splitting.clang_vectors import is_of_clang
from vyre_dialect.passes.scalar.splitting.parts import is_split, join, of_pieces, parts_of, split
from vyre_dialect.passes.scalar.splitting.vector_ops import VECTOR_OPS

VALUE_TYPE = "value_type"
"""The property that repeats the type of a result."""


class LaneWise(RewritePattern):
    """An op that works lane by lane does so on each part."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not is_split(op) or not _is_lane_wise(op):
            return
        (result,) = op.results
        with ImplicitBuilder(rewriter):
            operands = [split(operand) for operand in op.operands]
            parts = [
                _one_part(op, [each[number % len(each)] for each in operands], type)
                for number, type in enumerate(parts_of(result.type))
            ]
            rewriter.replace(op, [], [join(parts, result.type)])


def _is_lane_wise(op: Operation) -> bool:
    """Whether an op does in each lane what it does in all others."""
    if isinstance(op, arith.ConstantOp):
        return False
    is_known = op.dialect_name() in ("arith", "math") or isinstance(op, ConvertLanesOp)
    return is_known or takes_vectors(op)


def _one_part(op: Operation, operands: Sequence[SSAValue], type: VectorType) -> SSAValue:
    properties = dict(op.properties)
    if VALUE_TYPE in properties:
        properties[VALUE_TYPE] = type
    attributes = dict(op.attributes)
    part = op.create(
        operands=operands, result_types=[type], properties=properties, attributes=attributes
    )
    return part.results[0]


class Constants(RewritePattern):
    """A constant is cut."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        whole, value = op.result.type, op.value
        if not parts_of(whole) or not isinstance(value, DenseIntOrFPElementsAttr):
            return
        assert isinstance(whole, VectorType)
        numbers = cast(list[int | float], list(value.get_values()))

        def cut(start: int, type: VectorType) -> SSAValue:
            return constants(numbers[start : start + lane_count(type)], type).ssa

        with ImplicitBuilder(rewriter):
            rewriter.replace(op, [], [of_pieces(whole, cut)])


class Loads(RewritePattern):
    """A run of elements is loaded part by part."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoadOp, rewriter: PatternRewriter, /) -> None:
        steps, parts = _elements_before(op.buffer, op.value.type), list[SSAValue]()
        if steps is None:
            return
        with ImplicitBuilder(rewriter):
            for step, type in zip(steps, parts_of(op.value.type), strict=True):
                load = LoadOp(op.buffer, _moved(op.index, step), type)
                load.in_bounds = op.in_bounds
                parts.append(load.value)
            rewriter.replace(op, [], [join(parts, op.value.type)])


class Stores(RewritePattern):
    """A run of elements is stored part by part."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: StoreOp, rewriter: PatternRewriter, /) -> None:
        steps = _elements_before(op.buffer, op.value.type)
        if steps is None:
            return
        with ImplicitBuilder(rewriter):
            for step, part in zip(steps, split(op.value), strict=True):
                StoreOp(part, op.buffer, _moved(op.index, step)).in_bounds = op.in_bounds
            rewriter.erase(op)


def _elements_before(buffer: SSAValue, type: Attribute) -> list[int] | None:
    """How many elements come before each part in memory; None where a part ends inside of one."""
    assert isinstance(buffer.type, BufferType)
    counts = list[int]()
    for part in parts_of(type):
        if (count := accessed_elements(buffer.type, part)) is None:
            return None
        counts.append(count)
    return list(accumulate(counts[:-1], initial=0)) if counts else None


def _moved(index: SSAValue, by: int) -> SSAValue:
    return (Value(index) + by).ssa if by else index


class ControlFlow(RewritePattern):
    """Branches and loops carry and yield parts."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.dialect_name() != scf.Scf.name:
            return
        for region in op.regions:
            for block in region.blocks:
                _split_arguments(block, rewriter)
        if not is_split(op):
            return
        with ImplicitBuilder(rewriter):
            operands = [part for operand in op.operands for part in split(operand)]
        new = op.create(
            operands=operands,
            result_types=[part for result in op.results for part in _types(result.type)],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=[op.detach_region(0) for _ in list(op.regions)],
        )
        rewriter.insert(new, InsertPoint.before(op))
        parts = iter(new.results)
        with ImplicitBuilder(rewriter):
            joined = [
                join([next(parts) for _ in _types(result.type)], result.type)
                for result in op.results
            ]
        rewriter.replace(op, [], joined)


def _types(type: Attribute) -> Sequence[Attribute]:
    return parts_of(type) or [type]


def _split_arguments(block: Block, rewriter: PatternRewriter) -> None:
    for argument in [each for each in block.args if parts_of(each.type)]:
        parts = [
            rewriter.insert_block_argument(block, argument.index + number, type)
            for number, type in enumerate(parts_of(argument.type))
        ]
        whole = UnrealizedConversionCastOp.create(operands=parts, result_types=[argument.type])
        rewriter.insert(whole, InsertPoint.at_start(block))
        rewriter.replace_all_uses_with(argument, whole.results[0])
        rewriter.erase_block_argument(argument)


class CancelCasts(RewritePattern):
    """The parts of a value that was put together of parts are these."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /
    ) -> None:
        whole = op.inputs[0]
        if isinstance(whole.owner, UnrealizedConversionCastOp) and len(op.inputs) == 1:
            rewriter.replace(op, [], whole.owner.inputs)
        elif not any(result.uses for result in op.results):
            rewriter.erase(op)


PATTERNS = (CancelCasts, LaneWise, Constants, Loads, Stores, ControlFlow, *VECTOR_OPS)


@dataclass(frozen=True)
class SplitVectorsPass(RewritePass):
    """
    Splits vectors of other numbers of lanes than OpenCL has (1, 2, 3, 4, 8 and 16) into such,
    unless they are among the `lanes` that Clang has besides.

    Raises PassFailedException for an op on such a vector that it has no pattern for.
    """

    name = "vyre-split-vectors"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.UNKNOWN, invalidates=("canonicalize", "vyre-cse")
    )

    lanes: int = 16
    """
    The most lanes that vectors of integers keep, where all that a kernel does with such vectors is
    known of Clang's types of 32 and 64 lanes.
    """

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        return any([self._split(arm, facts) for arm in arms_in(module) if self._is_split(arm)])

    def _is_split(self, arm: HasInvocationsInterface) -> bool:
        with_parts = [op for op in ops_inside(arm.body) if is_split(op) or _has_parts(op)]
        return bool(with_parts) and not all(is_of_clang(op, self.lanes) for op in with_parts)

    def _split(self, arm: HasInvocationsInterface, facts: AnalysisManager) -> bool:
        patterns: list[RewritePattern] = [pattern() for pattern in PATTERNS]
        changed = drive(GreedyRewritePatternApplier(patterns), arm.body, facts)
        left = [op for op in ops_inside(arm.body) if _has_parts(op)]
        others = [op for op in left if not isinstance(op, UnrealizedConversionCastOp)]
        if others:
            counts = ", ".join(map(str, VECTOR_LANES))
            raise PassFailedException(
                f"'{others[0].name}' has vectors of other numbers of lanes than OpenCL has, and is "
                f"not known to do the same in each lane: expected {counts} lanes"
            )
        return changed


def _has_parts(op: Operation) -> bool:
    """Whether a value that `op` defines, or the arguments of its blocks, have parts."""
    arguments = (value for region in op.regions for block in region.blocks for value in block.args)
    return any(parts_of(value.type) for value in (*op.results, *arguments))
