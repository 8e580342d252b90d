"""The programs of a module, by name."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import UsageError


def find_program(module: ModuleOp, name: str | None = None) -> ProgramOp:
    """The program called `name`, or the only one of the module. Raises UsageError."""
    programs = {op.sym_name.data: op for op in module.ops if isinstance(op, ProgramOp)}
    known = ", ".join(f"'{known}'" for known in programs) or "none"
    if name is None and len(programs) == 1:
        return next(iter(programs.values()))
    if name is None:
        raise UsageError(
            f"expected a module of one program or the name of one (--program), got {known}"
        )
    if name not in programs:
        raise UsageError(f"unknown program '{name}': the module has {known}")
    return programs[name]


def select_program(module: ModuleOp, name: str | None) -> ModuleOp:
    """A copy of `module` without the programs that are not called `name`; None keeps all.

    Raises a UsageError where there is no program of this name.
    """
    selected = module.clone()
    if name is None:
        return selected
    chosen = find_program(selected, name)
    for op in list(selected.ops):
        if isinstance(op, ProgramOp) and op is not chosen:
            op.detach()
            op.erase()
    return selected
