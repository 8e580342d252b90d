"""
The integers of a program as quasi-affine functions, where they are: isl piecewise functions of
invocation ids, loop counters and host values.

Integers of a fixed width are tracked by their signed value and wrap exactly as the device's do.
Host values that are not affine (bytes that the host loads, say) become parameters: whatever
they are, they are the same for all invocations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from vyre_dialect.ops.invocation import InvocationIdOp, LocalIdOp, WorkgroupIdOp
from vyre_dialect.ops.program import BufferOp, BufLenOp, ProgramOp, RegionOp
from vyre_dialect.types import Axis

AXES = {Axis.X: 0, Axis.Y: 1, Axis.Z: 2}
ID_AXES = 3


class Symbols:
    """
    The parameters of a program: one for each host value that is not affine in others.

    All arms of a program share them, so that their relations can be compared.
    """

    def __init__(self, context: isl.Context):
        self.context = context
        self._names: dict[object, str] = {}
        self._values: dict[str, SSAValue] = {}
        self._known = isl.Set.read_from_str(context, "{ : }")
        self._ranges: list[isl.Set] = []
        """What was found out since and is not in `_known` yet."""

    def name(self, key: object, value: SSAValue, low: int | None, high: int | None) -> str:
        """The parameter that stands for `value`, which lies in [low, high]."""
        if key in self._names:
            return self._names[key]
        hint = value.name_hint or "v"
        name = f"{hint}_{len(self._names)}"
        self._names[key] = name
        self._values[name] = value
        bounds = [f"{name} >= {low}"] if low is not None else []
        bounds += [f"{name} <= {high}"] if high is not None else []
        if bounds:
            text = f"[{name}] -> {{ : {' and '.join(bounds)} }}"
            self._ranges.append(isl.Set.read_from_str(self.context, text))
        return name

    def value(self, name: str) -> SSAValue:
        """The host value that the parameter `name` stands for."""
        return self._values[name]

    def label(self, name: str) -> str:
        """How people know the parameter `name`: a buffer's length, or the name of a value."""
        value = self._values[name]
        if isinstance(value.owner, BufferOp):
            return f"length of '@{value.owner.sym_name.data}'"
        return value.name_hint or name

    def ranges(self) -> isl.Set:
        """What is known of all parameters, as a parameter set."""
        for bounds in self._ranges:
            self._known = self._known.intersect(bounds)
        self._ranges.clear()
        return self._known


Handler: TypeAlias = "Callable[[AffineValues, Operation], isl.PwAff | None]"


class AffineValues:
    """
    Evaluates SSA values of one arm symbolically; None stands for "not quasi-affine".

    The space is `I[i0, i1, i2, k0, …]`: invocation ids along three axes, then the counter of
    each `scf.for` of the arm in textual order.
    """

    def __init__(self, arm: RegionOp, symbols: Symbols):
        self.arm = arm
        self.symbols = symbols
        self._values: dict[SSAValue, isl.PwAff | None] = {}
        self._conditions: dict[SSAValue, isl.Set | None] = {}
        self._loops = {
            op: ID_AXES + position
            for position, op in enumerate(op for op in arm.body.walk() if isinstance(op, scf.ForOp))
        }
        names = ["i0", "i1", "i2", *(f"k{n}" for n in range(len(self._loops)))]
        space = isl.Space.create_from_names(symbols.context, set=names)
        self.space = space.set_tuple_name(isl.dim_type.set, "I")
        self._local = isl.LocalSpace.from_space(self.space)
        self.ids = self._possible_ids()
        """Ids are not negative; how many there are is left open."""
        self.domain = isl.Set.universe(self.space)
        self.domain = self._invocations()

    def of(self, value: SSAValue) -> isl.PwAff | None:
        """The value as a function of ids, counters and parameters, or None."""
        if value not in self._values:
            self._values[value] = self._evaluate(value)
        return self._values[value]

    def holds(self, condition: SSAValue) -> isl.Set | None:
        """Where an i1 is set, or None."""
        if condition not in self._conditions:
            self._conditions[condition] = self._evaluate_condition(condition)
        return self._conditions[condition]

    def cause(self, value: SSAValue) -> Operation | None:
        """The op that makes `value` not quasi-affine, or None when it is."""
        known = self.holds(value) if _is_bool(value) else self.of(value)
        if known is not None:
            return None
        owner = value.owner
        if isinstance(owner, Block):
            return owner.parent_op()
        for operand in owner.operands:
            if isinstance(operand.type, IndexType | IntegerType) and (cause := self.cause(operand)):
                return cause
        return owner

    def constant(self, value: int) -> isl.PwAff:
        """A constant function."""
        val = isl.Val.read_from_str(self.symbols.context, str(value))
        return isl.PwAff(isl.Aff.val_on_domain(self._local, val))

    def dimension(self, position: int) -> isl.PwAff:
        """One of the space's dimensions, as a function."""
        return isl.PwAff.var_on_domain(self._local, isl.dim_type.set, position)

    def parameter(self, name: str) -> isl.PwAff:
        """A parameter, as a function."""
        space = isl.Space.create_from_names(self.symbols.context, set=[], params=[name])
        aff = isl.Aff.var_on_domain(
            isl.LocalSpace.from_space(space.params()), isl.dim_type.param, 0
        )
        zero = self.constant(0)
        return zero + isl.PwAff(aff).insert_domain(zero.get_domain_space())

    def length(self, buffer: BufferOp) -> isl.PwAff:
        """The element count of a buffer."""
        count = buffer.type.static_count
        if count is not None:
            return self.constant(count)
        if buffer.size is not None:
            size = self.of(buffer.size)
            assert size is not None
            return size
        return self.parameter(self.symbols.name(buffer, buffer.buffer, 0, None))

    def loop_counter(self, loop: scf.ForOp) -> int:
        """The dimension that stands for the counter of `loop`."""
        return self._loops[loop]

    def iterations(self, loop: scf.ForOp) -> isl.Set | None:
        """The counter values that `loop` takes, or None when its bounds are not affine."""
        bounds = self.of(loop.lb), self.of(loop.ub), _constant_of(self.of(loop.step))
        lower, upper, step = bounds
        if lower is None or upper is None or step is None or step <= 0:
            return None
        counter = self.dimension(self._loops[loop])
        inside = counter.ge_set(lower).intersect(counter.lt_set(upper))
        if step == 1:
            return inside
        offset = counter - lower
        return inside.intersect(_modulo(offset, step).eq_set(self.constant(0)))

    def _possible_ids(self) -> isl.Set:
        possible = isl.Set.universe(self.space)
        for axis in range(ID_AXES):
            possible = possible.intersect(self.dimension(axis).ge_set(self.constant(0)))
        for axis in range(len(self.arm.domain), ID_AXES):
            possible = possible.intersect(self.dimension(axis).eq_set(self.constant(0)))
        return possible

    def ids_as_invocations(self) -> isl.Set:
        """`ids` without the loop counters."""
        counters = len(self._loops)
        ids = self.ids.project_out(isl.dim_type.set, ID_AXES, counters)
        return ids.set_tuple_name("I")

    def _invocations(self) -> isl.Set:
        inside = self.ids
        counts = [*self.arm.domain, 1, 1][:ID_AXES]
        for axis, count in enumerate(counts):
            limit = self.constant(count) if isinstance(count, int) else self.of(count)
            assert limit is not None
            id = self.dimension(axis)
            inside = inside.intersect(id.lt_set(limit))
        return inside

    def _evaluate(self, value: SSAValue) -> isl.PwAff | None:
        if not isinstance(value.type, IndexType | IntegerType):
            return None
        if isinstance(value, BlockArgument):
            return self._evaluate_argument(value)
        owner = value.owner
        assert isinstance(owner, Operation)
        if _is_bool(value):
            where = self.holds(value)
            return None if where is None else where.indicator_function()
        handler = HANDLERS.get(type(owner))
        result = None if handler is None else handler(self, owner)
        if result is not None:
            return self._wrapped(result, value)
        return self._host_parameter(value)

    def _evaluate_argument(self, value: BlockArgument) -> isl.PwAff | None:
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index == 0 and loop in self._loops:
            return self.dimension(self._loops[loop])
        return None

    def _host_parameter(self, value: SSAValue) -> isl.PwAff | None:
        owner = value.owner
        if not isinstance(owner, Operation) or not isinstance(owner.parent_op(), ProgramOp):
            return None
        low, high = _type_range(value)
        return self.parameter(self.symbols.name(value, value, low, high))

    def _wrapped(self, result: isl.PwAff, value: SSAValue) -> isl.PwAff:
        """`result` reduced to the signed range of a fixed-width type."""
        if not isinstance(value.type, IntegerType):
            return result
        half = 1 << (value.type.width.data - 1)
        if self.within(result, -half, half - 1):
            return result
        return _modulo(result + self.constant(half), 2 * half) - self.constant(half)

    def within(self, function: isl.PwAff, low: int | None, high: int | None) -> bool:
        """Whether `function` provably stays in [low, high] over the arm's invocations."""
        domain = self.domain.intersect_params(self.symbols.ranges())
        if low is not None and not domain.is_subset(function.ge_set(self.constant(low))):
            return False
        return high is None or domain.is_subset(function.le_set(self.constant(high)))

    def unsigned(self, value: SSAValue) -> isl.PwAff | None:
        """The value read as an unsigned integer."""
        function = self.of(value)
        if function is None or self.within(function, 0, None):
            return function
        if isinstance(value.type, IntegerType):
            return _modulo(function, 1 << value.type.width.data)
        return None

    def _evaluate_condition(self, condition: SSAValue) -> isl.Set | None:
        owner = condition.owner
        if not isinstance(owner, Operation):
            return None
        where = _condition(self, owner)
        if where is not None:
            return where
        parameter = self._host_parameter(condition)
        return None if parameter is None else parameter.eq_set(self.constant(1))


def _is_bool(value: SSAValue) -> bool:
    return isinstance(value.type, IntegerType) and value.type.width.data == 1


def _type_range(value: SSAValue) -> tuple[int | None, int | None]:
    if isinstance(value.owner, BufLenOp):
        return 0, None
    if isinstance(value.owner, arith.IndexCastOp):
        return _type_range(value.owner.input)
    if isinstance(value.owner, arith.ExtUIOp) and isinstance(value.owner.input.type, IntegerType):
        return 0, (1 << value.owner.input.type.width.data) - 1
    if _is_bool(value):
        return 0, 1
    if isinstance(value.type, IntegerType):
        half = 1 << (value.type.width.data - 1)
        return -half, half - 1
    return None, None


def _modulo(function: isl.PwAff, modulus: int) -> isl.PwAff:
    return function.mod_val(isl.Val.read_from_str(function.get_ctx(), str(modulus)))


def _floordiv(function: isl.PwAff, divisor: int) -> isl.PwAff:
    val = isl.Val.read_from_str(function.get_ctx(), str(divisor))
    return function.scale_down_val(val).floor()


def _constant_of(function: isl.PwAff | None) -> int | None:
    if function is None or not function.is_cst() or function.n_piece() != 1:
        return None
    return int(function.get_pieces()[0][1].get_constant_val().to_python())


def _constant(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, IntegerAttr):
        return None
    return values.constant(op.value.value.data)


def _add(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a + b


def _subtract(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a - b


def _multiply(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    if a is None or b is None or (_constant_of(a) is None and _constant_of(b) is None):
        return None
    return a * b


def _division(rounding: Callable[[isl.PwAff], isl.PwAff], *, unsigned: bool) -> Handler:
    def handler(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, divisor = read(op.operands[0]), _constant_of(values.of(op.operands[1]))
        if a is None or divisor is None or divisor <= 0:
            return None
        val = isl.Val.read_from_str(a.get_ctx(), str(divisor))
        return rounding(a.scale_down_val(val))

    return handler


def _remainder(*, unsigned: bool) -> Handler:
    def handler(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, divisor = read(op.operands[0]), _constant_of(values.of(op.operands[1]))
        if a is None or divisor is None or divisor <= 0:
            return None
        if not values.within(a, 0, None):
            return a - _truncated(a, divisor) * values.constant(divisor)
        return _modulo(a, divisor)

    return handler


def _truncated(function: isl.PwAff, divisor: int) -> isl.PwAff:
    negated = _floordiv(function.neg(), divisor).neg()
    positive = function.ge_set(function - function)
    return positive.indicator_function().cond(_floordiv(function, divisor), negated)


def _divide_truncating(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, divisor = values.of(op.operands[0]), _constant_of(values.of(op.operands[1]))
    if a is None or divisor is None or divisor <= 0:
        return None
    return _floordiv(a, divisor) if values.within(a, 0, None) else _truncated(a, divisor)


def _shift_left(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, amount = values.of(op.operands[0]), _constant_of(values.of(op.operands[1]))
    if a is None or amount is None or not 0 <= amount < 63:
        return None
    return a * values.constant(1 << amount)


def _shift_right(*, unsigned: bool) -> Handler:
    def handler(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, amount = read(op.operands[0]), _constant_of(values.of(op.operands[1]))
        if a is None or amount is None or not 0 <= amount < 63:
            return None
        return _floordiv(a, 1 << amount)

    return handler


def _mask(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`a & mask` for a mask of consecutive ones, or of all ones but the lowest."""
    a, mask = values.of(op.operands[0]), _constant_of(values.of(op.operands[1]))
    if mask is None:
        a, mask = values.of(op.operands[1]), _constant_of(values.of(op.operands[0]))
    if a is None or mask is None:
        return None
    if mask < 0:
        low = ~mask + 1
        return a - _modulo(a, low) if low & (low - 1) == 0 else None
    if mask == 0:
        return values.constant(0)
    low = mask & -mask
    ones = mask // low + 1
    if ones & (ones - 1):
        return None
    return _modulo(_floordiv(a, low), ones) * values.constant(low)


def _or_disjoint(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`a | c` where the bits of the constant are provably clear in `a`, which is a sum."""
    a, bits = values.of(op.operands[0]), _constant_of(values.of(op.operands[1]))
    if bits is None:
        a, bits = values.of(op.operands[1]), _constant_of(values.of(op.operands[0]))
    if a is None or bits is None or bits < 0:
        return None
    low = _modulo(a, 1 << bits.bit_length())
    return a + values.constant(bits) if values.within(low, 0, 0) else None


def _complement(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, mask = values.of(op.operands[0]), _constant_of(values.of(op.operands[1]))
    return values.constant(-1) - a if a is not None and mask == -1 else None


def _extremum(name: str, *, unsigned: bool) -> Handler:
    def handler(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, b = (read(operand) for operand in op.operands)
        return None if a is None or b is None else getattr(a, name)(b)

    return handler


def _select(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, arith.SelectOp)
    return _choice(values, op.cond, values.of(op.lhs), values.of(op.rhs))


def _choice(
    values: AffineValues, condition: SSAValue, a: isl.PwAff | None, b: isl.PwAff | None
) -> isl.PwAff | None:
    where = values.holds(condition)
    if where is None or a is None or b is None:
        return None
    return where.indicator_function().cond(a, b)


def _if_result(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, scf.IfOp)
    if len(op.results) != 1:
        return None
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None
    assert other is not None
    return _choice(values, op.cond, values.of(then.operands[0]), values.of(other.operands[0]))


def _same(values: AffineValues, op: Operation) -> isl.PwAff | None:
    return values.of(op.operands[0])


def _zero_extend(values: AffineValues, op: Operation) -> isl.PwAff | None:
    return values.unsigned(op.operands[0])


def _sign_extend(values: AffineValues, op: Operation) -> isl.PwAff | None:
    source = values.of(op.operands[0])
    if source is not None and _is_bool(op.operands[0]):
        return source.neg()
    return source


def _invocation_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, InvocationIdOp)
    return values.dimension(AXES[op.axis.data])


def _workgroup_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, WorkgroupIdOp)
    axis = AXES[op.axis.data]
    return _floordiv(values.dimension(axis), values.arm.workgroup[axis])


def _local_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, LocalIdOp)
    axis = AXES[op.axis.data]
    return _modulo(values.dimension(axis), values.arm.workgroup[axis])


def _length(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, BufLenOp)
    buffer = op.buffer.owner
    return values.length(buffer) if isinstance(buffer, BufferOp) else None


HANDLERS: dict[type[Operation], Handler] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _add,
    arith.SubiOp: _subtract,
    arith.MuliOp: _multiply,
    arith.DivUIOp: _division(isl.PwAff.floor, unsigned=True),
    arith.CeilDivUIOp: _division(isl.PwAff.ceil, unsigned=True),
    arith.FloorDivSIOp: _division(isl.PwAff.floor, unsigned=False),
    arith.CeilDivSIOp: _division(isl.PwAff.ceil, unsigned=False),
    arith.DivSIOp: _divide_truncating,
    arith.RemUIOp: _remainder(unsigned=True),
    arith.RemSIOp: _remainder(unsigned=False),
    arith.ShLIOp: _shift_left,
    arith.ShRUIOp: _shift_right(unsigned=True),
    arith.ShRSIOp: _shift_right(unsigned=False),
    arith.AndIOp: _mask,
    arith.OrIOp: _or_disjoint,
    arith.XOrIOp: _complement,
    arith.MinSIOp: _extremum("min", unsigned=False),
    arith.MaxSIOp: _extremum("max", unsigned=False),
    arith.MinUIOp: _extremum("min", unsigned=True),
    arith.MaxUIOp: _extremum("max", unsigned=True),
    arith.SelectOp: _select,
    arith.ExtUIOp: _zero_extend,
    arith.ExtSIOp: _sign_extend,
    arith.TruncIOp: _same,
    arith.IndexCastOp: _same,
    scf.IfOp: _if_result,
    InvocationIdOp: _invocation_id,
    WorkgroupIdOp: _workgroup_id,
    LocalIdOp: _local_id,
    BufLenOp: _length,
}

SIGNED_COMPARISONS = {
    0: "eq_set",
    1: "ne_set",
    2: "lt_set",
    3: "le_set",
    4: "gt_set",
    5: "ge_set",
}
UNSIGNED_COMPARISONS = {6: "lt_set", 7: "le_set", 8: "gt_set", 9: "ge_set"}


def _condition(values: AffineValues, op: Operation) -> isl.Set | None:
    if isinstance(op, arith.CmpiOp):
        return _comparison(values, op)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        everywhere = isl.Set.universe(values.space)
        return everywhere if op.value.value.data else everywhere.complement()
    if isinstance(op, arith.AndIOp | arith.OrIOp | arith.XOrIOp):
        return _connective(values, op)
    return None


def _connective(values: AffineValues, op: Operation) -> isl.Set | None:
    a, b = (values.holds(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    if isinstance(op, arith.AndIOp):
        return a.intersect(b)
    if isinstance(op, arith.OrIOp):
        return a.union(b)
    return a.subtract(b).union(b.subtract(a))


def _comparison(values: AffineValues, op: arith.CmpiOp) -> isl.Set | None:
    predicate = op.predicate.value.data
    if predicate in SIGNED_COMPARISONS:
        a, b = values.of(op.lhs), values.of(op.rhs)
        name = SIGNED_COMPARISONS[predicate]
        return None if a is None or b is None else getattr(a, name)(b)
    return _unsigned_comparison(values, op, UNSIGNED_COMPARISONS[predicate])


def _unsigned_comparison(values: AffineValues, op: arith.CmpiOp, name: str) -> isl.Set | None:
    a, b = values.unsigned(op.lhs), values.unsigned(op.rhs)
    if a is not None and b is not None:
        return getattr(a, name)(b)
    signed, limit = values.of(op.lhs), values.unsigned(op.rhs)
    if signed is None or limit is None or name != "lt_set":
        return None
    # A negative index is a huge unsigned one, and so not below a limit that is not negative.
    return signed.ge_set(values.constant(0)).intersect(signed.lt_set(limit))
