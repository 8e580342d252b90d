"""Every block of code that a page shows is executed, or compared with what is executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.documents import NOT_RUN, PAGES, ROOT, blocks_of, commands_of
from xdsl.passes import ModulePass

from vyre_dialect.ir.scheduling import PassMetadata, Profile
from vyre_dialect.ops.schedule import PassOp, ScheduleOp
from vyre_dialect.passes.schedule.hints import HotPathHints

SCHEDULES = ROOT / "docs" / "schedules.md"

COMMANDS = "device/test_documents.py"
TESTED = {
    "README.md": {
        "": COMMANDS,
        **dict.fromkeys(("mlir", "c", "python"), "unit/test_readme.py"),
    },
    "ARCHITECTURE.md": {"": COMMANDS, "mlir": COMMANDS, "text": "unit/test_packaging.py"},
    "command-line.md": {"": COMMANDS, "mlir": COMMANDS},
    "examples/extension/README.md": {"": "device/test_extension.py"},
    "demo.md": {"": "device/test_demo.py"},
    "dialect.md": dict.fromkeys(("mlir", "python"), "unit/test_dialect_docs.py"),
    "extending.md": {
        "": "device/test_extension.py",
        **dict.fromkeys(("mlir", "toml", "python"), "unit/test_extending_docs.py"),
    },
    "fusion.md": {"": COMMANDS, "mlir": COMMANDS, "python": "unit/test_dialect_docs.py"},
    "interpreter.md": dict.fromkeys(("toml", "python"), "unit/interpreter/test_extensions.py"),
    "kernels.md": {"": COMMANDS},
    "library.md": {"": COMMANDS, "mlir": "unit/test_dialect_docs.py"},
    "memory.md": {"": COMMANDS, "mlir": COMMANDS},
    "passes.md": {"": COMMANDS},
    "scanning.md": {"": COMMANDS},
    "python.md": {"python": "device/test_vyre.py"},
    "reference.md": {"python": "unit/test_reference_docs.py"},
    "schedules.md": {
        "": COMMANDS,
        **dict.fromkeys(("json", "python"), "unit/test_documents.py"),
        "mlir": "unit/schedule/test_policies.py",
    },
    "distributed.md": dict.fromkeys(("", "mlir", "python"), "device/test_distributed_docs.py"),
    "streaming.md": {"": COMMANDS, "mlir": COMMANDS},
    "tuning.md": {"": COMMANDS},
    "editors.md": dict.fromkeys(("lua", "toml"), "unit/lsp/test_editors_docs.py"),
    "notebooks.md": {"sh": "unit/test_notebooks.py"},
    "reports.md": {"": COMMANDS},
    "mlir.md": {"": COMMANDS, "bash": "unit/lowering/test_gpu_mlir_docs.py"},
    "first-program.md": {"": COMMANDS, "mlir": COMMANDS},
    "verdicts.md": {"": COMMANDS, "mlir": COMMANDS},
    "filecheck.md": {"": COMMANDS, "mlir": COMMANDS},
    "reference-ops.md": dict.fromkeys(("mlir", "text"), "unit/test_reference_docs.py"),
    "reference-passes.md": {"mlir": "unit/test_reference_docs.py"},
    "columns.md": {"": COMMANDS, "python": "unit/columns/test_columns_docs.py"},
}
"""Where the blocks of a page are tested, by language; blocks without one hold commands."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_tested_somewhere(page: Path) -> None:
    tested = TESTED.get(page.name if page.parent == ROOT / "docs" else str(page.relative_to(ROOT)))
    shown = {language for language, _ in blocks_of(page)}
    assert shown == set(tested or {})
    for test in (tested or {}).values():
        assert (ROOT / "tests" / test).exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_without_a_language_are_commands(page: Path) -> None:
    for language, block in blocks_of(page):
        is_demo = block.startswith("17.6 MB")  # test_demo.py compares it
        assert language or is_demo or block.startswith("$ "), block


def test_only_what_runs_tests_is_not_run() -> None:
    left_out = set[str]()
    for page in PAGES:
        shown = re.findall(r"^\$ (.*)$", page.read_text(), re.MULTILINE)
        left_out |= set(shown) - {command for command, _ in commands_of(page)}
    assert all(command.startswith(NOT_RUN) for command in left_out)
    assert {command.split("#")[0].strip() for command in left_out} == {"make demo", "make test"}


def test_only_the_package_beside_vyre_is_installed() -> None:
    """The other pages run in the environment of the tests, which is to stay as it is."""
    installing = {
        page for page in PAGES for command, _ in commands_of(page) if re.search(r"\bpip\b", command)
    }
    extension = ROOT / "examples" / "extension" / "README.md"
    assert installing == {ROOT / "docs" / "extending.md", extension}


def test_the_readme_of_the_extension_shows_what_its_page_shows() -> None:
    shown = [name for name, _ in commands_of(ROOT / "examples" / "extension" / "README.md")]
    page = [name.strip() for name, _ in commands_of(ROOT / "docs" / "extending.md")]
    assert shown
    assert set(shown) <= set(page)


def test_the_hints_shown_are_hints(tmp_path: Path) -> None:
    (shown,) = (block for language, block in blocks_of(SCHEDULES) if language == "json")
    path = tmp_path / "hints.json"
    path.write_text(shown)
    hints = HotPathHints.read(str(path), {})
    assert hints.is_hot("my_entry")
    assert hints.threshold_ns == 100_000


def test_the_pass_shown_takes_part_in_schedules() -> None:
    (shown,) = (block for language, block in blocks_of(SCHEDULES) if language == "python")
    names = dict[str, object]()
    exec(shown, names)
    shown_pass = names["MyPass"]
    assert isinstance(shown_pass, type)
    assert issubclass(shown_pass, ModulePass)
    metadata = getattr(shown_pass, "metadata", None)
    assert isinstance(metadata, PassMetadata)
    required = [
        PassOp(name, PassMetadata(metadata.phase, metadata.family)) for name in metadata.requires
    ]
    schedule = ScheduleOp("s", Profile.RELEASE, [PassOp(shown_pass.name, metadata), *required])
    schedule.verify()
    assert [op.sym_name.data for op in schedule.ordered()] == ["canonicalize", "my-pass"]
