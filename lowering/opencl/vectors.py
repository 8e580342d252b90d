"""`vector` ops on values: a table from op to expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from xdsl.dialects import vector
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import lane_count
from vyre_dialect.lowering.opencl.arithmetic import (
    from_signed,
    is_i1,
    to_signed,
    to_unsigned,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    Precedence,
    binary,
    combine,
    conditional,
    exact,
    overloaded,
)
from vyre_dialect.lowering.opencl.floats import extremum
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.runs import in_array, of_array
from vyre_dialect.lowering.opencl.scope import Scope
from vyre_dialect.lowering.opencl.types import BOOL, CType

_LANE_NAMES = "0123456789abcdef"
_HALVES = {tuple(range(8)): "lo", tuple(range(0, 16, 2)): "even"}
"""The names that OpenCL has for lanes of half a vector of 16; the other halves have lane 11."""
_UNFOLLOWED = 11
"""Among several, Oclgrind 21.10 takes this lane for uninitialised, whatever the vector is."""


def swizzle(operand: Expression, lanes: Sequence[int]) -> Expression:
    """Some lanes of a vector, in any order; one lane is a scalar, and of a scalar is itself."""
    if not operand.type.is_vector:
        return operand
    if list(lanes) == list(range(operand.type.lanes)):
        return operand
    if operand.type.is_extended:
        return _extended_swizzle(operand, lanes)
    half = _HALVES.get(tuple(lanes)) if operand.type.lanes == 16 else None
    names = half or "s" + "".join(_LANE_NAMES[lane] for lane in lanes)
    text = f"{operand.at_least(Precedence.PRIMARY)}.{names}"
    return combine(text, operand.type.with_lanes(len(lanes)), Precedence.PRIMARY, operand)


def _extended_swizzle(operand: Expression, lanes: Sequence[int]) -> Expression:
    """The same of a vector of Clang, whose lanes have no names."""
    if len(lanes) == 1:
        text = f"{operand.at_least(Precedence.PRIMARY)}[{lanes[0]}]"
        return combine(text, operand.type.scalar, Precedence.PRIMARY, operand)
    return _shuffled(operand, operand, lanes)


def _shuffled(first: Expression, second: Expression, lanes: Sequence[int]) -> Expression:
    """Lanes of two vectors of a type by the function of Clang, which knows any number of lanes."""
    type, numbers = first.type.with_lanes(len(lanes)), ", ".join(map(str, lanes))
    text = f"__builtin_shufflevector({exact(first).text}, {exact(second).text}, {numbers})"
    return combine(text, type, Precedence.PRIMARY, first, second)


def _as_bool(lane: Expression) -> Expression:
    """A lane of a vector of i1 as the scalar that C takes for true or false."""
    return Expression(
        lane.text, BOOL, lane.precedence, Form.PROMOTED, lane.reads_memory, lane.variables
    )


def broadcast(scope: Scope, op: vector.BroadcastOp) -> Expression:
    """A number, or a vector, in every lane."""
    source, type = scope.value(op.source), scope.type_of(op.vector)
    if source.type.is_vector:
        if source.type == type:
            return source
        raise DiagnosticException(
            f"'{op.name}' has an OpenCL form for scalars, got '{op.source.type}'"
        )
    return vector_literal([source], type) if type.is_vector else source


def _position(op: vector.ExtractOp | vector.InsertOp) -> SSAValue | int:
    position = op.get_mixed_position()
    if len(position) != 1:
        raise DiagnosticException(
            f"'{op.name}' has an OpenCL form for one position, got {len(position)}"
        )
    return position[0]


def extract(scope: Scope, op: vector.ExtractOp) -> Expression:
    """One lane."""
    source, position = scope.value(op.vector), _position(op)
    if isinstance(position, SSAValue):
        lane = _extract_at(scope, source, scope.value(position))
    else:
        lane = source.splat or swizzle(source, [position])
    return _as_bool(lane) if is_i1(op.vector.type) and not lane.type.is_bool else lane


def _extract_at(scope: Scope, source: Expression, position: Expression) -> Expression:
    type = source.type
    if not type.is_vector:
        return conditional(_is_first(position), source, literal(0, type), type)
    name = f"vyre_extract_{type.short_name}"
    text = (
        f"static {type.scalar} {name}({type} v, long lane)\n{{\n"
        f"    {type.scalar} lanes[{type.lanes}];\n"
        f"    {in_array(type, 'v')};\n"
        f"    return (ulong)lane < {type.lanes} ? lanes[lane] : 0;\n}}"
    )
    scope.helpers.function(name, lambda: text)
    return overloaded(name, type.scalar, source, position)


def insert(scope: Scope, op: vector.InsertOp) -> Expression:
    """A vector with another value in one lane."""
    source, position = scope.value(op.source), _position(op)
    type = scope.type_of(op.result)
    if isinstance(position, SSAValue):
        destination = scope.value(op.dest)
        return _insert_at(scope, destination, source, scope.value(position))
    return _gather(scope, op, type) if type.is_vector else source


def _is_first(position: Expression) -> Expression:
    """Whether a position is that of the only lane of a vector."""
    return binary(position, "==", literal(0, position.type), BOOL, Form.PROMOTED)


def _insert_at(
    scope: Scope, destination: Expression, source: Expression, position: Expression
) -> Expression:
    type = destination.type
    if not type.is_vector:
        return conditional(_is_first(position), source, destination, type)
    name = f"vyre_insert_{type.short_name}"
    text = (
        f"static {type} {name}({type} v, {type.scalar} value, long lane)\n{{\n"
        f"    {type.scalar} lanes[{type.lanes}];\n"
        f"    {in_array(type, 'v')};\n"
        f"    if ((ulong)lane < {type.lanes})\n"
        "        lanes[lane] = value;\n"
        f"    return {of_array(type)};\n}}"
    )
    scope.helpers.function(name, lambda: text)
    return overloaded(name, type, destination, source, position)


def _gather(scope: Scope, op: vector.InsertOp, type: CType) -> Expression:
    """A vector of which some lanes were inserted: `(uint4)(a, v.s1, v.s2, b)`."""
    inserted = dict[int, Expression]()
    base: SSAValue = op.result
    for insert in insertions(op):
        position = _position(insert)
        assert isinstance(position, int)
        inserted.setdefault(position, scope.value(insert.source))
        base = insert.dest
    if len(inserted) == type.lanes:
        return vector_literal([inserted[lane] for lane in range(type.lanes)], type)
    source = _repeatable(scope, base)
    lanes = [inserted.get(lane) for lane in range(type.lanes)]
    parts = list[Expression]()
    for kept, run in groupby(enumerate(lanes), key=lambda item: item[1] is None):
        positions = [lane for lane, _ in run]
        if kept:
            parts.extend(_runs(source, positions))
        else:
            parts.extend(value for lane in positions if (value := lanes[lane]) is not None)
    return _concatenate(parts, type)


def insertions(op: vector.InsertOp) -> Iterator[vector.InsertOp]:
    """The insertions at known lanes that end with `op`, each the only use of the one before."""
    yield op
    current = op
    while is_inner_insertion(current.dest):
        assert isinstance(current.dest.owner, vector.InsertOp)
        current = current.dest.owner
        yield current


def is_inner_insertion(value: SSAValue) -> bool:
    """Whether `value` is an insertion that only the insertion after it needs."""
    op = value.owner
    if not isinstance(op, vector.InsertOp) or op.dynamic_position:
        return False
    user = value.get_user_of_unique_use()
    if not isinstance(user, vector.InsertOp) or user.dynamic_position:
        return False
    return user.dest is value and user.parent is op.parent


def _runs(source: Expression, lanes: Sequence[int]) -> Iterator[Expression]:
    """The `lanes` of `source`, each by itself.

    From several together Clang makes shuffles with undefined lanes, on which the search of
    Oclgrind 21.10 for uninitialised reads crashes.
    """
    for lane in lanes:
        yield source.splat or swizzle(source, [lane])


def _concatenate(parts: Sequence[Expression], type: CType) -> Expression:
    texts = ", ".join(part.converted if not part.type.is_vector else part.text for part in parts)
    return combine(f"({type})({texts})", type, Precedence.UNARY, *parts)


def shuffle(scope: Scope, op: vector.ShuffleOp) -> Expression:
    """Lanes of two vectors, in an order that is known."""
    type = scope.type_of(op.result)
    # -1 stands for a lane of any value.
    mask = [max(lane, 0) for lane in op.mask.get_values()]
    first = scope.type_of(op.v1).lanes
    runs = [
        ([lane if from_first else lane - first for lane in run], op.v1 if from_first else op.v2)
        for from_first, run in groupby(mask, key=lambda lane: lane < first)
    ]
    if type.is_vector and any(
        scope.type_of(each).is_extended for each in (*op.operands, op.result)
    ):
        return _shuffle_of_clang(scope, op, mask)
    if len(runs) == 1 and _is_one_swizzle(*runs[0]):
        lanes, source = runs[0]
        return _lanes_of(scope.value(source), lanes, type)
    sources = {source: _repeatable(scope, source) for source in dict.fromkeys((op.v1, op.v2))}
    parts = [part for lanes, source in runs for part in _runs(sources[source], lanes)]
    return _concatenate(parts, type)


def _shuffle_of_clang(scope: Scope, op: vector.ShuffleOp, mask: Sequence[int]) -> Expression:
    if op.v1.type == op.v2.type:
        return _shuffled(scope.value(op.v1), scope.value(op.v2), mask)
    first = scope.type_of(op.v1).lanes
    sources = [_repeatable(scope, source) for source in (op.v1, op.v2)]
    places = [(lane >= first, lane - first if lane >= first else lane) for lane in mask]
    lanes = [part for second, lane in places for part in _runs(sources[second], [lane])]
    return _concatenate(lanes, scope.type_of(op.result))


def _is_one_swizzle(lanes: Sequence[int], source: SSAValue) -> bool:
    is_whole = list(lanes) == list(range(lane_count(source.type)))
    return is_whole or len(lanes) == 1 or _UNFOLLOWED not in lanes


def _repeatable(scope: Scope, source: SSAValue) -> Expression:
    known = scope.value(source)
    if known.splat is not None and (known.splat.is_simple or known.splat.constant is not None):
        return known
    return scope.simple(source)


def _lanes_of(source: Expression, lanes: Sequence[int], type: CType) -> Expression:
    if source.type.is_vector:
        return swizzle(source, lanes)
    return vector_literal([source], type) if type.is_vector else source


def create_mask(scope: Scope, op: vector.CreateMaskOp) -> Expression:
    """A mask whose first lanes are set."""
    type = scope.type_of(op.mask_vector)
    (size,) = op.mask_dim_sizes
    count = scope.simple(size)
    lanes = [
        binary(count, ">", literal(lane, count.type), BOOL, Form.PROMOTED)
        for lane in range(type.lanes)
    ]
    return vector_literal(lanes, type) if type.is_vector else lanes[0]


def multiply_and_add(scope: Scope, op: vector.FMAOp) -> Expression:
    """A product and a sum, rounded once."""
    return overloaded("fma", scope.type_of(op.res), *(scope.value(part) for part in op.operands))


# Reductions.

_OPERATORS = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_FUNCTIONS = {
    "minui": "min",
    "maxui": "max",
    "minsi": "min",
    "maxsi": "max",
}
_FLOAT_FUNCTIONS = ("minnumf", "maxnumf", "minimumf", "maximumf")


def reduction(scope: Scope, op: vector.ReductionOp) -> Expression:
    """All lanes combined, in order."""
    kind = str(op.kind.data)
    operand = scope.value(op.vector)
    type = scope.type_of(op.dest)
    if is_i1(op.vector.type) or not _is_known(kind):
        raise DiagnosticException(f"'{op.name}' {kind} of '{op.vector.type}' has no OpenCL form")
    # Sums and products of indices wrap around, which C defines for unsigned numbers only.
    read = to_signed if kind.endswith("si") else to_unsigned
    source = read(operand)
    result = source
    if source.type.is_vector:
        name = f"vyre_reduce_{kind}_{source.type.short_name}"
        text = _reduction_text(scope.helpers, name, kind, source.type)
        scope.helpers.function(name, lambda: text)
        result = overloaded(name, source.type.scalar, source)
    if op.acc is not None:
        start = exact(read(scope.value(op.acc)))
        result = _combine_by(scope.helpers, kind, start, exact(result))
    return from_signed(result, type)


def _is_known(kind: str) -> bool:
    return kind in _OPERATORS or kind in _FUNCTIONS or kind in _FLOAT_FUNCTIONS


def _function(helpers: Helpers, kind: str, type: CType) -> str | None:
    """The function of two lanes that combines them, if no operator does."""
    if kind in _FLOAT_FUNCTIONS:
        return extremum(helpers, kind, type)
    return _FUNCTIONS.get(kind)


def _combine_by(helpers: Helpers, kind: str, left: Expression, right: Expression) -> Expression:
    if (function := _function(helpers, kind, left.type)) is not None:
        return overloaded(function, left.type, left, right)
    form = Form.WRAPPING if left.type.is_small else Form.EXACT
    return binary(left, _OPERATORS[kind], right, left.type, form)


def _reduction_text(helpers: Helpers, name: str, kind: str, type: CType) -> str:
    """Lane by lane from the first on: the order matters for floating point numbers."""
    lines = [f"static {type.scalar} {name}({type} v)", "{", f"    {type.scalar} result = v.s0;"]
    function = _function(helpers, kind, type.scalar)
    for lane in _LANE_NAMES[1 : type.lanes]:
        if function is not None:
            lines.append(f"    result = {function}(result, v.s{lane});")
        else:
            lines.append(f"    result {_OPERATORS[kind]}= v.s{lane};")
    return "\n".join([*lines, "    return result;", "}"])
