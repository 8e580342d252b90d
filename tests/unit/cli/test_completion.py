"""Shells complete arguments."""

import subprocess
from pathlib import Path

import pytest
from support.commands import process

from vyre_dialect.runtime.cli import main


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_arguments_are_completed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    assert "--device" in capsys.readouterr().out


def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    done = process("--print-completion", "bash", cwd=tmp_path)
    (tmp_path / "completion").write_text(done.stdout)
    asked = "COMP_WORDS=(vyre run --ch); COMP_CWORD=2; _shtab_vyre; echo ${COMPREPLY[@]}"
    said = subprocess.run(
        ["bash", "-c", f"source completion; {asked}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["--check"]
