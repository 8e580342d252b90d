"""Packages that are installed beside vyre, and those that are broken."""

import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path

import pytest
from support.schedules import TINY

from vyre_dialect import plugins
from vyre_dialect.runtime.cli import main
from vyre_dialect.universe import PASSES

Install = Callable[[str], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Adds an entry point to those that are installed."""

    def add(value: str) -> None:
        given = [*entry_points(group=plugins.GROUP), EntryPoint("z_broken", value, plugins.GROUP)]

        def found(group: str) -> EntryPoints:
            assert group == plugins.GROUP
            return EntryPoints(given)

        monkeypatch.setattr(plugins, "entry_points", found)
        plugins.installed.cache_clear()

    yield add
    plugins.installed.cache_clear()


def test_everything_is_found() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plugins.installed.cache_clear()
        found = plugins.installed()
    assert {"vyre", "arith", "scf"} <= set(found.all_dialects)
    assert {*PASSES, "canonicalize"} <= set(found.all_passes)
    assert "vyre-opencl" in found.all_targets


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:X", "No module named 'no_such_module'"),
        ("math:no_such_name", "no attribute 'no_such_name'"),
        ("math:pi", "expected a Universe, got float"),
        ("vyre_dialect.universe:VYRE_UNIVERSE", "'vyre' is defined already"),
    ],
)
def test_z_broken_package_is_a_warning(
    install: Install, capsys: pytest.CaptureFixture[str], value: str, reason: str
) -> None:
    install(value)
    with pytest.warns(RuntimeWarning, match=f"'z_broken' of 'xdsl.universe' .* failed: .*{reason}"):
        assert "vyre" in plugins.installed().all_dialects
    plugins.installed.cache_clear()
    assert main(["compile", "no-such-file"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert said[0].startswith("vyre: warning: entry point 'z_broken' of 'xdsl.universe'")


def test_programs_are_compiled_beside_a_broken_package(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install("no_such_module:X")
    program = tmp_path / "p.mlir"
    program.write_text(TINY)
    assert main(["compile", str(program)]) == 0
    printed = capsys.readouterr()
    assert "__kernel" in printed.out
    assert printed.err.startswith("vyre: warning: entry point 'z_broken'")
    assert printed.err.count("\n") == 1
