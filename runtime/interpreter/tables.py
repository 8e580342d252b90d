"""
What ops mean: the tables of vyre, and those that other packages name under the entry point groups.
A pure op has a computation; one that touches memory, control flow or its place has an action.
"""

from __future__ import annotations

from vyre_dialect.ir.implementations import Registry
from vyre_dialect.runtime.interpreter.machine import Compile, Meaning

_HERE = "vyre_dialect.runtime.interpreter"

COMPUTATIONS = Registry[Meaning](
    "vyre.interpreter.computations",
    [
        f"{_HERE}.arith:INTEGER_MEANINGS",
        f"{_HERE}.floats:FLOAT_MEANINGS",
        f"{_HERE}.math:MATH_MEANINGS",
        f"{_HERE}.vector:VECTOR_MEANINGS",
        f"{_HERE}.words:WORD_MEANINGS",
        f"{_HERE}.lanes:LANE_MEANINGS",
    ],
)
"""What the pure ops compute."""
ACTIONS = Registry[Compile](
    "vyre.interpreter.actions",
    [
        f"{_HERE}.memory:MEMORY_ACTIONS",
        f"{_HERE}.atomics:ATOMIC_ACTIONS",
        f"{_HERE}.invocation:INVOCATION_ACTIONS",
        f"{_HERE}.control:CONTROL_ACTIONS",
    ],
)
"""The steps of the ops that touch memory, control flow or the invocation's place."""
