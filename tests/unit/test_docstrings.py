"""A string that stands as a statement is a docstring, of what it stands in or stands behind."""

import ast
from collections.abc import Iterator

import pytest
from support.documents import ROOT

FOLDERS = (
    *("vyre", "vyre_dialect", "passes", "lowering", "runtime"),
    *("tests", "tools", "benchmarks", "examples"),
)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def stray_strings(tree: ast.AST) -> list[int]:
    """The lines of strings that neither begin a body nor stand behind an assignment."""
    return [
        each.lineno
        for node in ast.walk(tree)
        for block in blocks_of(node)
        for before, each in zip([None, *block], block, strict=False)
        if is_string(each) and not is_documented(node, before)
    ]


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block


def is_string(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_documented(node: ast.AST, before: ast.stmt | None) -> bool:
    """Whether a string behind a statement of a node, or at its beginning, is about something."""
    if before is None:
        return isinstance(node, Documented)
    return isinstance(before, ast.Assign | ast.AnnAssign)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("folder", FOLDERS)
def test_no_string_stands_alone(folder: str) -> None:
    found = {str(path.relative_to(ROOT)): path for path in (ROOT / folder).rglob("*.py")}
    assert found
    stray = {
        name: lines
        for name, path in found.items()
        if (lines := stray_strings(ast.parse(path.read_text())))
    }
    assert not stray


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""A module."""\nA = 1\n"""A number."""\nB: int = 2\n"""Another."""\n', []),
        ('class C:\n    """A class."""\n    def f(self):\n        """A function."""\n', []),
        ('def f():\n    a = g()\n    b()\n    """Left over."""\n', [4]),
        ('from a import b\n\n"""Of a constant that is gone."""\nC = 1\n', [3]),
        ('A = 1\n"""One."""\n"""Another."""\n', [3]),
        ('if a:\n    """What?"""\nelse:\n    b()\n    """What?"""\n', [2, 5]),
    ],
)
def test_where_strings_stand(text: str, lines: list[int]) -> None:
    assert stray_strings(ast.parse(text)) == lines
