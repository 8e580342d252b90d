"""What is installed is what lies in the source folders, and its layers depend one way."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]

# A layer may import those before it.
LAYERS = [
    "vyre_dialect",
    "vyre_dialect.passes",
    "vyre_dialect.lowering",
    "vyre_dialect.runtime",
    "vyre",
]
MOST_LINES = 600
# What names the passes and targets, and what names things of the runtime in the dialect's package.
OF_NAMES = ("universe.py", "distributed.py")
PATTERN_METHODS = ("get_canonicalization_patterns", "get_expansion_patterns")


def source_files(layer: str) -> list[Path]:
    """The Python files of a layer; links to other layers are not followed."""
    folder = ROOT / FOLDERS[layer]
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not any(parent.is_symlink() for parent in path.parents)
    ]


def package_of(layer: str, folder: Path) -> str:
    inner = folder.relative_to(ROOT / FOLDERS[layer]).parts
    return ".".join((layer, *inner))


def visible_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those of the methods in which an operation names its patterns.

    What they import is imported when a pass asks, as xDSL's own operations have it.
    """
    yield node
    for child in ast.iter_child_nodes(node):
        if getattr(child, "name", None) not in PATTERN_METHODS:
            yield from visible_nodes(child)


def names_imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


@cache
def imported_modules(path: Path) -> list[str]:
    """The absolute names of the modules that a file imports, however deep in it."""
    nodes = visible_nodes(ast.parse(path.read_text()))
    return [name for node in nodes for name in names_imported(node)]


def layer_of(module: str) -> str | None:
    layers = [layer for layer in LAYERS if f"{module}.".startswith(f"{layer}.")]
    return max(layers, key=len, default=None)


def test_every_package_is_installed() -> None:
    found = {
        package_of(layer, path.parent)
        for layer in LAYERS
        for path in source_files(layer)
        if path.name == "__init__.py"
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == found


def test_every_source_folder_is_a_package() -> None:
    folders = {path.parent for layer in LAYERS for path in source_files(layer)}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("layer", LAYERS[1:-1])
def test_links_and_mapping_agree(layer: str) -> None:
    link = ROOT / layer.replace(".", "/")
    assert link.is_symlink()
    assert link.resolve() == (ROOT / FOLDERS[layer]).resolve()


@pytest.mark.parametrize("layer", LAYERS)
def test_dependencies_point_one_way(layer: str) -> None:
    # They are tables of contents, which nothing imports.
    later = set(LAYERS[LAYERS.index(layer) + 1 :])
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in source_files(layer)
        if path.name not in OF_NAMES
        for module in imported_modules(path)
        if layer_of(module) in later
    ]
    assert wrong == []


def imports_of_modules() -> dict[str, set[str]]:
    """What each module imports of the package: in functions and for type checkers too."""
    modules = {
        f"{package_of(layer, path.parent)}.{path.stem}".removesuffix(".__init__"): path
        for layer in LAYERS
        for path in source_files(layer)
        if path.name not in OF_NAMES
    }
    return {
        name: {
            found
            for imported in imported_modules(path)
            # A name of a package is a module of it, or what stands in its `__init__`.
            if (found := imported if imported in modules else imported.rpartition(".")[0])
            in modules
        }
        for name, path in modules.items()
    }


def circle(imports: dict[str, set[str]]) -> list[str] | None:
    """Modules of which each imports the one before, if there are such that end where they began."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_imports_go_in_a_circle() -> None:
    imports = imports_of_modules()
    assert "vyre_dialect.ir.interfaces" in imports["vyre_dialect.ops.memory"]
    assert circle(imports) is None


def test_circles_of_imports_are_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


@pytest.mark.parametrize("folder", ["examples", "benchmarks", "tests"])
def test_what_is_not_installed_is_not_imported(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for layer in LAYERS
        for path in source_files(layer)
        for module in imported_modules(path)
        if f"{module}.".startswith(f"{folder}.")
    ]
    assert wrong == []


def test_only_the_runtime_knows_pyopencl() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for layer in LAYERS
        if layer != "vyre_dialect.runtime"
        for path in source_files(layer)
        if any(re.match(r"pyopencl\b", module) for module in imported_modules(path))
    ]
    assert wrong == []


def test_isl_is_imported_when_something_is_proved() -> None:
    """Everything else takes it from there, so that programs start and run without it."""
    importing = {
        str(path.relative_to(ROOT))
        for layer in LAYERS
        for path in source_files(layer)
        if any(re.match(r"islpy\b", module) for module in imported_modules(path))
    }
    assert importing == {"vyre_dialect/analysis/isl.py"}


def test_no_file_is_too_long() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for layer in LAYERS
        for path in source_files(layer)
    }
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_the_architecture_names_the_layers_and_their_packages() -> None:
    block = re.search(r"^```text\n(.*?)^```$", (ROOT / "ARCHITECTURE.md").read_text(), re.M | re.S)
    assert block is not None
    layers = [f"vyre_dialect.{name}" if name not in LAYERS else name for name in _starts(block[1])]
    assert [layer for layer in layers if layer != "vyre"] == LAYERS[:-1]
    named = set(re.findall(r"(\w+):|(?<=· )(\w+)", block[1]))
    for name in filter(None, (one or other for one, other in named)):
        assert any((ROOT / FOLDERS[layer] / name).is_dir() for layer in LAYERS), name


def _starts(block: str) -> list[str]:
    return [line.split()[0] for line in block.splitlines() if not line.startswith(" ")]


def test_packages_of_the_runtime_form_no_circle() -> None:
    runtime = "vyre_dialect.runtime"

    def unit(module: str) -> str:
        """The package of a module, or the module where it lies beside the packages."""
        return ".".join(module.split(".")[:3])

    imports = dict[str, set[str]]()
    for name, found in imports_of_modules().items():
        if name.startswith(f"{runtime}."):
            own = {unit(each) for each in found if each.startswith(f"{runtime}.")}
            imports.setdefault(unit(name), set()).update(own - {unit(name)})
    assert circle(imports) is None
    assert imports[f"{runtime}.interpreter"] == {f"{runtime}.errors", f"{runtime}.paths"}


def test_the_planner_of_memory_knows_nothing_of_vyre() -> None:
    packing = "vyre_dialect.passes.memory.packing"
    known = {name: found for name, found in imports_of_modules().items() if packing in name}
    outside = {each for found in known.values() for each in found if packing not in each}
    assert known
    assert outside == set()
