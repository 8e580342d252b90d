"""Commands run in a folder that holds a program and its input, and what they have printed."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from examples.data import EXAMPLES
from support.told import message_of

HISTOGRAM = str(EXAMPLES / "hex_histogram.mlir")
LITERAL = str(EXAMPLES / "base64_literal.mlir")

DOUBLE = """
vyre.program @double {
  %values = vyre.buffer @values : !vyre.buffer<4xi32, read_only>
  %doubles = vyre.buffer @doubles live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "double" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<4xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %doubles[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
HANDOFF = """
vyre.program @handoff {
  %values = vyre.buffer @values : !vyre.buffer<4xi32, read_only>
  %h = vyre.buffer @h : !vyre.buffer<4xi32, read_write>
  %doubles = vyre.buffer @doubles live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "first" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<4xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %h[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
  vyre.region "second" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %h[%i] : !vyre.buffer<4xi32, read_write> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %doubles[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
VALUES = [1, 2, -3, 4]


class Outcome:
    """What a command has printed, and its exit status."""

    def __init__(self, status: int, out: str, err: str):
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Vyre = Callable[..., Outcome]


def snapshot(folder: Path) -> dict[str, bytes | None]:
    paths = sorted(folder.rglob("*"))
    return {str(path): None if path.is_dir() else path.read_bytes() for path in paths}


def double(*more: str) -> tuple[str, ...]:
    return ("run", "double.mlir", "--input", "values=values", "--device", "reference", *more)


def assert_one_line(failed: Outcome, message: str) -> None:
    assert failed.out == ""
    said = message_of(failed.err)
    assert said.startswith("vyre: error: ")
    assert message in said


def command_line(*arguments: str, before: str = "") -> list[str]:
    """What starts `vyre` in a process of its own, which runs other statements first."""
    start = "import sys; from vyre_dialect.runtime.cli import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", f"{before}{start}", *arguments]


def process(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, before: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command_line(*arguments, before=before),
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
