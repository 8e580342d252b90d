"""
The reference interpreter: what a program means, without a device.

Its parts are loaded when they are asked for, as others take the host's code of it alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        Computation,
        Compute,
        Frame,
        Step,
        elementwise,
    )
    from vyre_dialect.runtime.interpreter.observer import ObservedAccess, Observer, Observers
    from vyre_dialect.runtime.interpreter.run import Input, Interpretation, Interpreter, interpret
    from vyre_dialect.runtime.interpreter.traps import TrapError

__all__ = [
    "Array",
    "Compile",
    "Compiler",
    "Computation",
    "Compute",
    "Elements",
    "Frame",
    "Input",
    "Interpretation",
    "Interpreter",
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

_PARTS = {
    "Race": "checkers",
    "RaceChecker": "checkers",
    "RaceError": "checkers",
    "UndefinedRead": "checkers",
    "UndefinedReadChecker": "checkers",
    "UndefinedReadError": "checkers",
    "Elements": "elements",
    "Array": "formats",
    "UnsupportedError": "formats",
    "order_memory": "invocation",
    "Compile": "machine",
    "Compiler": "machine",
    "Compute": "machine",
    "Frame": "machine",
    "Computation": "machine",
    "Step": "machine",
    "elementwise": "machine",
    "ObservedAccess": "observer",
    "Observer": "observer",
    "Observers": "observer",
    "Input": "run",
    "Interpretation": "run",
    "Interpreter": "run",
    "interpret": "run",
    "TrapError": "traps",
}
"""Where each of them is."""


def __getattr__(name: str) -> object:
    if (part := _PARTS.get(name)) is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{part}"), name)
