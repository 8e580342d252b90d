"""
What a pass or an op leaves to choose, so that a tuner enumerates it and knows no example.

A pass declares its options in `PassMetadata.parameters`; an op has the `HasParametersInterface`.
No choice changes what a program computes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Operation

Choice: TypeAlias = int | str | bool


DATA_PARALLEL = "data_parallel"
"""
The parameter by which an op lets its arm be one of invocations that know nothing of each other, and
leaves it to passes what a workgroup does together: `vyre-expand{data_parallel=true}` sets it.
"""


@dataclass(frozen=True)
class Parameter:
    """Something to choose: the name of an option of a pass, or of a property of an op."""

    name: str
    values: tuple[Choice, ...]
    """The legal values, in an order in which neighbours are alike."""
    default: Choice

    def __post_init__(self):
        if self.default not in self.values:
            raise ValueError(
                f"parameter '{self.name}' expected a default among {self.values}, "
                f"got {self.default!r}"
            )


class HasParametersInterface(Operation, ABC):
    """An op whose expansion has parameters that nobody but its kernels can tell apart."""

    @abstractmethod
    def get_parameters(self) -> Sequence[Parameter]:
        """What can be chosen of this op, with the values that are legal for it as it stands."""
        raise NotImplementedError

    @abstractmethod
    def choose(self, name: str, value: Choice) -> None:
        """Set a parameter. Raises ValueError for a name or a value that is not legal."""
        raise NotImplementedError
