"""The workgroup size of a program as something to choose."""

from __future__ import annotations

from abc import ABC
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Region

from vyre_dialect.ir.cooperation import is_data_parallel
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.tuning import Choice, HasParametersInterface, Parameter
from vyre_dialect.ir.types import sizes_attr, three_axes

WORKGROUP_SIZE = "workgroup_size"
WORKGROUP_SIZES = (1, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Of arms over one axis; along the first of several."""
FURTHER_SIZES = (1, 2, 4, 8, 16, 32)
"""Along each other axis."""


def size_of(choice: Choice) -> tuple[int, int, int]:
    """The workgroup size that a choice stands for: a number, or as many as `16x8` has."""
    x, y, z = (*map(int, str(choice).split("x")), 1, 1, 1)[:3]
    return x, y, z


def choice_of(size: tuple[int, int, int]) -> Choice:
    """What stands for a workgroup size among choices: a number where it has one axis."""
    x, y, z = size
    if (y, z) == (1, 1):
        return x
    return f"{x}x{y}" if z == 1 else f"{x}x{y}x{z}"


def sizes_over(axes: int) -> list[tuple[int, int, int]]:
    """The workgroup sizes to choose from for arms over so many axes, of up to 1024 invocations."""
    sizes = product(WORKGROUP_SIZES, *[FURTHER_SIZES] * (axes - 1))
    return [three_axes(size) for size in sizes if prod(size) <= max(WORKGROUP_SIZES)]


class ChoosesWorkgroupSizeInterface(HasParametersInterface, ABC):
    """
    An op with a workgroup size for the arms in it that state none, if no such arm gives another
    result for another size. It has as many axes as the arm over the most of them.
    """

    if TYPE_CHECKING:  # where an annotation is no field that xDSL would ask a definition of
        body: Region

        @property
        def default_workgroup_size(self) -> tuple[int, int, int]: ...

    def get_parameters(self) -> tuple[Parameter, ...]:
        """The size along each axis."""
        arms = self._arms_without_size()
        if not all(is_data_parallel(arm.body) for arm in arms):
            return ()
        held = self.default_workgroup_size
        axes = max((arm.axes for arm in arms), default=1)
        sizes = sorted({*sizes_over(axes), held}, key=lambda size: (prod(size), size))
        return (Parameter(WORKGROUP_SIZE, tuple(map(choice_of, sizes)), choice_of(held)),)

    def chosen(self, name: str) -> Choice | None:
        held = self.default_workgroup_size
        return choice_of(held) if WORKGROUP_SIZE in self.properties else None

    def choose(self, name: str, value: Choice) -> None:
        legal = {each.name: each.values for each in self.get_parameters()}.get(name, ())
        if isinstance(value, bool) or value not in legal:
            raise ValueError(f"'{self.name}' expected a workgroup size, got {name}={value}")
        x, y, z = size_of(value)
        sizes = (x,) if (y, z) == (1, 1) else (x, y) if z == 1 else (x, y, z)
        self.properties[WORKGROUP_SIZE] = sizes_attr(sizes)

    def _arms_without_size(self) -> list[HasInvocationsInterface]:
        return [
            op
            for op in self.body.block.ops
            if isinstance(op, HasInvocationsInterface)
            and not isinstance(op.properties.get(WORKGROUP_SIZE), DenseArrayBase)
        ]
