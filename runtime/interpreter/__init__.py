"""The reference interpreter: what a program means, without a device."""

from vyre_dialect.runtime.interpreter.formats import UnsupportedError
from vyre_dialect.runtime.interpreter.observer import Access, AccessKind, Observer
from vyre_dialect.runtime.interpreter.run import Input, Interpretation, find_program, interpret

__all__ = [
    "Access",
    "AccessKind",
    "Input",
    "Interpretation",
    "Observer",
    "UnsupportedError",
    "find_program",
    "interpret",
]
