"""What most generators give: a program, and what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from support.generated.drawing import ShownAsText


@dataclass(frozen=True)
class BoundProgram(ShownAsText):
    """A program and its inputs; shows itself as text."""

    module: ModuleOp
    inputs: Mapping[str, npt.NDArray[Any]]

    def __repr__(self) -> str:
        given = "\n".join(f"// {name} = {array.tolist()}" for name, array in self.inputs.items())
        return f"\n{given}\n{self.module}\n"
