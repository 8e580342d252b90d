"""The space of what one arm or kernel does: its invocations, and the iterations of its loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.isl import isl
from vyre_dialect.ir.interfaces import HasInvocationsInterface, ops_around
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.program import RegionOp

ID_AXES = 3
"""Dimensions of a space that stand for invocation ids; loop counters follow."""


class IterationSpace:
    """
    `I[i0, i1, i2, k0, …]`: invocation ids along three axes, then the counter of each `scf.for` of
    the arm in textual order; and the functions over it that anything is made of.
    """

    def __init__(self, arm: HasInvocationsInterface, context: isl.Context):
        self._context = context
        loops = [op for op in ops_inside(arm.body) if isinstance(op, scf.ForOp)]
        self.places = {op: place for place, op in enumerate(loops, ID_AXES)}
        """The dimension of the counter of each loop."""
        names = ["i0", "i1", "i2", *(f"k{n}" for n in range(len(loops)))]
        space = isl.Space.create_from_names(context, set=names)
        self._space = space.set_tuple_name(isl.dim_type.set, "I")
        self._local = isl.LocalSpace.from_space(self._space)
        self.ids = self._possible_ids(len(counts_of(arm)))
        """Ids are not negative; how many there are is left open."""

    @property
    def dimensions(self) -> int:
        """How many there are."""
        return ID_AXES + len(self.places)

    @property
    def universe(self) -> isl.Set:
        """Everything."""
        return isl.Set.universe(self._space)

    def constant(self, value: int) -> isl.PwAff:
        """A constant function."""
        val = isl.Val.read_from_str(self._context, str(value))
        return isl.PwAff(isl.Aff.val_on_domain(self._local, val))

    def dimension(self, position: int) -> isl.PwAff:
        """One of the space's dimensions, as a function."""
        return isl.PwAff.var_on_domain(self._local, isl.dim_type.set, position)

    def parameter(self, name: str) -> isl.PwAff:
        """A parameter, as a function."""
        space = isl.Space.create_from_names(self._context, set=[], params=[name])
        aff = isl.Aff.var_on_domain(
            isl.LocalSpace.from_space(space.params()), isl.dim_type.param, 0
        )
        return self.everywhere(isl.PwAff(aff))

    def everywhere(self, function: isl.PwAff) -> isl.PwAff:
        """A function of parameters alone, over the space."""
        return function.insert_domain(self._space)

    def substituted(self, function: isl.PwAff, position: int, by: isl.PwAff) -> isl.PwAff:
        """A function with another in the place of one of the space's dimensions."""
        points = self._space.identity_multi_pw_aff_on_domain()
        return function.pullback_multi_pw_aff(points.set_at(position, by))

    def counters_inside(self, op: Operation) -> range:
        """The dimensions of the counters of the loops inside `op`."""
        inside = [self.places[each] for each in ops_inside(op) if isinstance(each, scf.ForOp)]
        return range(min(inside), max(inside) + 1) if inside else range(0)

    def counters_around(self, op: Operation) -> Iterator[int]:
        """The dimensions of the counters of the loops that `op` is in."""
        loops = (each for each in ops_around(op) if isinstance(each, scf.ForOp))
        return (self.places[each] for each in loops)

    def _possible_ids(self, axes: int) -> isl.Set:
        possible = self.universe
        for axis in range(ID_AXES):
            possible = possible.intersect(self.dimension(axis).ge_set(self.constant(0)))
        for axis in range(axes, ID_AXES):
            possible = possible.intersect(self.dimension(axis).eq_set(self.constant(0)))
        return possible

    def ids_as_invocations(self) -> isl.Set:
        """`ids` without the loop counters."""
        counters = len(self.places)
        ids = self.ids.project_out(isl.dim_type.set, ID_AXES, counters)
        return ids.set_tuple_name("I")


def counts_of(arm: HasInvocationsInterface) -> Sequence[SSAValue | int | None]:
    """The invocations along each axis; None for what only a launch says."""
    return arm.domain if isinstance(arm, RegionOp) else [None] * ID_AXES
