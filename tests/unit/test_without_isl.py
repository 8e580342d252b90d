"""Without pyopencl and islpy, as in a browser's Python, everything works but devices and proofs."""

from __future__ import annotations

import subprocess
import sys

from support.documents import ROOT

WITHOUT = "import sys; sys.modules['islpy'] = sys.modules['pyopencl'] = None\n"
"""What keeps both from being imported."""
PROGRAM = """
import numpy as np
import vyre
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from pathlib import Path

path = Path("examples/xor_literal.mlir")
data = np.frombuffer(b"a secret in a text", np.uint8)
print(int(vyre.run(path, {"encoded": data}, device="reference").outputs["count"][0]))
print(compile_module(load_module(path, make_context())).source.count("__kernel"))
for handoff in vyre.explain(path).handoffs:
    print(handoff["name"], handoff["fused"], handoff["reason"], handoff["detail"])
"""


def printed(program: str) -> list[str]:
    command = [sys.executable, "-c", WITHOUT + program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_programs_are_run_compiled_and_explained() -> None:
    count, kernels, verdict = printed(PROGRAM)
    assert (count, kernels) == ("0", "2")
    assert verdict == (
        "decoded False gave-up islpy is not installed, so nothing can be proved; "
        "'pip install islpy' brings it"
    )


def test_devices_are_asked_for_in_vain() -> None:
    asked = "import vyre\ntry: vyre.compile('examples/xor_literal.mlir', device='cpu')\n"
    (told,) = printed(asked + "except vyre.VyreError as error: print(error)\n")
    assert "pyopencl is not installed" in told


def test_each_is_imported_only_where_it_is_used() -> None:
    names = "print(*({'islpy', 'pyopencl'} & set(sys.modules)))"
    command = [sys.executable, "-c", f"import sys, vyre; {names}"]
    assert subprocess.check_output(command, text=True).split() == []
