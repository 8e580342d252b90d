"""Whether a run tunes its program first, and for how long: what the environment says."""

from __future__ import annotations

import os
from enum import Enum
from math import isfinite

from vyre_dialect.runtime.errors import UsageError

VARIABLE = "VYRE_AUTOTUNER"
SECONDS_VARIABLE = "VYRE_AUTOTUNER_SECONDS"
DEFAULT_SECONDS = 10.0
"""After which a run that tunes begins with no other candidate, unless told otherwise."""


class Mode(Enum):
    """What is done for a program before it runs."""

    ON = "on"
    """Tune it, unless that was done before."""
    HOT = "hot"
    """Tune it if the hot-path table says that it is hot, unless that was done before."""
    CACHED = "cached"
    """Take what was decided before, if anything was."""
    OFF = "off"
    """Take the default."""

    @classmethod
    def from_environment(cls) -> Mode:
        """
        As `VYRE_AUTOTUNER` says: `on`, `hot` or `off`; what was decided before where it is not set.
        Raises a UsageError for anything else.
        """
        given = os.environ.get(VARIABLE) or cls.CACHED.value
        if given not in (mode.value for mode in cls):
            known = ", ".join(f"'{mode.value}'" for mode in cls)
            raise UsageError(f"{VARIABLE} expected one of {known}, got '{given}'")
        return cls(given)


def seconds_to_tune() -> float:
    """
    For how long a run may tune, as `VYRE_AUTOTUNER_SECONDS` says. Raises a UsageError for what is
    no positive number.
    """
    given = os.environ.get(SECONDS_VARIABLE) or DEFAULT_SECONDS
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise UsageError(f"{SECONDS_VARIABLE} expected a positive number of seconds, got '{given}'")
    return seconds


def check_environment() -> None:
    """Raise a UsageError where the environment says what makes no sense."""
    Mode.from_environment()
    seconds_to_tune()
