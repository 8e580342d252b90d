"""Dependencies point one way: runtime, lowering, passes, dialect; and no imports go in a circle."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = ("vyre_dialect", "passes", "lowering", "runtime")
"""The source folders; each may import those before it."""
LAZY = {"get_canonicalization_patterns", "get_expansion_patterns"}
"""xDSL's idiom: an op imports its patterns when it is asked for them."""
FACTORIES = "vyre_dialect.universe"
"""What xDSL finds of vyre; it imports everything, and nothing before it is asked."""


class Import(NamedTuple):
    """One module imports another, in a function of this name or, with None, outside of any."""

    importer: str
    imported: str
    function: str | None


def sources() -> dict[str, Path]:
    """The modules of the package, by the names that they are imported under."""
    return {
        _module(path.relative_to(ROOT)): path
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents if parent != ROOT)
    }


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    folder = () if parts[0] == "vyre_dialect" else ("vyre_dialect",)
    return ".".join((*folder, *(part for part in parts if part != "__init__")))


def imports(text: str, importer: str, known: set[str]) -> Iterator[Import]:
    """All that a module imports of the package, in functions and under conditions too."""
    pending: list[tuple[ast.AST, str | None]] = [(ast.parse(text), None)]
    while pending:
        node, function = pending.pop()
        if isinstance(node, ast.FunctionDef):
            function = node.name
        for name in _imported(node):
            found = name if name in known else name.rpartition(".")[0]
            if found in known:
                yield Import(importer, found, function)
        pending.extend((child, function) for child in ast.iter_child_nodes(node))


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module is not None:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _all_imports() -> list[Import]:
    files = sources()
    return [
        found
        for module, path in files.items()
        for found in imports(path.read_text(), module, set(files))
        if found.function not in LAZY and module != FACTORIES
    ]


ALL = _all_imports()


def circle(found: list[Import]) -> list[str] | None:
    """Modules that import each other, the first once more at the end; None without any."""
    graph = dict[str, set[str]]()
    for importer, imported, _ in found:
        graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def layer(module: str) -> int:
    parts = module.split(".")
    return LAYERS.index(parts[1]) if len(parts) > 1 and parts[1] in LAYERS else 0


def test_all_of_the_package_is_looked_at():
    found = set(sources())
    assert {"vyre_dialect", "vyre_dialect.ops.kernel", "vyre_dialect.runtime.cli"} <= found
    assert "vyre_dialect.passes.fusion" in found and "passes.fusion" not in found
    assert any("TYPE_CHECKING" in path.read_text() for path in sources().values())
    assert len(ALL) > len(found)


def test_no_imports_go_in_a_circle():
    assert circle(ALL) is None


def test_dependencies_point_one_way():
    assert [found for found in ALL if layer(found.imported) > layer(found.importer)] == []


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("import a.b", None),
        ("from a import b", None),
        ("from a.b import C", None),
        ("if TYPE_CHECKING:\n    from a.b import C", None),
        ("def f():\n    if x:\n        from a.b import C", "f"),
        ("class K:\n    def f(self):\n        from a.b import C", "f"),
    ],
)
def test_imports_are_found_wherever_they_stand(text: str, function: str | None):
    assert list(imports(text, "m", {"a", "a.b"})) == [Import("m", "a.b", function)]


def test_circles_are_found():
    around = [Import("a", "b", None), Import("b", "c", "f"), Import("c", "a", None)]
    assert circle(around) is not None
    assert circle(around[:2]) is None
