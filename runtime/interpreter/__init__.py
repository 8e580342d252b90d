"""The reference interpreter: what a program means, without a device."""

from vyre_dialect.runtime.interpreter.checkers import (
    Race,
    RaceChecker,
    RaceError,
    UndefinedRead,
    UndefinedReadChecker,
    UndefinedReadError,
)
from vyre_dialect.runtime.interpreter.elements import Elements
from vyre_dialect.runtime.interpreter.formats import Array, UnsupportedError
from vyre_dialect.runtime.interpreter.invocation import order_memory
from vyre_dialect.runtime.interpreter.machine import (
    Compile,
    Compiler,
    Compute,
    Frame,
    Meaning,
    Step,
    elementwise,
)
from vyre_dialect.runtime.interpreter.observer import ObservedAccess, Observer, Observers
from vyre_dialect.runtime.interpreter.run import Input, Interpretation, Interpreter, interpret
from vyre_dialect.runtime.interpreter.tables import ACTIONS, COMPUTATIONS
from vyre_dialect.runtime.program.traps import TrapError

__all__ = [
    "Array",
    "ACTIONS",
    "COMPUTATIONS",
    "Compile",
    "Compiler",
    "Compute",
    "Elements",
    "Frame",
    "Input",
    "Interpretation",
    "Interpreter",
    "Meaning",
    "ObservedAccess",
    "Observer",
    "Observers",
    "Race",
    "RaceChecker",
    "RaceError",
    "Step",
    "TrapError",
    "UndefinedRead",
    "UndefinedReadChecker",
    "UndefinedReadError",
    "UnsupportedError",
    "elementwise",
    "interpret",
    "order_memory",
]
