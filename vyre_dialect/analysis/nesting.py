"""In which structures of control flow an op stands."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import ops_around

LOOPS = (scf.ForOp, scf.WhileOp)
_STRUCTURES = (*LOOPS, scf.IfOp, scf.IndexSwitchOp)


def can_carry_to(op: Operation) -> bool:
    """Whether values can be carried from the start of an arm to `op`, and on to its end."""
    return all(isinstance(parent, _STRUCTURES) for parent in ops_around(op))


def is_in_loop(op: Operation) -> bool:
    """Whether an invocation may run `op` several times."""
    return any(isinstance(parent, LOOPS) for parent in ops_around(op))
