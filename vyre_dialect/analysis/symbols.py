"""The parameters of quasi-affine functions: host values that no function says anything of."""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import SSAValue

from vyre_dialect.analysis.bounded_effort import next_question
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, MAX_COUNT
from vyre_dialect.ops.buffer import BufferOp

M = TypeVar("M", "isl.Set", "isl.Map")


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

    def has(self, value: SSAValue) -> bool:
        """Whether a parameter stands for a host value."""
        return value in self._values.values()

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


def _largest(low: int | None, high: int | None) -> int:
    if high is None:
        return MAX_COUNT if low == 0 else INDEX_LIMIT
    return INDEX_LIMIT if low is None else max(abs(low), abs(high))
