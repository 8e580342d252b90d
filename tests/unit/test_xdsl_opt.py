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
TIMED_IMPORT = """
import json, sys, time
import xdsl.universe
before = set(sys.modules)
start = time.perf_counter()
import vyre_dialect.universe
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted(set(sys.modules) - before)]))
"""


def xdsl_opt(*arguments: str, text: str = "") -> str:
    command = [XDSL_OPT, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def imported() -> tuple[float, list[str]]:
    """The time that importing the universe takes, and the modules that it imports."""
    command = [sys.executable, "-c", TIMED_IMPORT]
    seconds, modules = json.loads(subprocess.check_output(command, text=True))
    return seconds, modules


def test_the_passes_are_listed() -> None:
    known = "".join(xdsl_opt("--help").split())  # which breaks lines within names
    assert [name for name in (*PASSES, *TARGETS) if name not in known] == []


def test_the_dialect_is_parsed_and_printed() -> None:
    assert "vyre.decode.base64" in xdsl_opt(str(EXAMPLE))


def test_passes_and_the_target_run() -> None:
    pipeline = "vyre-expand,vyre-outline-kernels"
    assert xdsl_opt(str(EXAMPLE), "-p", pipeline).count("vyre.kernel") == 2
    assert xdsl_opt(str(EXAMPLE), "-p", pipeline, "-t", "vyre-opencl").count("__kernel") == 2


def test_errors_are_diagnostics() -> None:
    text = 'vyre.program @p { vyre.region "" invocations [4] {} }'
    diagnosed = xdsl_opt("--verify-diagnostics", text=text)
    assert "'vyre.region' expected a generator, got an empty string" in diagnosed


def test_the_universe_imports_nothing_heavy() -> None:
    _, modules = imported()
    heavy = ("pyopencl", "numpy", "islpy", "blake3", "rich")
    assert [name for name in modules if name.split(".")[0] in heavy] == []
    assert [name for name in modules if name.startswith("vyre_dialect.")] == [
        "vyre_dialect.universe"
    ]


def test_the_universe_costs_under_ten_milliseconds() -> None:
    # The fastest of several: others may use the machine.
    assert min(imported()[0] for _ in range(5)) < 0.010


@pytest.mark.parametrize(("name", "factory"), [*PASSES.items(), *TARGETS.items()])
def test_names_are_those_of_the_classes(
    name: str, factory: Callable[[], type[ModulePass | Target]]
) -> None:
    assert factory().name == name
    assert name.startswith("vyre-")
