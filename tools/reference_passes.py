"""
Prints docs/reference-passes.md: each pass with its options, and a program before and after it.

    python tools/reference_passes.py > docs/reference-passes.md
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from docstrings import paragraphs_of, said_of_fields
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from vyre_dialect.ir.scheduling import PassMetadata
from vyre_dialect.runtime.program.pipelines import parse_pipeline
from vyre_dialect.universe import PASSES

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "filecheck" / "passes"
HEAD = """\
# Every pass

What each pass does, its options, and the shortest program of its tests that it changes, before and
after. Made from the classes of the passes and from the tests of each, by `make reference`; a test
compares. [The passes](passes.md) says in which order they are of use, and
[schedules](schedules.md) how they choose themselves.
"""
_RUN = re.compile(
    r"^// RUN: xdsl-opt %s .*?-p ('[^']*'|\"[^\"]*\"|\S+)(?: --split-input-file)? \| filecheck %s",
    re.MULTILINE,
)


def main() -> None:
    """Print the page."""
    universe = Universe.get_multiverse()
    print(HEAD)
    for name in sorted(PASSES):
        print_pass(PASSES[name](), universe)


def print_pass(module_pass: type[ModulePass], universe: Universe) -> None:
    """A pass: what it does, what schedules know of it, its options and an example."""
    print(f"## `{module_pass.name}`\n\n{paragraphs_of(module_pass)}\n")
    metadata = getattr(module_pass, "metadata", None)
    if isinstance(metadata, PassMetadata):
        print(f"{metadata_text(metadata)}\n")
    if rows := list(options_of(module_pass)):
        print("| option | type | unless given | |\n|---|---|---|---|")
        print("\n".join(rows) + "\n")
    if (example := smallest_change(module_pass, universe)) is not None:
        pipeline, before, after = example
        print(f"`{pipeline}` makes of\n\n```mlir\n{before}\n```\n")
        print(f"this:\n\n```mlir\n{after}\n```\n")


def metadata_text(metadata: PassMetadata) -> str:
    """When schedules run a pass, in a sentence."""
    text = f"Phase `{metadata.phase}`, family `{metadata.family}`"
    if metadata.requires:
        text += ", after " + ", ".join(f"`{name}`" for name in metadata.requires)
    return f"{text}; {'only on request' if metadata.on_request else 'in every schedule'}."


def options_of(module_pass: type[ModulePass]) -> Iterator[str]:
    """A row for each option."""
    said = said_of_fields(module_pass)
    for field in dataclasses.fields(module_pass):
        default = "" if field.default is dataclasses.MISSING else f"`{field.default}`"
        type_text = str(field.type).replace("|", "\\|")
        what = said.get(field.name, "").replace("|", "\\|")
        yield f"| `{field.name}` | `{type_text}` | {default} | {what} |"


def smallest_change(
    module_pass: type[ModulePass], universe: Universe
) -> tuple[str, str, str] | None:
    """A pipeline of the tests of a pass, and the shortest program that it changes, twice."""
    changes = [change for path in tests_of(module_pass) for change in changes_in(path, universe)]
    return min(changes, key=lambda change: len(change[1]) + len(change[2]), default=None)


def tests_of(module_pass: type[ModulePass]) -> list[Path]:
    """The files that test a pass."""
    name = module_pass.name.removeprefix("vyre-").replace("-", "_")
    places = (TESTS / f"{name}.mlir", TESTS / "schedule" / f"{name}.mlir")
    inside = sorted((TESTS / name).rglob("*.mlir")) if (TESTS / name).is_dir() else []
    return [path for path in (*places, *inside) if path.exists() and "Output" not in path.parts]


def changes_in(path: Path, universe: Universe) -> Iterator[tuple[str, str, str]]:
    """What the first run of a test makes of each of its cases, where that is something else."""
    text = path.read_text()
    if (run := _RUN.search(text)) is None or "%" in run[1]:
        return
    pipeline = run[1].strip("'\"")
    for case in text.split("// -----"):
        before, after = texts_of(case, pipeline, universe)
        if before != after:
            yield pipeline, before, after


def texts_of(case: str, pipeline: str, universe: Universe) -> tuple[str, str]:
    """A case as it is printed, and what a pipeline makes of it; the same where it is refused."""
    context = Context(allow_unregistered=True)
    for name, dialect in universe.all_dialects.items():
        context.register_dialect(name, dialect)
    module = Parser(context, case).parse_module()
    before = body_of(module)
    try:
        parse_pipeline(pipeline).apply(context, module)
    except (DiagnosticException, VerifyException):
        return before, before
    return before, body_of(module)


def body_of(module: ModuleOp) -> str:
    """The ops of a module, one after the other."""
    return "\n".join(str(op) for op in module.body.ops)


if __name__ == "__main__":
    main()
