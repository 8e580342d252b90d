"""What the pages of the reference take from docstrings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise


def paragraphs_of(documented: object) -> str:
    """The docstring of a class, each paragraph on one line; code stays as it is."""
    parts = (inspect.getdoc(documented) or "").strip().split("\n\n")
    lines = (each if each.startswith("    ") else " ".join(each.split()) for each in parts)
    return "\n\n".join(lines)


def said_of_fields(documented: type) -> dict[str, str]:
    """What a class says below its fields, which it assigns or annotates, by their names."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(documented))).body
    assert isinstance(definition, ast.ClassDef)
    return dict(_described(definition))


def _described(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in pairwise(definition.body):
        name = _assigned_name(statement)
        if name is None or not isinstance(following, ast.Expr):
            continue
        if isinstance(following.value, ast.Constant):
            yield name, " ".join(str(following.value.value).split())


def _assigned_name(statement: ast.stmt) -> str | None:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None
