"""Plain `xdsl-opt` finds vyre's dialect, passes and target, and pays next to nothing for them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from vyre_dialect.universe import PASSES, TARGETS

XDSL_OPT = shutil.which("xdsl-opt", path=str(Path(sys.executable).parent)) or "xdsl-opt"
EXAMPLE = Path(__file__).parents[2] / "examples" / "base64_literal.mlir"

# Universes of other packages do not count.
IMPORTED = """
import json, sys
import xdsl.universe
before = set(sys.modules)
import {module}
print(json.dumps(sorted(set(sys.modules) - before)))
"""
HEAVY = {"pyopencl", "numpy", "islpy", "blake3", "rich"}


def xdsl_opt(*arguments: str, text: str = "") -> str:
    command = [XDSL_OPT, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def imported(module: str) -> list[str]:
    """The modules that importing one imports, besides what xDSL does."""
    command = [sys.executable, "-c", IMPORTED.format(module=module)]
    return json.loads(subprocess.check_output(command, text=True))


def test_the_passes_are_listed() -> None:
    known = "".join(xdsl_opt("--help").split())  # which breaks lines within names
    assert [name for name in (*PASSES, *TARGETS) if name not in known] == []


def test_the_dialect_is_parsed_and_printed() -> None:
    assert "vyre.decode.base64" in xdsl_opt(str(EXAMPLE))


@pytest.mark.slow
def test_passes_and_the_target_run() -> None:
    pipeline = "vyre-expand,vyre-outline-kernels"
    assert xdsl_opt(str(EXAMPLE), "-p", pipeline).count("vyre.kernel") == 2
    assert xdsl_opt(str(EXAMPLE), "-p", pipeline, "-t", "vyre-opencl").count("__kernel") == 2


def test_errors_are_diagnostics() -> None:
    text = 'vyre.program @p { vyre.region "" invocations [4] {} }'
    diagnosed = xdsl_opt("--verify-diagnostics", text=text)
    assert "'vyre.region' expected a generator, got an empty string" in diagnosed


@pytest.mark.parametrize("module", ["vyre_dialect.universe", "vyre_dialect.runtime.cli"])
def test_what_every_process_imports_is_light(module: str) -> None:
    assert {name.split(".")[0] for name in imported(module)} & HEAVY == set()


def test_the_universe_imports_nothing_else_of_vyre() -> None:
    modules = imported("vyre_dialect.universe")
    assert [name for name in modules if name.startswith("vyre_dialect.")] == [
        "vyre_dialect.universe"
    ]


@pytest.mark.parametrize(("name", "factory"), [*PASSES.items(), *TARGETS.items()])
def test_names_are_those_of_the_classes(
    name: str, factory: Callable[[], type[ModulePass | Target]]
) -> None:
    assert factory().name == name
    assert name.startswith("vyre-")
