"""Passes change programs by rewriters that tell their listeners, and in no other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.arith import Arith
from xdsl.dialects.scf import Scf
from xdsl.dialects.vector import Vector
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation

from vyre_dialect.dialect import Vyre

ROOT = Path(__file__).parents[3]
FILES = [
    path
    for path in sorted(ROOT.glob("passes/**/*.py"))
    if "schedule" not in path.parts  # which changes schedules, of which there are no facts
]
OPS = [op for dialect in (Vyre, Arith, Scf, Vector) for op in dialect.operations]


def _fields(op: type[Operation]) -> Iterator[str]:
    if issubclass(op, IRDLOperation):
        said = op.get_irdl_definition()
        yield from (name for part in (said.operands, said.regions) for name, _ in part)
        yield from said.accessor_names
        yield from (name for part in (said.properties, said.attributes) for name in part)


SILENT = frozenset(
    {
        *("erase", "erase_op", "detach", "drop_all_references", "redirect"),
        *("replace_all_uses_with", "replace_uses_with_if", "inline_block", "move_blocks"),
        *("add_op", "add_ops", "add_block", "insert_arg", "erase_arg"),
        *("insert_op_before", "insert_op_after", "insert_ops_before", "insert_ops_after"),
    }
)
"""Methods of ops, values and blocks of which no listener hears, unless a rewriter has them."""
PARTS = frozenset({"operands", "attributes", "properties"})
MAKERS = frozenset({"clone", "clone_without_regions", "create", "dict", "list", "set", "deque"})
"""What makes something new, beside classes."""
UPDATES = frozenset({"update", "pop", "setdefault", "clear", "append"})
FIELDS = PARTS | {name for op in OPS for name in _fields(op)}
"""What ops say and use, by the names by which Python sets it."""
HOMES = {
    ("invocation_body.py", "detached"): "of a block that stands nowhere",
    ("carried_values.py", "_if"): "of an op that is about to be replaced",
    ("carried_values.py", "_through"): "of an op that is new",
    ("carried_values.py", "_without_unused"): "of an op that is new",
    ("copying.py", "copied"): "to a copy, which stands nowhere yet",
    ("pipeline_loops.py", "_add_copies"): "to a block that stands nowhere yet",
}
"""The functions that may, by file and name, and why."""


def silent_mutations(source: str) -> list[str]:
    """Each mutation that no listener hears of, with the function and line that it is in."""
    found = list[str]()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {each.name for each in node.names} & {"Rewriter", "Builder"}
            found += [f"import of {name} in line {node.lineno}" for name in names]
        if isinstance(node, ast.FunctionDef):
            found += [f"{node.name}: {what}" for what in _in_function(node)]
    return found


def _in_function(function: ast.FunctionDef) -> Iterator[str]:
    made = {"self", "cls", *_made_in(function)}
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    notified = any(_method(call) == "notify_op_modified" for call in calls)
    told = notified or any(_method(call) == "handle_operation_removal" for call in calls)
    for call in calls:
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is None or any(map(_is_rewriter, (receiver, *call.args))):
            continue
        if _is_rooted_in(receiver, made):
            continue
        is_update = isinstance(receiver, ast.Attribute) and receiver.attr in PARTS
        if _method(call) in SILENT and not told:
            yield f"{_method(call)} in line {call.lineno}"
        if is_update and _method(call) in UPDATES and not notified:
            yield f"{_method(call)} of {ast.unparse(receiver)} in line {call.lineno}"
    for target in () if notified else _targets(function):
        if not _is_rooted_in(target, made):
            yield f"{ast.unparse(target)} in line {target.lineno}"


def _targets(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What is assigned to of other objects: a field, or an entry of one of the parts of an op."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                pass
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                targets = [target]
            case _:
                continue
        each_one = [
            each
            for target in targets
            for each in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        for each in each_one:
            if isinstance(each, ast.Attribute) and each.attr in FIELDS:
                yield each
            part = each.value if isinstance(each, ast.Subscript) else None
            if isinstance(part, ast.Attribute) and part.attr in PARTS:
                yield part


def _made_in(function: ast.FunctionDef) -> Iterator[str]:
    """The names of what a function has from a call, as that of an op that is new."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (
                    ast.unparse(to) for to, value in _pairs(target, node.value) if _is_new(value)
                )


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is assigned to what, one by one."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _is_new(value: ast.expr) -> bool:
    """Whether it is an op, a block or a collection that is just made: by a class, or a copy."""
    if isinstance(value, ast.Dict | ast.List | ast.Set | ast.ListComp | ast.DictComp):
        return True
    name = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    name = name.partition("[")[0].lstrip("_")
    return name[:1].isupper() or name in MAKERS


def _method(call: ast.Call) -> str | None:
    return call.func.attr if isinstance(call.func, ast.Attribute) else None


def _is_rewriter(receiver: ast.expr) -> bool:
    return ast.unparse(receiver).rpartition(".")[2].lstrip("_") == "rewriter"


def _is_rooted_in(value: ast.expr, names: set[str]) -> bool:
    while isinstance(value, ast.Attribute | ast.Subscript):
        value = value.value
    return _is_new(value) or (isinstance(value, ast.Name) and value.id in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_listeners_hear_of_every_mutation(path: Path) -> None:
    allowed = [name for file, name in HOMES if file == path.name]
    found = silent_mutations(path.read_text())
    assert not [each for each in found if each.partition(":")[0] not in allowed]


@pytest.mark.parametrize(
    "mutation",
    [
        "op.detach()",
        "op.result.replace_all_uses_with(value)",
        "block.add_op(op)",
        "op.attributes['x'] = mark",
        "op.attributes.pop('x', None)",
        "del op.properties['x']",
        "op.operands = []",
        "first, op.operands[0] = 1, value",
        "op.attributes |= others",
        "arm.workgroup_size = None",
        "from xdsl.rewriter import Rewriter",
    ],
)
def test_silent_mutations_are_found(mutation: str) -> None:
    assert silent_mutations(f"def change(op, block, value):\n    {mutation}\n")


@pytest.mark.parametrize(
    "mutation",
    [
        "rewriter.erase(op)",
        "self._rewriter.replace_all_uses_with(value, other)",
        "move([op], place, rewriter)",
        "op = old.clone(); op.attributes['x'] = mark",
        "block = Block(); block.add_op(op)",
        "op.operands[0] = value; rewriter.notify_op_modified(op)",
        "op.name_hint = 'x'",
    ],
)
def test_what_listeners_hear_is_not(mutation: str) -> None:
    assert not silent_mutations(f"def change(op, block, value):\n    {mutation}\n")


def test_the_exceptions_are_still_there() -> None:
    found = {
        (path.name, each.partition(":")[0])
        for path in FILES
        for each in silent_mutations(path.read_text())
    }
    assert found == HOMES.keys()
