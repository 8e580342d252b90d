"""
The integers of a program as quasi-affine functions, where they are: isl piecewise functions of
invocation ids, loop counters and host values.

Integers of a fixed width are tracked by their signed value and wrap exactly as the device's do.
Host values that are not affine (bytes that the host loads, say) become parameters: whatever
they are, they are the same for all invocations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.bounded_effort import next_question
from vyre_dialect.analysis.quasi_affine import Magnitudes, constant_of, is_bool, modulo
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, MAX_COUNT
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.meaning import Facet
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import measured_buffer
from vyre_dialect.ops.program import ProgramOp, RegionOp

ID_AXES = 3
"""Dimensions of a space that stand for invocation ids; loop counters follow."""


Function: TypeAlias = "Callable[[AffineValues, Any], isl.PwAff | None]"
"""What an op computes, as a function of ids, loop counters and parameters; None if it is none."""
Condition: TypeAlias = "Callable[[AffineValues, Any], isl.Set | None]"
"""Where the i1 that an op computes is set; None if that is no set of invocations."""

AFFINE = Facet[Function]("affine", "vyre_dialect.analysis.by_definition:affine")
"""The functions of ops that compute integers."""
CONDITION = Facet[Condition]("condition", "vyre_dialect.analysis.by_definition:condition")
"""The conditions of ops that compute an i1."""

M = TypeVar("M", isl.Set, isl.Map)


class Symbols:
    """
    The parameters of a program: one for each host value that is not affine in others.

    All arms of a program share them, so that their relations can be compared.
    """

    def __init__(self, context: isl.Context):
        self.context = context
        self._names: dict[object, str] = {}
        self._keys: dict[str, object] = {}
        self._values: dict[str, SSAValue] = {}
        self._largest: dict[str, int] = {}
        self._bounds: dict[str, isl.Set] = {}
        self._definitions: dict[str, isl.Set] = {}
        """What a parameter is in others, where it stands for more than it shows."""
        self._ranges: dict[frozenset[str], isl.Set] = {}
        self._relations: dict[str, isl.Map] = {}
        self.host: dict[SSAValue, isl.PwAff | None] = {}
        """What has been found of host values, as functions of parameters alone."""

    def name(self, key: object, value: SSAValue, low: int | None, high: int | None) -> str:
        """
        The parameter that stands for `value`, which lies in [low, high]. What has no upper bound
        but is not negative is taken for the length of a buffer.
        """
        if key in self._names:
            return self._names[key]
        name = f"p{len(self._names)}"
        self._names[key] = name
        self._keys[name] = key
        self._values[name] = value
        self._largest[name] = _largest(low, high)
        bounds = [f"{name} >= {low}"] if low is not None else []
        bounds += [f"{name} <= {high}"] if high is not None else []
        if bounds:
            text = f"[{name}] -> {{ : {' and '.join(bounds)} }}"
            self._bounds[name] = isl.Set.read_from_str(self.context, text)
        return name

    def define(self, name: str, definition: isl.Set) -> None:
        """Say what the parameter `name` is in others; `definition` relates them."""
        self._definitions[name] = definition

    def is_defined(self, name: str) -> bool:
        """Whether the parameter `name` follows from others."""
        return name in self._definitions

    def value(self, name: str) -> SSAValue:
        """The host value that the parameter `name` stands for."""
        return self._values[name]

    def largest(self, name: str) -> int:
        """A bound on the absolute value of the parameter `name`."""
        return self._largest[name]

    def label(self, name: str) -> str:
        """How people know the parameter `name`: a buffer's length, or the name of a value."""
        if isinstance(buffer := self._keys[name], BufferOp):
            return f"length of '@{buffer.sym_name.data}'"
        return self._values[name].name_hint or name

    def relation(self, text: str) -> isl.Map:
        """The relation that `text` spells, which isl takes long to read, and so reads once."""
        if text not in self._relations:
            self._relations[text] = isl.Map.read_from_str(self.context, text)
        return self._relations[text]

    def restricted(self, relation: M) -> M:
        """What is left of a set or map when its parameters are what they can be."""
        next_question(self.context)
        return relation.intersect_params(self.known_of(relation))

    def is_within(self, part: isl.Set, whole: isl.Set) -> bool:
        """Whether `part` lies inside `whole` when the parameters are what they can be."""
        next_question(self.context)
        return part.intersect_params(self.known_of(part, whole)).is_subset(whole)

    def known_of(self, *functions: isl.PwAff | isl.Set | isl.Map) -> isl.Set:
        """
        What is known of the parameters that occur in `functions`, and in terms of no others, as a
        parameter set.
        """
        names = frozenset(name for each in functions for name in _parameters_of(each))
        if names not in self._ranges:
            known = self._all_known(names)
            for name in sorted(_parameters_of(known) - names):
                place = known.find_dim_by_name(isl.dim_type.param, name)
                known = known.project_out(isl.dim_type.param, place, 1)
            self._ranges[names] = known.coalesce()
        return self._ranges[names]

    def explained(self, relation: M) -> M:
        """`relation` with the parameters, too, by which its own are defined."""
        return relation.intersect_params(self._all_known(_parameters_of(relation)))

    def _all_known(self, names: frozenset[str]) -> isl.Set:
        """What is known of the parameters `names`, and of those by which they are defined."""
        known = isl.Set.read_from_str(self.context, "{ : }")
        for name in sorted(names):
            if (definition := self._definitions.get(name)) is not None:
                known = known.intersect(definition)
        for name in sorted(names | _parameters_of(known)):
            if (bounds := self._bounds.get(name)) is not None:
                known = known.intersect(bounds)
        return known


def _parameters_of(function: isl.PwAff | isl.Set | isl.Map) -> frozenset[str]:
    space = function.get_space()
    names = (
        space.get_dim_name(isl.dim_type.param, place)
        for place in range(space.dim(isl.dim_type.param))
    )
    return frozenset(name for name in names if name is not None)


class AffineValues:
    """
    Evaluates SSA values of one arm or kernel symbolically; None stands for "not quasi-affine". Of a
    kernel, which may be launched with any number of workgroups, no id is bounded.

    The space is `I[i0, i1, i2, k0, …]`: invocation ids along three axes, then the counter of
    each `scf.for` of the arm in textual order.
    """

    def __init__(self, arm: HasInvocationsInterface, symbols: Symbols):
        self.arm = arm
        self.symbols = symbols
        self._values: dict[SSAValue, isl.PwAff | None] = {}
        self._conditions: dict[SSAValue, isl.Set | None] = {}
        loops = [op for op in ops_inside(arm.body) if isinstance(op, scf.ForOp)]
        self._loops = {op: place for place, op in enumerate(loops, ID_AXES)}
        dimensions = [MAX_COUNT] * (ID_AXES + len(self._loops))
        self._magnitudes = Magnitudes(dimensions, symbols.largest)
        names = ["i0", "i1", "i2", *(f"k{n}" for n in range(len(self._loops)))]
        space = isl.Space.create_from_names(symbols.context, set=names)
        self.space = space.set_tuple_name(isl.dim_type.set, "I")
        self._local = isl.LocalSpace.from_space(self.space)
        self.relies_on_bounds = False
        """Whether something was decided of existing invocations that may not hold for others."""
        self.ids = self._possible_ids()
        """Ids are not negative; how many there are is left open."""
        self.domain = isl.Set.universe(self.space)
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
        return self._everywhere(isl.PwAff(aff))

    def length(self, buffer: BufferOp) -> isl.PwAff:
        """The element count of a buffer."""
        count = buffer.type.static_count
        if count is not None:
            return self.constant(count)
        if buffer.size is None:
            return self.parameter(self.symbols.name(buffer, buffer.buffer, 0, None))
        size = self.of(buffer.size)
        assert size is not None
        return size if _is_plain(size) else self._named_length(buffer, buffer.size, size)

    def _named_length(self, buffer: BufferOp, value: SSAValue, size: isl.PwAff) -> isl.PwAff:
        """
        A parameter for a computed length: what is computed from it in turn stays as simple as
        it was here, however long the chain.
        """
        return self.parameter(self._named(buffer, value, 0, size))

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
        parameter = self.parameter(name)
        if not self.symbols.is_defined(name) and not function.plain_is_equal(parameter):
            self.symbols.define(name, parameter.eq_set(function).params())
        return name

    def counters_inside(self, op: Operation) -> range:
        """The dimensions of the counters of the loops inside `op`."""
        inside = [self._loops[each] for each in ops_inside(op) if isinstance(each, scf.ForOp)]
        return range(min(inside), max(inside) + 1) if inside else range(0)

    def iterations(self, loop: scf.ForOp) -> isl.Set | None:
        """The counter values that `loop` takes, or None when its bounds are not affine."""
        bounds = self.of(loop.lb), self.of(loop.ub), constant_of(self.of(loop.step))
        lower, upper, step = bounds
        if lower is None or upper is None or step is None or step <= 0:
            return None
        counter = self.dimension(self._loops[loop])
        inside = counter.ge_set(lower).intersect(counter.lt_set(upper))
        if step == 1:
            return inside
        offset = counter - lower
        return inside.intersect(modulo(offset, step).eq_set(self.constant(0)))

    def _possible_ids(self) -> isl.Set:
        possible = isl.Set.universe(self.space)
        for axis in range(ID_AXES):
            possible = possible.intersect(self.dimension(axis).ge_set(self.constant(0)))
        for axis in range(len(_counts(self.arm)), ID_AXES):
            possible = possible.intersect(self.dimension(axis).eq_set(self.constant(0)))
        return possible

    def ids_as_invocations(self) -> isl.Set:
        """`ids` without the loop counters."""
        counters = len(self._loops)
        ids = self.ids.project_out(isl.dim_type.set, ID_AXES, counters)
        return ids.set_tuple_name("I")

    def _invocations(self) -> isl.Set:
        inside = self.ids
        for axis, count in enumerate(_counts(self.arm)):
            if count is None:
                continue
            limit = self.constant(count) if isinstance(count, int) else self.of(count)
            assert limit is not None
            own = self.dimension(axis)
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
            self._values[value] = None if function is None else self._everywhere(function)
        return value in self._values or not isinstance(value.type, IndexType | IntegerType)

    def _keep(self, value: SSAValue) -> None:
        """Evaluate `value`; what is known of a host value, all arms know."""
        next_question(self.symbols.context)
        function = self._values[value] = self._evaluate(value)
        if isinstance(value.owner, Operation) and _is_of_host(value.owner):
            alone = None if function is None else function.project_domain_on_params()
            self.symbols.host[value] = alone

    def _everywhere(self, function: isl.PwAff) -> isl.PwAff:
        """A function of parameters alone, over the space."""
        return function.insert_domain(self.space)

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
        if isinstance(loop, scf.ForOp) and value.index == 0 and loop in self._loops:
            self._magnitudes.dimensions[self._loops[loop]] = self._largest_counter(loop)
            return self.dimension(self._loops[loop])
        if isinstance(loop, HasInvocationsInterface) and isinstance(value.type, IndexType):
            low = None if measured_buffer(value) is None else 0
            return self.parameter(self.symbols.name(value, value, low, None))
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
        return self.parameter(self.symbols.name(value, value, low, high))

    def _wrapped(self, result: isl.PwAff, value: SSAValue) -> isl.PwAff | None:
        """`result` in the signed range of a fixed-width type; None where it may leave 64 bits."""
        if not isinstance(value.type, IntegerType):
            return result if self._magnitudes.of(result) < INDEX_LIMIT else None
        half = 1 << (value.type.width.data - 1)
        if self.within(result, -half, half - 1):
            return result
        return modulo(result + self.constant(half), 2 * half) - self.constant(half)

    def within(self, function: isl.PwAff, low: int | None, high: int | None) -> bool:
        """Whether `function` provably stays in [low, high] over the arm's invocations."""
        if (value := constant_of(function)) is not None:
            return (low is None or low <= value) and (high is None or value <= high)
        if self._within(self.ids, function, low, high):
            return True
        within = self._within(self.domain, function, low, high)
        self.relies_on_bounds |= within
        return within

    def _within(
        self, domain: isl.Set, function: isl.PwAff, low: int | None, high: int | None
    ) -> bool:
        domain = domain.intersect_params(self.symbols.known_of(domain, function))
        if low is not None and not domain.is_subset(function.ge_set(self.constant(low))):
            return False
        return high is None or domain.is_subset(function.le_set(self.constant(high)))

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
        return None if parameter is None else parameter.eq_set(self.constant(1))


def _counts(arm: HasInvocationsInterface) -> Sequence[SSAValue | int | None]:
    """The invocations along each axis; None for what only a launch says."""
    return arm.domain if isinstance(arm, RegionOp) else [None] * ID_AXES


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


def _largest(low: int | None, high: int | None) -> int:
    if high is None:
        return MAX_COUNT if low == 0 else INDEX_LIMIT
    return INDEX_LIMIT if low is None else max(abs(low), abs(high))


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
