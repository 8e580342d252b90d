"""What is public: the definitions that the reference lists, as they stand in the sources."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import vyre
from tools.reference import MODULES, ONCE_MODULES, PARTS
from vyre_dialect import builder

UNITS = re.compile(r"(^|_)(ns|bytes|bits|count|elements|size|width|height|lanes|number|version)$")
"""How the name of a number ends that says what it counts."""
NUMERIC = {"int", "float"}
CALLER_MISUSES = {"AttributeError", "NotImplementedError", "KeyError"}
"""What Python's data model asks of those who subscript and look up, and is known."""


@dataclass(frozen=True)
class Public:
    """A public function, method, or the constructor and fields of a class."""

    where: str
    node: ast.FunctionDef | ast.ClassDef
    owner: ast.ClassDef | None
    module: str

    @property
    def said(self) -> str:
        """Its docstring, and for a constructor without one that of the class."""
        own = ast.get_docstring(self.node) or ""
        return own or (self.said_of_class if self.node.name == "__init__" else "")

    @property
    def said_of_class(self) -> str:
        """The docstring of the class that it is a method of, which may tell of all its methods."""
        return "" if self.owner is None else ast.get_docstring(self.owner) or ""


@cache
def tree_of(module: str) -> ast.Module:
    """The source of a module."""
    return ast.parse(Path(inspect.getsourcefile(import_module(module)) or "").read_text())


def public_definitions() -> Iterator[Public]:
    """Everything that is public, once."""
    seen = set[tuple[str, str]]()
    for module, name in sorted({*_of_packages(), *_of_reference()}):
        found = _definition(module, name)
        if found is not None and (module, name) not in seen:
            seen.add((module, name))
            yield from _parts(module, found)


def _of_packages() -> Iterator[tuple[str, str]]:
    for package in (vyre, builder):
        for name in package.__all__:
            each = getattr(package, name)
            if inspect.isfunction(each) or inspect.isclass(each):
                yield each.__module__, each.__name__


def _of_reference() -> Iterator[tuple[str, str]]:
    modules = [*ONCE_MODULES, *(name for _, names in MODULES.values() for name in names)]
    for module in modules:
        for each in tree_of(module).body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef) and _is_listed(module, each.name):
                yield module, each.name


def _is_listed(module: str, name: str) -> bool:
    """Whether the reference is to have a definition of a module that it lists."""
    return not name.startswith("_") and name in PARTS.get(module, (name,))


def _definition(module: str, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    found = None
    for each in tree_of(module).body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name:
            found = each  # the last: those before are overloads
    return found


def _parts(module: str, node: ast.FunctionDef | ast.ClassDef) -> Iterator[Public]:
    where = f"{module}.{node.name}"
    yield Public(where, node, None, module)
    if isinstance(node, ast.FunctionDef):
        return
    for each in node.body:
        is_public = isinstance(each, ast.FunctionDef) and (
            not each.name.startswith("_") or each.name in ("__init__", "__call__")
        )
        if is_public and isinstance(each, ast.FunctionDef):
            yield Public(f"{where}.{each.name}", each, node, module)


def parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function, but for `self` and `cls`."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [each for each in (given.vararg, given.kwarg) if each is not None]
    return [each for each in every if each.arg not in ("self", "cls")]


def is_number(annotation: ast.expr | None) -> bool:
    """Whether a type is a plain number, or None."""
    if annotation is None:
        return False
    names = {part.strip() for part in ast.unparse(annotation).split("|")}
    return bool(names & NUMERIC) and names <= NUMERIC | {"None"}


def raised(public: Public) -> set[str]:
    """What a function raises, by itself or by private functions of its module."""
    assert isinstance(public.node, ast.FunctionDef)
    return _raised(public.node, public.owner, tree_of(public.module), set()) - CALLER_MISUSES


def _raised(
    function: ast.FunctionDef, owner: ast.ClassDef | None, tree: ast.Module, seen: set[str]
) -> set[str]:
    if function.name in seen:
        return set()
    seen.add(function.name)
    found = set[str]()
    for each in _walked(function):
        if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call):
            found.add(ast.unparse(each.exc.func).rpartition(".")[2])
        if isinstance(each, ast.Call) and (helper := _helper(each, owner, tree)) is not None:
            found |= _raised(helper, owner, tree, seen)
    return {name for name in found if name[0].isupper()}


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """Every node, but for those around which errors become warnings."""
    yield node
    is_caught = isinstance(node, ast.With) and "warned_if_broken" in ast.unparse(node.items[0])
    for child in () if is_caught else ast.iter_child_nodes(node):
        yield from _walked(child)


def _helper(call: ast.Call, owner: ast.ClassDef | None, tree: ast.Module) -> ast.FunctionDef | None:
    """The private function or method that is called, if it stands in the same module."""
    name = ast.unparse(call.func)
    body = tree.body
    if name.startswith("self._") and owner is not None:
        name, body = name.removeprefix("self."), owner.body
    if not name.startswith("_"):
        return None
    functions = (each for each in body if isinstance(each, ast.FunctionDef))
    return next((each for each in functions if each.name == name), None)
