"""The workgroup size of a program as something to choose."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Region

from vyre_dialect.cooperation import is_data_parallel
from vyre_dialect.interfaces import HasInvocationsInterface
from vyre_dialect.tuning import Choice, HasParametersInterface, Parameter
from vyre_dialect.types import sizes_attr

WORKGROUP_SIZE = "workgroup_size"
WORKGROUP_SIZES = (1, 8, 16, 32, 64, 128, 256, 512, 1024)


class ChoosesWorkgroupSizeInterface(HasParametersInterface, ABC):
    """
    An op with a workgroup size for the arms in it that state none, if those along y and z are 1
    and no such arm gives another result for another size.
    """

    if TYPE_CHECKING:  # where an annotation is no field that xDSL would ask a definition of
        body: Region

        @property
        def default_workgroup_size(self) -> tuple[int, int, int]: ...

    def get_parameters(self) -> tuple[Parameter, ...]:
        """The size along x."""
        x, y, z = self.default_workgroup_size
        if (y, z) != (1, 1) or not self._may_choose():
            return ()
        return (Parameter(WORKGROUP_SIZE, tuple(sorted({*WORKGROUP_SIZES, x})), x),)

    def chosen(self, name: str) -> Choice | None:
        return self.default_workgroup_size[0] if WORKGROUP_SIZE in self.properties else None

    def choose(self, name: str, value: Choice) -> None:
        legal = {each.name: each.values for each in self.get_parameters()}.get(name, ())
        if type(value) is not int or value not in legal:
            raise ValueError(f"'{self.name}' expected a workgroup size, got {name}={value}")
        self.properties[WORKGROUP_SIZE] = sizes_attr([value])

    def _may_choose(self) -> bool:
        arms = [op for op in self.body.block.ops if isinstance(op, HasInvocationsInterface)]
        return all(
            isinstance(arm.properties.get(WORKGROUP_SIZE), DenseArrayBase)
            or is_data_parallel(arm.body)
            for arm in arms
        )
