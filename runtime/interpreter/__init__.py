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
    "ACTIONS",
    "COMPUTATIONS",
    "Array",
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

_PARTS = {
    "Race": "interpreter.checkers",
    "RaceChecker": "interpreter.checkers",
    "RaceError": "interpreter.checkers",
    "UndefinedRead": "interpreter.checkers",
    "UndefinedReadChecker": "interpreter.checkers",
    "UndefinedReadError": "interpreter.checkers",
    "Elements": "interpreter.elements",
    "Array": "interpreter.formats",
    "UnsupportedError": "interpreter.formats",
    "order_memory": "interpreter.invocation",
    "Compile": "interpreter.machine",
    "Compiler": "interpreter.machine",
    "Compute": "interpreter.machine",
    "Frame": "interpreter.machine",
    "Meaning": "interpreter.machine",
    "Step": "interpreter.machine",
    "elementwise": "interpreter.machine",
    "ObservedAccess": "interpreter.observer",
    "Observer": "interpreter.observer",
    "Observers": "interpreter.observer",
    "Input": "interpreter.run",
    "Interpretation": "interpreter.run",
    "Interpreter": "interpreter.run",
    "interpret": "interpreter.run",
    "ACTIONS": "interpreter.tables",
    "COMPUTATIONS": "interpreter.tables",
    "TrapError": "program.traps",
}
"""Where each of them is."""


def __getattr__(name: str) -> object:
    if (part := _PARTS.get(name)) is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"vyre_dialect.runtime.{part}"), name)
