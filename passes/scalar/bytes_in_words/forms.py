"""What ops do in lanes of bytes, as words of four do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IntegerType, VectorType, i1, i8
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.reduced_lanes import MOST_LANES, reduced_vector
from vyre_dialect.analysis.value_ranges import RANGE, full_range
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import CompareLanesOp, Conversion, ConvertLanesOp, SelectLanesOp
from vyre_dialect.ops.words import BYTE_BITS, WORD_BYTES
from vyre_dialect.passes.scalar.bytes_in_words import arithmetic
from vyre_dialect.passes.scalar.bytes_in_words.arithmetic import BYTE, PREDICATES

_KEPT: Mapping[type[Operation], str] = {
    arith.MinUIOp: "ule",
    arith.MaxUIOp: "uge",
    arith.MinSIOp: "sle",
    arith.MaxSIOp: "sge",
}
"""By which predicate an extreme is its first operand."""


@dataclass(frozen=True)
class Form:
    """What an op does, as words do it."""

    compute: Callable[..., Value]
    operands: Sequence[SSAValue]
    """The vectors whose words it takes."""


@dataclass(frozen=True)
class Total:
    """The sum of all lanes of bytes, or of those of a mask as zeros and ones."""

    lanes: SSAValue
    tree: frozenset[Operation]
    """What extends the lanes and adds them, but for the last op; nothing else reads it."""
    counts_unset: bool = False


def is_packable(type: Attribute, of: Attribute | None = None) -> bool:
    """Whether a vector holds whole words of bytes, or of what is known of bytes."""
    elements = (i1, i8) if of is None else (of,)
    if not isinstance(type, VectorType) or type.element_type not in elements:
        return False
    return len(type.get_shape()) == 1 and lane_count(type) % WORD_BYTES == 0


def is_mask(lanes: SSAValue) -> bool:
    """Whether a vector says of bytes what holds of them."""
    return is_packable(lanes.type, of=i1)


def repeated(lanes: SSAValue) -> SSAValue | None:
    """The scalar that is in all lanes of a vector, if it is one that is broadcast."""
    owner = lanes.owner
    is_broadcast = isinstance(owner, vector.BroadcastOp)
    return owner.source if is_broadcast and isinstance(owner.source.type, IntegerType) else None


def number_in(lanes: SSAValue) -> int | None:
    """The number that is in all lanes of a vector, with or without its sign."""
    return integer_in_lanes(lanes if (scalar := repeated(lanes)) is None else scalar)


def form_of(op: Operation, facts: AnalysisManager) -> Form | None:
    """How words do what an op does in lanes of bytes, if they can."""
    if len(op.results) != 1 or not is_packable(op.results[0].type):
        return None
    match op:
        case arith.AndIOp():
            return Form(Value.__and__, tuple(op.operands))
        case arith.OrIOp():
            return Form(Value.__or__, tuple(op.operands))
        case arith.XOrIOp():
            return Form(Value.__xor__, tuple(op.operands))
        case CompareLanesOp() if is_packable(op.lhs.type, of=i8):
            return Form(PREDICATES[op.predicate.data], tuple(op.operands))
        case _:
            return _form_of_bytes(op, facts) if is_packable(op.results[0].type, of=i8) else None


def _form_of_bytes(op: Operation, facts: AnalysisManager) -> Form | None:
    match op:
        case SelectLanesOp():
            return Form(arithmetic.select, tuple(op.operands))
        case ConvertLanesOp() if _is_extended(op, i1):
            return Form(arithmetic.zero_or_one, tuple(op.operands))
        case arith.AddiOp():
            return Form(Value.__add__ if _fits(op, facts) else arithmetic.add, tuple(op.operands))
        case arith.SubiOp():
            return Form(arithmetic.subtract, tuple(op.operands))
        case arith.MuliOp() | arith.ShLIOp() | arith.ShRUIOp():
            return _form_with_number(op, fits=_fits(op, facts))
        case arith.MinUIOp() | arith.MaxUIOp() | arith.MinSIOp() | arith.MaxSIOp():
            keeps = PREDICATES[_KEPT[type(op)]]
            return Form(partial(arithmetic.select_where, keeps), tuple(op.operands))
        case _:
            return None


def _form_with_number(
    op: arith.MuliOp | arith.ShLIOp | arith.ShRUIOp, *, fits: bool
) -> Form | None:
    """With a number as the second operand, where canonical IR has it."""
    number = number_in(op.rhs)
    if number is None:
        return None
    number &= BYTE
    if not isinstance(op, arith.MuliOp) and number >= BYTE_BITS:
        return None
    match op:
        case arith.MuliOp():
            return Form(partial(Value.__mul__, other=number), [op.lhs]) if fits else None
        case arith.ShLIOp() if fits:
            return Form(partial(Value.__mul__, other=1 << number), [op.lhs])
        case arith.ShLIOp():
            return Form(partial(arithmetic.shift_left, by=number), [op.lhs])
        case _:
            return Form(partial(arithmetic.shift_right, by=number), [op.lhs])


def _fits(op: Operation, facts: AnalysisManager) -> bool:
    """Whether what an op computes of bytes is one, in all lanes."""
    exact = RANGE.of(type(op))
    ranges = facts.get(Integers, op).ranges_of(op)
    return exact is not None and exact(op, ranges).within(full_range(op.results[0].type))


def total_of(op: Operation) -> Total | None:
    """Of what an op is the sum of all lanes, where words have room for it."""
    if not isinstance(op, arith.AddiOp) or isinstance(op.result.type, VectorType):
        return None
    source = reduced_vector(op.result, arith.AddiOp)
    if source is None or lane_count(source.type) > MOST_LANES:
        return None
    tree = _tree(op, source)
    match source.owner:
        case ConvertLanesOp() as extension if tree and _is_extended(extension):
            return Total(extension.input, tree)
        case SelectLanesOp() as choice if tree and is_mask(choice.mask):
            numbers = (number_in(choice.lhs), number_in(choice.rhs))
            if numbers in ((0, 1), (1, 0)):
                return Total(choice.mask, tree, counts_unset=numbers == (0, 1))
        case _:
            pass
    return None


def _tree(root: Operation, source: SSAValue) -> frozenset[Operation]:
    """What adds the lanes of a vector, with what makes that; nothing if something else reads it."""
    found, pending = set[Operation](), [root]
    while pending:
        for operand in pending.pop().operands:
            owner = operand.owner
            if not isinstance(owner, Operation) or owner in found:
                continue
            found.add(owner)
            if operand is not source:
                pending.append(owner)
    inside = {root, *found}
    is_own = all(
        use.operation in inside for op in found for each in op.results for use in each.uses
    )
    return frozenset(found) if is_own else frozenset()


def _is_extended(op: ConvertLanesOp, of: Attribute | None = None) -> bool:
    return op.conversion.data is Conversion.EXTUI and is_packable(op.input.type, of)
