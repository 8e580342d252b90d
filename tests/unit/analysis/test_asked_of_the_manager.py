"""Passes ask the manager for analyses, and build none by hand."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import vyre_dialect.analysis
import vyre_dialect.passes
from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.manager import Analysis

ROOT = Path(__file__).resolve().parents[3]


def _analyses() -> set[str]:
    """The names of all analyses, in whichever file they are."""
    for package in (vyre_dialect.analysis, vyre_dialect.passes):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    found, pending = set[str](), [Analysis]
    while pending:
        derived = pending.pop().__subclasses__()
        pending += derived
        found |= {each.__name__ for each in derived if each.__module__.startswith("vyre_dialect")}
    return found


def _is_of_scope(node: ast.AST) -> bool:
    """Whether a node is how an analysis is found, where it may use others of its kind."""
    return isinstance(node, ast.FunctionDef) and node.name == "of_scope"


def _calls(node: ast.AST) -> Iterator[tuple[str, int]]:
    """What is called by its name outside of `of_scope`, and in which line."""
    if _is_of_scope(node):
        return
    if isinstance(node, ast.Call):
        callee = node.func
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
        yield name, node.lineno
    for child in ast.iter_child_nodes(node):
        yield from _calls(child)


def _built_by_hand(text: str, analyses: Iterable[str]) -> list[tuple[str, int]]:
    names = set(analyses)
    return [(name, line) for name, line in _calls(ast.parse(text)) if name in names]


def test_no_pass_builds_an_analysis_by_hand() -> None:
    analyses = _analyses()
    assert {"Integers", "DivergenceAnalysis", "Escapes", "ProgramAnalysis"} <= analyses
    folders = ("passes", "vyre_dialect/analysis")
    found = {
        str(path.relative_to(ROOT)): built
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (built := _built_by_hand(path.read_text(), analyses))
    }
    # A verifier has no manager: it asks once, of IR that nobody has asked about yet.
    (line,) = (line for name, line in found.pop("vyre_dialect/analysis/divergence.py") if name)
    assert "verify_convergence" in _function_at("vyre_dialect/analysis/divergence.py", line)
    assert found == {}


def _function_at(path: str, line: int) -> str:
    tree = ast.parse((ROOT / path).read_text())
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    (name,) = (
        each.name for each in functions if each.lineno <= line <= (each.end_lineno or each.lineno)
    )
    return name


@pytest.mark.parametrize(
    "text", ["DivergenceAnalysis(arm)", "divergence.DivergenceAnalysis(arm, together)"]
)
def test_what_is_built_by_hand_is_found(text: str) -> None:
    assert _built_by_hand(f"def of(arm):\n    return {text}", [DivergenceAnalysis.__name__])


def test_an_analysis_may_use_others_of_its_kind() -> None:
    text = (
        "class A:\n    def of_scope(cls, scope, facts):\n        return DivergenceAnalysis(scope)"
    )
    assert not _built_by_hand(text, [DivergenceAnalysis.__name__])
