"""
The integers of a program as quasi-affine functions, where they are: isl piecewise functions of
invocation ids, loop counters and host values.

Integers of a fixed width are tracked by their signed value and wrap exactly as the device's do.
Host values that are not affine (bytes that the host loads, say) become parameters: whatever
they are, they are the same for all invocations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.bounded_effort import next_question
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.iteration_space import IterationSpace, counts_of
from vyre_dialect.analysis.quasi_affine import Magnitudes, constant_of, is_bool, modulo
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, MAX_COUNT
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.meaning import Facet
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import measured_buffer
from vyre_dialect.ops.program import ProgramOp

Function: TypeAlias = "Callable[[AffineValues, Any], isl.PwAff | None]"
"""What an op computes, as a function of ids, loop counters and parameters; None if it is none."""
Condition: TypeAlias = "Callable[[AffineValues, Any], isl.Set | None]"
"""Where the i1 that an op computes is set; None if that is no set of invocations."""

AFFINE = Facet[Function]("affine", "vyre_dialect.analysis.by_definition:affine")
"""The functions of ops that compute integers."""
CONDITION = Facet[Condition]("condition", "vyre_dialect.analysis.by_definition:condition")
"""The conditions of ops that compute an i1."""


class AffineValues:
    """
    Evaluates SSA values of one arm or kernel symbolically; None stands for "not quasi-affine". Of a
    kernel, which may be launched with any number of workgroups, no id is bounded.
    """

    def __init__(self, arm: HasInvocationsInterface, symbols: Symbols):
        self.arm = arm
        self.symbols = symbols
        self._values: dict[SSAValue, isl.PwAff | None] = {}
        self._conditions: dict[SSAValue, isl.Set | None] = {}
        self.space = IterationSpace(arm, symbols.context)
        self._magnitudes = Magnitudes([MAX_COUNT] * self.space.dimensions, symbols.largest)
        self.relies_on_bounds = False
        """Whether something was decided of existing invocations that may not hold for others."""
        self.domain = self.space.universe
        self.domain = self._invocations()

    def of(self, value: SSAValue) -> isl.PwAff | None:
        """The value as a function of ids, counters and parameters, or None."""
        if not self._is_evaluated(value):
            self._evaluate_operands(value)
            self._keep(value)
        return self._values.get(value)

    def holds(self, i1: SSAValue) -> isl.Set | None:
        """Where an i1 is set, or None."""
        if i1 not in self._conditions:
            self._evaluate_operands(i1)
            self._conditions[i1] = self._evaluate_condition(i1)
        return self._conditions[i1]

    def bind(self, argument: SSAValue, value: SSAValue) -> None:
        """Let an argument of a block that stands nowhere be what `value` is."""
        self._values[argument] = self.of(value)
        if is_bool(value):
            self._conditions[argument] = self.holds(value)

    def cause(self, value: SSAValue) -> Operation | None:
        """The op that makes `value` not quasi-affine, or None when it is."""
        if self._is_known(value):
            return None
        while isinstance(owner := value.owner, Operation):
            unknown = [each for each in owner.operands if not self._is_known(each)]
            if not unknown or not isinstance(unknown[0].type, IndexType | IntegerType):
                return owner
            value = unknown[0]
        return owner.parent_op()

    def _is_known(self, value: SSAValue) -> bool:
        return (self.holds(value) if is_bool(value) else self.of(value)) is not None

    def length(self, buffer: BufferOp) -> isl.PwAff:
        """The element count of a buffer."""
        count = buffer.type.static_count
        if count is not None:
            return self.space.constant(count)
        if buffer.size is None:
            return self.space.parameter(self.symbols.name(buffer, buffer.buffer, 0, None))
        size = self.of(buffer.size)
        assert size is not None
        if _is_plain(size):
            return size
        # A parameter: what is computed from it stays as simple as it was here, in long chains, too.
        return self.space.parameter(self._named(buffer, buffer.size, 0, size))

    def parameter_of(self, value: SSAValue) -> str | None:
        """
        The parameter that stands for a value of the host, with what it is in others; None where
        that is unknown.
        """
        function = self.of(value)
        return None if function is None else self._named(value, value, None, function)

    def _named(self, key: object, value: SSAValue, low: int | None, function: isl.PwAff) -> str:
        """The parameter that stands for `value`, which is `function` of others."""
        name = self.symbols.name(key, value, low, None)
        parameter = self.space.parameter(name)
        if not self.symbols.is_defined(name) and not function.plain_is_equal(parameter):
            self.symbols.define(name, parameter.eq_set(function).params())
        return name

    def iterations(self, loop: scf.ForOp) -> isl.Set | None:
        """The counter values that `loop` takes, or None when its bounds are not affine."""
        bounds = self.of(loop.lb), self.of(loop.ub), constant_of(self.of(loop.step))
        lower, upper, step = bounds
        if lower is None or upper is None or step is None or step <= 0:
            return None
        counter = self.space.dimension(self.space.places[loop])
        inside = counter.ge_set(lower).intersect(counter.lt_set(upper))
        if step == 1:
            return inside
        offset = counter - lower
        return inside.intersect(modulo(offset, step).eq_set(self.space.constant(0)))

    def _invocations(self) -> isl.Set:
        inside = self.space.ids
        for axis, count in enumerate(counts_of(self.arm)):
            if count is None:
                continue
            limit = self.space.constant(count) if isinstance(count, int) else self.of(count)
            assert limit is not None
            own = self.space.dimension(axis)
            inside = inside.intersect(own.lt_set(limit))
        return inside

    def _evaluate_operands(self, value: SSAValue) -> None:
        """Evaluate all that `value` depends on, without a call for each step of a long chain."""
        pending = [value]
        while pending:
            missing = [each for each in _operands_of(pending[-1]) if not self._is_evaluated(each)]
            if missing:
                pending.append(missing[0])
                continue
            done = pending.pop()
            if done is value:
                return
            if is_bool(done):
                self._conditions[done] = self._evaluate_condition(done)
            self._keep(done)

    def _is_evaluated(self, value: SSAValue) -> bool:
        if value not in self._values and value in self.symbols.host:
            function = self.symbols.host[value]
            self._values[value] = None if function is None else self.space.everywhere(function)
        return value in self._values or not isinstance(value.type, IndexType | IntegerType)

    def _keep(self, value: SSAValue) -> None:
        """Evaluate `value`; what is known of a host value, all arms know."""
        next_question(self.symbols.context)
        function = self._values[value] = self._evaluate(value)
        if isinstance(value.owner, Operation) and _is_of_host(value.owner):
            alone = None if function is None else function.project_domain_on_params()
            self.symbols.host[value] = alone

    def _evaluate(self, value: SSAValue) -> isl.PwAff | None:
        if not isinstance(value.type, IndexType | IntegerType):
            return None
        if isinstance(value, BlockArgument):
            return self._evaluate_argument(value)
        owner = value.owner
        assert isinstance(owner, Operation)
        if is_bool(value):
            where = self.holds(value)
            return None if where is None else where.indicator_function()
        function = AFFINE.of(type(owner))
        result = None if function is None else function(self, owner)
        if result is not None:
            result = self._wrapped(result, value)
        return self._host_parameter(value) if result is None else result

    def _evaluate_argument(self, value: BlockArgument) -> isl.PwAff | None:
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index == 0 and loop in self.space.places:
            self._magnitudes.dimensions[self.space.places[loop]] = self._largest_counter(loop)
            return self.space.dimension(self.space.places[loop])
        if isinstance(loop, HasInvocationsInterface) and isinstance(value.type, IndexType):
            low = None if measured_buffer(value) is None else 0
            return self.space.parameter(self.symbols.name(value, value, low, None))
        return None

    def _largest_counter(self, loop: scf.ForOp) -> int:
        """Loops that end count up by less than MAX_COUNT from where they begin."""
        lower, upper = self.of(loop.lb), self.of(loop.ub)
        if lower is None:
            return INDEX_LIMIT
        end = MAX_COUNT if upper is None else self._magnitudes.of(upper)
        return min(max(self._magnitudes.of(lower), end), INDEX_LIMIT)

    def _host_parameter(self, value: SSAValue) -> isl.PwAff | None:
        owner = value.owner
        if not isinstance(owner, Operation) or not _is_of_host(owner):
            return None
        low, high = _type_range(value)
        return self.space.parameter(self.symbols.name(value, value, low, high))

    def _wrapped(self, result: isl.PwAff, value: SSAValue) -> isl.PwAff | None:
        """`result` in the signed range of a fixed-width type; None where it may leave 64 bits."""
        if not isinstance(value.type, IntegerType):
            return result if self._magnitudes.of(result) < INDEX_LIMIT else None
        half = 1 << (value.type.width.data - 1)
        if self.within(result, -half, half - 1):
            return result
        return modulo(result + self.space.constant(half), 2 * half) - self.space.constant(half)

    def within(self, function: isl.PwAff, low: int | None, high: int | None) -> bool:
        """
        Whether `function` provably stays in [`low`, `high`] over the arm's invocations, and what
        the loops count whose counters it is of.
        """
        if (value := constant_of(function)) is not None:
            return (low is None or low <= value) and (high is None or value <= high)
        if self._within(self.space.ids, function, low, high):
            return True
        counted = self._counted(function)
        if counted is not None and self._within(
            self.space.ids.intersect(counted), function, low, high
        ):
            return True
        domain = self.domain if counted is None else self.domain.intersect(counted)
        within = self._within(domain, function, low, high)
        self.relies_on_bounds |= within
        return within

    def _counted(self, function: isl.PwAff) -> isl.Set | None:
        """What the counters that `function` is of take; None where it is of none that is known."""
        counted: isl.Set | None = None
        for loop, place in self.space.places.items():
            if function.involves_dims(isl.dim_type.in_, place, 1):
                taken = self.iterations(loop)
                if taken is not None:
                    counted = taken if counted is None else counted.intersect(taken)
        return counted

    def _within(
        self, domain: isl.Set, function: isl.PwAff, low: int | None, high: int | None
    ) -> bool:
        domain = domain.intersect_params(self.symbols.known_of(domain, function))
        if low is not None and not domain.is_subset(function.ge_set(self.space.constant(low))):
            return False
        return high is None or domain.is_subset(function.le_set(self.space.constant(high)))

    def unsigned(self, value: SSAValue) -> isl.PwAff | None:
        """The value read as an unsigned integer."""
        function = self.of(value)
        if function is None or self.within(function, 0, None):
            return function
        if isinstance(value.type, IntegerType):
            return modulo(function, 1 << value.type.width.data)
        return None

    def _evaluate_condition(self, i1: SSAValue) -> isl.Set | None:
        owner = i1.owner
        if not isinstance(owner, Operation):
            return None
        condition = CONDITION.of(type(owner))
        where = None if condition is None else condition(self, owner)
        if where is not None:
            return where
        parameter = self._host_parameter(i1)
        return None if parameter is None else parameter.eq_set(self.space.constant(1))


def _is_of_host(op: Operation) -> bool:
    return isinstance(op.parent_op(), ProgramOp)


def _operands_of(value: SSAValue) -> list[SSAValue]:
    """What the function of `value` asks for, if it is understood."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return []
    if isinstance(owner, scf.IfOp):
        last = [region.block.last_op for region in owner.regions if region.blocks]
        return [owner.cond, *(each for op in last if op is not None for each in op.operands)]
    understood = AFFINE.of(type(owner)) or CONDITION.of(type(owner))
    return list(owner.operands) if understood else []


def _is_plain(function: isl.PwAff) -> bool:
    """Whether a function is a sum of multiples of parameters."""
    pieces = function.get_pieces()
    return len(pieces) == 1 and pieces[0][1].dim(isl.dim_type.div) == 0


def _type_range(value: SSAValue) -> tuple[int | None, int | None]:
    if isinstance(value.owner, BufLenOp):
        return 0, None
    if isinstance(value.owner, arith.IndexCastOp):
        return (-1, 0) if is_bool(value.owner.input) else _type_range(value.owner.input)
    if isinstance(value.owner, arith.ExtUIOp) and isinstance(value.owner.input.type, IntegerType):
        return 0, (1 << value.owner.input.type.width.data) - 1
    if is_bool(value):
        return 0, 1
    if isinstance(value.type, IntegerType):
        half = 1 << (value.type.width.data - 1)
        return -half, half - 1
    return None, None
