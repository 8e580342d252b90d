"""The whole table from ops to what they mean."""

from xdsl.ir import Operation

from vyre_dialect.runtime.interpreter.arith import INTEGER_MEANINGS
from vyre_dialect.runtime.interpreter.atomics import ATOMIC_ACTIONS
from vyre_dialect.runtime.interpreter.control import CONTROL_ACTIONS
from vyre_dialect.runtime.interpreter.floats import FLOAT_MEANINGS
from vyre_dialect.runtime.interpreter.invocation import INVOCATION_ACTIONS
from vyre_dialect.runtime.interpreter.machine import Compile, Meaning
from vyre_dialect.runtime.interpreter.math import MATH_MEANINGS
from vyre_dialect.runtime.interpreter.memory import MEMORY_ACTIONS
from vyre_dialect.runtime.interpreter.vector import VECTOR_MEANINGS

COMPUTATIONS: dict[type[Operation], Meaning] = (
    INTEGER_MEANINGS | FLOAT_MEANINGS | MATH_MEANINGS | VECTOR_MEANINGS
)
"""The pure ops."""
ACTIONS: dict[type[Operation], Compile] = (
    MEMORY_ACTIONS | ATOMIC_ACTIONS | INVOCATION_ACTIONS | CONTROL_ACTIONS
)
"""The ops that touch memory, control flow or the invocation's place."""
