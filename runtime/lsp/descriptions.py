"""What is said of ops and passes where the cursor is, and which there are."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from functools import cache

from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.universe import Universe


@cache
def _universe() -> Universe:
    return Universe.get_multiverse()


@cache
def ops_of(dialect: str) -> dict[str, type[Operation]]:
    """The ops of a dialect, by name; none where it is not installed or cannot be loaded."""
    factory = _universe().all_dialects.get(dialect)
    return {} if factory is None else {op.name: op for op in factory().operations}


def op_of(name: str) -> type[Operation] | None:
    """The class of an op."""
    return ops_of(name.partition(".")[0]).get(name)


def pass_of(name: str) -> type[ModulePass] | None:
    """The class of a pass."""
    factory = _universe().all_passes.get(name)
    return None if factory is None else factory()


def defines_symbols(name: str) -> bool:
    """Whether an op gives a symbol a meaning."""
    op = op_of(name)
    definition = getattr(op, "get_irdl_definition", None)
    return definition is not None and "sym_name" in definition().properties


def described(name: str) -> str | None:
    """What an op or a pass does, as Markdown; None for what is neither."""
    if (op := op_of(name)) is not None:
        return _described_op(op)
    module_pass = pass_of(name) if name in _universe().all_passes else None
    return None if module_pass is None else _described_pass(module_pass)


def _described_op(op: type[Operation]) -> str:
    parts = [f"**`{op.name}`**", inspect.getdoc(op) or ""]
    if isinstance(syntax := getattr(op, "assembly_format", None), str):
        parts.append(f"```\n{op.name} {syntax}\n```")
    return "\n\n".join(part for part in parts if part)


def _described_pass(module_pass: type[ModulePass]) -> str:
    options = [f"- `{each.name}`: `{each.type}`" for each in dataclasses.fields(module_pass)]
    parts = [f"**`{module_pass.name}`** (pass)", inspect.getdoc(module_pass) or ""]
    return "\n\n".join(part for part in (*parts, "\n".join(options)) if part)


def ops_and_dialects(prefix: str) -> Iterator[str]:
    """The ops of a dialect whose name is written, or else dialects."""
    dialect, dot, _ = prefix.partition(".")
    known = ops_of(dialect) if dot else _universe().all_dialects
    return (name for name in known if name.startswith(prefix))


def passes(prefix: str) -> Iterator[str]:
    """Passes."""
    return (name for name in _universe().all_passes if name.startswith(prefix))
