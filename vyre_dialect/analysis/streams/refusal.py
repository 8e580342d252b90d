"""Why a program cannot be cut: a value, which names the op."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import arm_of


@dataclass(frozen=True)
class Refusal:
    """The op that forbids to cut a program, and why."""

    op: Operation
    reason: str
    """What it does, as the end of a sentence that begins with the op."""
    example: str = ""
    """Two places at which a piece would come to something else, where some are known."""

    def __str__(self) -> str:
        example = f": {self.example}" if self.example else ""
        return f"'{self.op.name}'{self._arm} {self.reason}{example}{self._line}"

    @property
    def _arm(self) -> str:
        arm = arm_of(self.op)
        return "" if arm is None else f" of '{arm.generator.data}'"

    @property
    def _line(self) -> str:
        location = self.op.location
        if not isinstance(location, FileLineColLoc):
            return ""
        return f" ({location.filename.data}:{location.line.data})"


@dataclass(frozen=True)
class LargerUnits:
    """Units must be so many times as large: an op divides a number of units by what they miss."""

    factor: int
    op: Operation
