"""What docs/mlir.md shows makes PTX of an example."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.documents import ROOT, blocks_of
from support.mlir_tools import require_tools


@pytest.mark.slow
def test_the_commands_shown_make_ptx(tmp_path: Path) -> None:
    require_tools()
    shown = dict(blocks_of(ROOT / "docs" / "mlir.md"))
    first = shown[""].splitlines()[0].removeprefix("$ ")
    tools = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["bash", "-e", "-c", f"{first}\n{shown['bash']}"],
        cwd=tmp_path,
        env=tools,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".visible .entry delta_filter_0_decode_delta_scan_filter" in done.stdout
