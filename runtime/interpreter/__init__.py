"""The reference interpreter: what a program means, without a device."""

from vyre_dialect.runtime.interpreter.checkers import (
    Race,
    RaceChecker,
    RaceError,
    UndefinedRead,
    UndefinedReadChecker,
    UndefinedReadError,
)
from vyre_dialect.runtime.interpreter.formats import UnsupportedError
from vyre_dialect.runtime.interpreter.observer import ObservedAccess, Observer, Observers
from vyre_dialect.runtime.interpreter.run import Input, Interpretation, interpret
from vyre_dialect.runtime.program.traps import TrapError

__all__ = [
    "ObservedAccess",
    "Input",
    "Interpretation",
    "Observer",
    "Observers",
    "Race",
    "RaceChecker",
    "RaceError",
    "TrapError",
    "UndefinedRead",
    "UndefinedReadChecker",
    "UndefinedReadError",
    "UnsupportedError",
    "interpret",
]
