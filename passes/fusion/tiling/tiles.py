"""
Tiles: which window of a buffer, and which invocations of an arm, belong to tile `w`.

A window is `[base(w), base(w) + extent)` with a constant extent. It is found by fitting: the
slope of the accesses gives the step from tile to tile, and isl the exact constants around it
(asked through differences, which isl answers fast, never through parametric maxima).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import islpy as isl

from vyre_dialect.passes.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.passes.analysis.affine_values import Symbols


@dataclass(frozen=True)
class Slope:
    """The average step of an index per invocation, and per unit of each parameter."""

    per_invocation: Fraction
    per_parameter: tuple[tuple[str, Fraction], ...]

    @property
    def denominator(self) -> int:
        """What all steps become integers by."""
        return lcm(
            self.per_invocation.denominator, *(step.denominator for _, step in self.per_parameter)
        )


@dataclass(frozen=True)
class Window:
    """The elements `[base(w), base(w) + extent)` that tile `w` holds."""

    base: isl.PwAff
    """Over `T[w]`."""
    extent: int

    @property
    def elements(self) -> isl.Map:
        """The relation from each tile to the elements of its window."""
        start = isl.Map.from_pw_aff(self.base)
        step = f"{{ [b] -> E[e] : b <= e < b + {self.extent} }}"
        return start.apply_range(isl.Map.read_from_str(self.base.get_ctx(), step))


@dataclass(frozen=True, eq=False)
class Share:
    """The invocations `[first(w), first(w) + count)` of an arm that tile `w` runs."""

    arm: ArmAccesses
    first: isl.PwAff
    """Over `T[w]`."""
    count: int
    tiles: isl.Set | None = None
    """The tiles that exist; None where those that do not would run no invocation anyway."""

    @cached_property
    def spread(self) -> isl.Map:
        """The relation `{ T[w] -> I[i, 0, 0] }`, whether tile and invocation exist or not."""
        start = isl.Map.from_pw_aff(self.first)
        step = f"{{ [b] -> I[i, 0, 0] : b <= i < b + {self.count} }}"
        return start.apply_range(isl.Map.read_from_str(self.first.get_ctx(), step))

    @cached_property
    def runs(self) -> isl.Map:
        """The relation `{ T[w] -> I[i, 0, 0] }`, within the arm's invocations."""
        every = self.spread.intersect_range(self.arm.invocations)
        return every if self.tiles is None else every.intersect_domain(self.tiles)

    def reached(self, accesses: Iterable[AccessRelation]) -> isl.Map:
        """What tiles reach by `accesses` of the arm, `{ T[w] -> E[e] }`."""
        return self.spread.apply_range(self.arm.reach(accesses))


class TileSpace:
    """Builds functions over `T[w]`, where `w >= 0` numbers the tiles."""

    def __init__(self, symbols: Symbols):
        self.symbols = symbols
        self.context = symbols.context
        space = isl.Space.create_from_names(symbols.context, set=["w"])
        self.space = space.set_tuple_name(isl.dim_type.set, "T")
        self._local = isl.LocalSpace.from_space(self.space)

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

    def parameter_sum(self, steps: Iterable[tuple[str, int]]) -> isl.PwAff:
        """The sum of parameters times integers."""
        total = self.constant(0)
        for name, step in steps:
            space = isl.Space.create_from_names(self.context, set=[], params=[name]).params()
            parameter = isl.Aff.var_on_domain(
                isl.LocalSpace.from_space(space), isl.dim_type.param, 0
            )
            total += isl.PwAff(parameter).insert_domain(self.space) * self.constant(step)
        return total

    def scaled(self, function: isl.PwAff, divisor: int) -> isl.PwAff:
        """`function` over `divisor`, a rational function to be rounded."""
        return function.scale_down_val(isl.Val.read_from_str(self.context, str(divisor)))

    def is_never_negative(self, function: isl.PwAff) -> bool:
        """Whether a function over tiles is never negative."""
        tiles = isl.Set.read_from_str(self.context, "{ T[w] : w >= 0 }")
        tiles = tiles.intersect_params(self.symbols.ranges())
        return tiles.is_subset(function.ge_set(self.constant(0)))

    def share(self, arm: ArmAccesses, per_tile: int) -> Share:
        """Equal shares: tile `w` runs the invocations `[w * per_tile, (w + 1) * per_tile)`."""
        return Share(arm, self.tile() * self.constant(per_tile), per_tile)


def slope_of(accesses: Iterable[AccessRelation]) -> Slope | None:
    """The slope that all the accesses have in common, or None."""
    slopes = {_slope(piece) for access in accesses for piece in access.pieces}
    return slopes.pop() if len(slopes) == 1 else None


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
    total = _fraction(aff.get_coefficient_val(kind, position))
    for div in range(aff.dim(isl.dim_type.div)):
        weight = _fraction(aff.get_coefficient_val(isl.dim_type.div, div))
        if weight:
            total += weight * _coefficient(aff.get_div(div), kind, position)
    return total


def _fraction(value: isl.Val) -> Fraction:
    return Fraction(int(value.get_num_si()), int(value.get_den_val().to_python()))


def fit_window(
    tiles: TileSpace, footprint: isl.Map, step: Fraction, per_parameter: Iterable[tuple[str, int]]
) -> Window | None:
    """
    The window of constant extent around `footprint` (`{ T[w] -> E[e] }`) whose base moves by
    `step` elements per tile; None when there is none, or `step` is no integer.
    """
    if step.denominator != 1:
        return None
    moving = tiles.tile() * tiles.constant(int(step)) + tiles.parameter_sum(per_parameter)
    residue = residues(tiles, footprint, moving, 1)
    if residue is None:
        return None
    low, high = residue
    return Window(moving + tiles.constant(low), high - low + 1)


def residues(
    tiles: TileSpace, relation: isl.Map, moving: isl.PwAff, scale: int
) -> tuple[int, int] | None:
    """
    The least and greatest `scale * e - moving(x)` over the pairs `(x, e)` of a relation, or
    None when they are unbounded or the relation is empty.
    """
    start = isl.Map.from_pw_aff(moving).set_tuple_name(isl.dim_type.out, "B")
    pairs = relation.range_product(start).range().unwrap()
    difference = isl.Map.read_from_str(
        tiles.context, f"{{ [E[e] -> B[b]] -> [d] : d = {scale} * e - b }}"
    )
    values = pairs.wrap().intersect_params(tiles.symbols.ranges()).apply(difference)
    values = values.project_out_all_params()
    if values.is_empty():
        return None
    low, high = values.dim_min_val(0), values.dim_max_val(0)
    if not (low.is_int() and high.is_int()):
        return None
    return int(low.to_python()), int(high.to_python())


def needed_share(
    tiles: TileSpace, producer: ArmAccesses, writes: list[AccessRelation], window: Window
) -> Share | None:
    """
    The contiguous invocations of `producer` that reach into `window` through `writes`; None
    when their number is not bounded by a constant.
    """
    slope = slope_of(writes)
    if slope is None or not slope.per_invocation:
        return None
    scale = slope.denominator
    per_invocation = int(slope.per_invocation * scale)
    parameters = [(name, int(step * scale)) for name, step in slope.per_parameter]
    bounds = _residues_of_writes(tiles, producer.reach(writes), per_invocation, parameters, scale)
    if bounds is None:
        return None
    shift = tiles.parameter_sum(parameters)
    low = (window.base * tiles.constant(scale)) - shift - tiles.constant(bounds[1])
    end = window.base + tiles.constant(window.extent - 1)
    high = (end * tiles.constant(scale)) - shift - tiles.constant(bounds[0])
    if per_invocation < 0:
        low, high, per_invocation = high.neg(), low.neg(), -per_invocation
    first = tiles.scaled(low, per_invocation).ceil()
    last = tiles.scaled(high, per_invocation).floor()
    most = (last - first).max_val()
    if not most.is_int():
        return None
    return Share(producer, first.coalesce(), int(most.to_python()) + 1)


def _residues_of_writes(
    tiles: TileSpace,
    reach: isl.Map,
    per_invocation: int,
    parameters: list[tuple[str, int]],
    scale: int,
) -> tuple[int, int] | None:
    space = reach.get_space().domain()
    local = isl.LocalSpace.from_space(space)
    invocation = isl.PwAff.var_on_domain(local, isl.dim_type.set, 0)
    factor = isl.Val.read_from_str(tiles.context, str(per_invocation))
    moving = invocation.scale_val(factor)
    for name, step in parameters:
        shift = tiles.parameter_sum([(name, step)]).project_domain_on_params()
        moving += shift.insert_domain(moving.get_domain_space())
    return residues(tiles, reach, moving, scale)
