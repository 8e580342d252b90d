"""Broken programs and command lines: an error in one line, no hang, and no file touched."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from support.mutations import (
    Outcomes,
    asked_for,
    check_programs,
    command_lines,
    make_folder,
    mutated_command,
    snapshot,
)

EXAMPLES = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))
SEED = int(os.environ.get("VYRE_FUZZ_SEED", "0"))
PROGRAMS, COMMANDS = (2 * EXAMPLES, EXAMPLES // 5) if EXAMPLES else (150, 40)

ADD = """
vyre.program @add {
  %a = vyre.buffer @a : !vyre.buffer<?xi8, read_only>
  %b = vyre.buffer @b : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %a : !vyre.buffer<?xi8, read_only>
  %sums = vyre.buffer @sums[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "add" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %y = vyre.load %b[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %s = arith.addi %x, %y : i8
    vyre.store %s, %sums[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""


@pytest.mark.slow
def test_broken_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = check_programs(PROGRAMS, SEED, tmp_path / "broken.mlir")
    with capsys.disabled():
        print(f"\n{PROGRAMS} broken programs: {outcomes}")
    assert outcomes.statuses[0] and outcomes.statuses[1]


def test_broken_command_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    outcomes = Outcomes()
    for number in range(COMMANDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        check_command_line(number, folder, outcomes)
        shutil.rmtree(folder)
    with capsys.disabled():
        print(f"\n{COMMANDS} broken command lines: {outcomes}")
    assert outcomes.statuses[0] and outcomes.statuses[2]


def check_command_line(number: int, folder: Path, outcomes: Outcomes) -> None:
    make_folder(folder, ADD)
    draw = random.Random(f"{SEED} {number}")
    arguments = mutated_command(draw.choice(command_lines(folder)), draw)
    before = snapshot(folder)
    outcomes.check(arguments)
    after = snapshot(folder)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    asked = set(asked_for(arguments, folder))
    assert {name for name in changed if not is_asked_for(name, asked, before)} == set(), arguments
    assert after["pipe"] == before["pipe"]
    assert after["out-link"] == before["out-link"]


def is_asked_for(name: str, asked: set[str], before: dict[str, tuple[int, object]]) -> bool:
    """Whether a file may be written: it was named, or is a new one in a folder that was."""
    return name in asked or (name not in before and str(Path(name).parent) in asked)
