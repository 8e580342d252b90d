"""
Intervals that move along with tiles: the elements that tile `w` holds of a buffer, and the
invocations of an arm that it runs.

An interval is `[base(w), base(w) + extent)` with a constant extent. It is found by fitting: the
slopes of the accesses give the pace from tile to tile, and isl the exact constants around it
(asked through differences, which isl answers fast, never through parametric maxima).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.quasi_affine import fraction
from vyre_dialect.analysis.symbols import Symbols


@dataclass(frozen=True)
class Pace:
    """How far something moves: `floor(per_tile * w + sum(step * parameter))`."""

    per_tile: Fraction
    per_parameter: tuple[tuple[str, Fraction], ...] = ()

    @property
    def denominator(self) -> int:
        """What all steps become integers by."""
        return lcm(self.per_tile.denominator, *(step.denominator for _, step in self.per_parameter))


@dataclass(frozen=True)
class Slope:
    """The average step of an index per invocation, and per unit of each parameter."""

    per_invocation: Fraction
    per_parameter: tuple[tuple[str, Fraction], ...]

    def elements_at(self, invocations: Pace) -> Pace:
        """The pace of the elements that invocations at some pace touch."""
        moved = _sum(self.per_parameter, invocations.per_parameter, self.per_invocation)
        return Pace(self.per_invocation * invocations.per_tile, moved)

    def invocations_at(self, elements: Pace) -> Pace:
        """The pace of the invocations that touch elements at some pace."""
        moved = _sum(elements.per_parameter, self.per_parameter, Fraction(-1))
        shrunk = tuple((name, step / self.per_invocation) for name, step in moved)
        return Pace(elements.per_tile / self.per_invocation, shrunk)


def _sum(
    steps: Iterable[tuple[str, Fraction]], others: Iterable[tuple[str, Fraction]], times: Fraction
) -> tuple[tuple[str, Fraction], ...]:
    total = dict(steps)
    for name, step in others:
        total[name] = total.get(name, Fraction(0)) + times * step
    return tuple(sorted((name, step) for name, step in total.items() if step))


@dataclass(frozen=True)
class Interval:
    """The integers `[base(w), base(w) + extent)`: elements, or invocations along x."""

    symbols: Symbols
    base: isl.PwAff
    """Over `T[w]`."""
    extent: int
    pace: Pace

    @cached_property
    def elements(self) -> isl.Map:
        """The relation from each tile to the elements."""
        return self._members(f"{{ [b] -> E[e] : b <= e < b + {self.extent} }}")

    @cached_property
    def invocations(self) -> isl.Map:
        """The relation from each tile to the invocations, whether they exist or not."""
        return self._members(f"{{ [b] -> I[i, 0, 0] : b <= i < b + {self.extent} }}")

    def _members(self, step: str) -> isl.Map:
        start = isl.Map.from_pw_aff(self.base)
        return start.apply_range(self.symbols.relation(step))


@dataclass(frozen=True, eq=False)
class Stage:
    """An arm as a part of another: which of its invocations each tile runs."""

    arm: ArmAccesses
    share: Interval
    is_producer: bool = False
    tiles: isl.Set | None = None
    """The tiles that exist; None where those that do not would run no invocation anyway."""
    is_guarded: bool = True
    """Whether invocations that do not exist must be kept from running."""
    always_runs: bool = False
    """Whether it is proven that none of the tiles runs any that does not exist."""

    @property
    def name(self) -> str:
        """The name of the arm, in quotes."""
        return f"'{self.arm.arm.generator.data}'"

    @property
    def spread(self) -> isl.Map:
        """The relation `{ T[w] -> I[i, 0, 0] }`, whether tile and invocation exist or not."""
        return self.share.invocations

    @cached_property
    def runs(self) -> isl.Map:
        """The relation `{ T[w] -> I[i, 0, 0] }`, within the arm's invocations."""
        every = self.spread.intersect_range(self.arm.invocations)
        return every if self.tiles is None else every.intersect_domain(self.tiles)

    def within(self, tiles: isl.Set) -> Stage:
        """The same, when there are just these tiles."""
        return replace(self, tiles=tiles)


class TileSpace:
    """Builds functions over `T[w]`, where `w >= 0` numbers the tiles."""

    def __init__(self, symbols: Symbols):
        self.symbols = symbols
        self.context = symbols.context
        space = isl.Space.create_from_names(symbols.context, set=["w"])
        self.space = space.set_tuple_name(isl.dim_type.set, "T")
        self._local = isl.LocalSpace.from_space(self.space)
        self._existing = isl.Set.read_from_str(symbols.context, "{ T[w] : w >= 0 }")
        self._difference = symbols.relation("{ [B[b] -> E[e]] -> [d] : d = e - b }")

    def tile(self) -> isl.PwAff:
        """The number of the tile."""
        return isl.PwAff.var_on_domain(self._local, isl.dim_type.set, 0)

    def constant(self, value: int) -> isl.PwAff:
        """The same number for every tile."""
        val = isl.Val.read_from_str(self.context, str(value))
        return isl.PwAff(isl.Aff.val_on_domain(self._local, val))

    def parameters_only(self, function: isl.PwAff) -> isl.PwAff:
        """A function of parameters alone, over tiles."""
        return function.project_domain_on_params().insert_domain(self.space)

    def at_pace(self, pace: Pace) -> isl.PwAff:
        """How far something has moved at tile `w`."""
        scale = pace.denominator
        total = self.tile() * self.constant(int(pace.per_tile * scale))
        for name, step in pace.per_parameter:
            total += self._parameter(name) * self.constant(int(step * scale))
        return total if scale == 1 else self.scaled(total, scale).floor()

    def _parameter(self, name: str) -> isl.PwAff:
        space = isl.Space.create_from_names(self.context, set=[], params=[name]).params()
        parameter = isl.Aff.var_on_domain(isl.LocalSpace.from_space(space), isl.dim_type.param, 0)
        return isl.PwAff(parameter).insert_domain(self.space)

    def scaled(self, function: isl.PwAff, divisor: int) -> isl.PwAff:
        """`function` over `divisor`, a rational function to be rounded."""
        return function.scale_down_val(isl.Val.read_from_str(self.context, str(divisor)))

    def is_never_negative(self, function: isl.PwAff) -> bool:
        """Whether a function over tiles is never negative."""
        tiles = self._existing.intersect_params(self.symbols.known_of(function))
        return tiles.is_subset(function.ge_set(self.constant(0)))

    def equal_shares(self, arm: ArmAccesses, per_tile: int) -> Stage:
        """Equal shares: tile `w` runs the invocations `[w * per_tile, (w + 1) * per_tile)`."""
        pace = Pace(Fraction(per_tile))
        return Stage(arm, self.interval(self.at_pace(pace), per_tile, pace))

    def interval(self, base: isl.PwAff, extent: int, pace: Pace) -> Interval:
        """The integers `[base(w), base(w) + extent)`."""
        return Interval(self.symbols, base, extent, pace)

    def fit(self, relation: isl.Map, pace: Pace) -> Interval | None:
        """
        The interval of constant extent around `relation`, `{ T[w] -> E[e] }` or `{ T[w] ->
        I[i, j, k] }`, that moves at `pace`; None when there is none.
        """
        moving = self.at_pace(pace)
        if (bounds := self.residues(relation, moving)) is None:
            return None
        low, high = bounds
        base = moving + self.constant(low) if low else moving
        return self.interval(base, high - low + 1, pace)

    def residues(self, relation: isl.Map, moving: isl.PwAff) -> tuple[int, int] | None:
        """
        The least and greatest `e - moving(w)` over the pairs of a relation, or None when they
        are unbounded or the relation is empty.
        """
        more = relation.dim(isl.dim_type.out) - 1
        if more:
            relation = relation.project_out(isl.dim_type.out, 1, more)
        relation = relation.set_tuple_name(isl.dim_type.out, "E")
        start = isl.Map.from_pw_aff(moving).set_tuple_name(isl.dim_type.out, "B")
        pairs = self.symbols.restricted(start.reverse().apply_range(relation))
        values = pairs.wrap().apply(self._difference).project_out_all_params()
        if values.is_empty():
            return None
        low, high = values.dim_min_val(0), values.dim_max_val(0)
        if not (low.is_int() and high.is_int()):
            return None
        return int(low.to_python()), int(high.to_python())


def slopes_of(accesses: Iterable[AccessRelation]) -> Sequence[Slope]:
    """The slopes of all pieces of the accesses, those that move along with invocations first."""
    slopes = {_slope(piece) for access in accesses for piece in access.pieces}
    return sorted(slopes, key=lambda slope: (not slope.per_invocation, repr(slope)))


def slope_of(accesses: Iterable[AccessRelation]) -> Slope | None:
    """
    The slope that the accesses have in common, or None. Clamped to an edge, an index has pieces
    that do not move, too.
    """
    slopes = slopes_of(accesses)
    moving = [slope for slope in slopes if slope.per_invocation]
    candidates = moving or slopes
    return candidates[0] if len(candidates) == 1 else None


def _slope(aff: isl.Aff) -> Slope:
    parameters = {
        aff.get_dim_name(isl.dim_type.param, position) or "": _coefficient(
            aff, isl.dim_type.param, position
        )
        for position in range(aff.dim(isl.dim_type.param))
    }
    nonzero = tuple(sorted((name, step) for name, step in parameters.items() if step))
    return Slope(_coefficient(aff, isl.dim_type.in_, 0), nonzero)


def _coefficient(aff: isl.Aff, kind: isl.dim_type, position: int) -> Fraction:
    """The rational coefficient of a dimension, with floors taken as exact quotients."""
    total = fraction(aff.get_coefficient_val(kind, position))
    for div in range(aff.dim(isl.dim_type.div)):
        if weight := fraction(aff.get_coefficient_val(isl.dim_type.div, div)):
            total += weight * _coefficient(aff.get_div(div), kind, position)
    return total
