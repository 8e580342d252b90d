"""Output is rich on a terminal and plain through a pipe; a bar shows what takes long."""

import io
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from vyre_dialect.runtime.cli import run as run_command
from vyre_dialect.runtime.cli import terminal
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult

PRINT_TABLE = (
    "from vyre_dialect.runtime.cli.terminal import print_table\n"
    "print_table('title', ('name', 'size'), [('a', '1'), ('bbbb', '22')])"
)


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


def test_tables_are_plain_through_a_pipe() -> None:
    out = subprocess.check_output([sys.executable, "-c", PRINT_TABLE], text=True)
    assert out == "title\n  name  size\n  a        1\n  bbbb    22\n"


def test_tables_are_drawn_on_a_terminal() -> None:
    reader, writer = os.openpty()
    with subprocess.Popen([sys.executable, "-c", PRINT_TABLE], stdout=writer) as running:
        assert running.wait() == 0
    os.close(writer)
    drawn = os.read(reader, 10_000).decode()
    os.close(reader)
    assert "bbbb" in drawn
    assert "─" in drawn


def test_empty_tables_have_a_head(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table("title", ("name", "size"), [])
    assert capsys.readouterr().out == "title\n  name  size\n"


def test_names_are_no_commands_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table("on \x1b[31mred", ("name", "size"), [("\x1b]0;a\x07", "1\n2")])
    assert capsys.readouterr().out == "on  [31mred\n  name    size\n   ]0;a    1 2\n"


@pytest.mark.parametrize("text", ["[/x]", "[red]", "[link=y]"])
def test_brackets_are_no_commands_to_rich(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    terminal.print_table(f"title {text}", (f"head {text}",), [(f"cell {text}",)])
    for place in ("title", "head", "cell"):
        assert f"{place} {text}" in screen.getvalue()


def test_heads_are_no_commands_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table("title", ("a\x1b]0;b\x07", "size"), [])
    assert capsys.readouterr().out == "title\n  a ]0;b   size\n"


def replace_stderr(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Let errors go to a terminal; in the test itself, as pytest replaces streams before it."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def wait_for(text: str, screen: Terminal) -> None:
    limit = time.monotonic() + 120
    while text not in screen.getvalue():
        assert time.monotonic() < limit, f"'{text}' is not shown"
        time.sleep(0.02)


def test_what_takes_long_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = replace_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0.01)
    with terminal.progress_bar() as progress:
        progress("counting sheep", None)
        wait_for("counting sheep", screen)
        progress("dreaming", 0.5)
        wait_for("dreaming", screen)


def test_what_is_being_done_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = replace_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0.01)
    with terminal.progress_bar() as progress:
        progress("running [/x] \x1b]0;title\x07", None)
        wait_for("running [/x]  ]0;title", screen)
    assert "\x1b]0;title" not in screen.getvalue()


def test_what_is_quick_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = replace_stderr(monkeypatch)
    with terminal.progress_bar() as progress:
        progress("counting sheep", 0.5)
    assert screen.getvalue() == ""


def test_nothing_is_shown_through_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    with terminal.progress_bar() as progress:
        progress("counting sheep", None)
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_json_has_no_number_for_infinities() -> None:
    values = np.array([[1.5, np.inf], [-np.inf, np.nan]], np.float32)
    run = RunResult("p", "d", (ArmTiming("a", 5, 10),), {"values": values}, 7)
    assert run_command.as_json(run)["outputs"] == {"values": [[1.5, "inf"], ["-inf", "nan"]]}
