"""The error for what has no form in OpenCL C."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.meaning import unsaid
from vyre_dialect.ops.program import RegionOp


def no_form(op: Operation) -> DiagnosticException:
    """The error for an op without a form, with the pass to run if there is one."""
    if isinstance(op, HasExpansionInterface):
        missing = "; run 'vyre-expand' first"
    elif isinstance(op, RegionOp):
        missing = "; run 'vyre-outline-kernels' first"
    else:
        missing = f": {unsaid(type(op), 'expression', 'statement', 'definition')}"
    return DiagnosticException(f"'{op.name}' has no OpenCL form{missing}")
