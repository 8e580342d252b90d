"""What is kept of an argument of a kernel is what was printed."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.lowering.opencl.printed import ArgumentKind, PrintedArgument
from vyre_dialect.lowering.opencl.types import INDEX
from vyre_dialect.runtime.driver import kept_form
from vyre_dialect.runtime.program.loading import make_context


def test_messages_of_traps_are_kept() -> None:
    """Without them, a program that is run again would not notice bad input."""
    printed = PrintedArgument(
        *("errors", ArgumentKind.BUFFER, INDEX, i32, frozenset({AccessKind.UPDATE})),
        traps=("invalid hex input",),
    )
    kept = kept_form._argument(kept_form._argument_as_json(printed), make_context())
    assert kept == printed
