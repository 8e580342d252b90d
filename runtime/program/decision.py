"""What a program is compiled by because it was measured to be fastest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vyre_dialect.ir.tuning import Choice

MOST_KEPT = 2**63 - 1
"""Of what was measured and is kept: clocks and counters of drivers have 64 bits."""
_EARLIEST, _LATEST = 1971, 9998
"""Years of dates that have a place in time in any zone."""


@dataclass(frozen=True)
class Decision:
    """The fastest of the choices that a tuner has measured."""

    program: str
    """The name of the program, for people."""
    choices: Mapping[str, Choice]
    """By axis; where nothing beat the default, that."""
    default: Mapping[str, Choice]
    """What it was measured against."""
    ns: float
    """Time on the device."""
    default_ns: float
    noise: float
    """By which share two measurements of the default differed."""
    evaluations: int
    when: datetime

    def as_toml(self) -> dict[str, object]:
        """The decision as the file has it."""
        return {
            "program": self.program,
            "when": self.when,
            "ns": self.ns,
            "default_ns": self.default_ns,
            "noise": self.noise,
            "evaluations": self.evaluations,
            "choices": dict(self.choices),
            "default": dict(self.default),
        }

    @classmethod
    def from_toml(cls, value: Mapping[str, Any]) -> Decision:
        """The decision that a table stands for. Raises ValueError, KeyError and TypeError."""
        when, evaluations = value["when"], value["evaluations"]
        if not isinstance(when, datetime) or not _EARLIEST <= when.year <= _LATEST:
            raise ValueError(f"expected a date as 'when', got '{when}'")
        if type(evaluations) is not int or evaluations < 1:
            raise ValueError(f"expected a count as 'evaluations', got {evaluations!r}")
        return cls(
            str(value["program"]),
            _choices(value, "choices"),
            _choices(value, "default"),
            _number(value, "ns", positive=True),
            _number(value, "default_ns", positive=True),
            _number(value, "noise", positive=False),
            evaluations,
            when,
        )


def _choices(value: Mapping[str, Any], name: str) -> dict[str, Choice]:
    choices = value[name]
    if not isinstance(choices, dict):
        raise ValueError(f"expected a table as '{name}'")
    found = dict[str, Choice]()
    for axis, choice in choices.items():  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(axis, str) or not isinstance(choice, int | str):
            raise ValueError(f"expected choices as '{name}', got {choice!r}")
        found[axis] = choice
    return found


def _number(value: Mapping[str, Any], name: str, *, positive: bool) -> float:
    number = value[name]
    if (
        isinstance(number, bool)
        or not isinstance(number, int | float)
        or not abs(number) <= MOST_KEPT
    ):
        raise ValueError(f"expected a number as '{name}', got {number!r}")
    if number < 0 or (positive and not number):
        raise ValueError(f"expected a {'positive' if positive else 'non-negative'} '{name}'")
    return float(number)
