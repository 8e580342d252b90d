"""Without pyopencl and islpy, as in a browser's Python, everything works but devices and proofs."""

from __future__ import annotations

import subprocess
import sys

import pytest
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


@pytest.mark.slow
def test_programs_are_run_compiled_and_explained() -> None:
    count, kernels, verdict = printed(PROGRAM)
    assert (count, kernels) == ("0", "2")
    assert verdict == (
        "decoded False gave-up islpy is not installed, so nothing can be proved; "
        "'pip install islpy' brings it"
    )


EXAMPLES = """
from pathlib import Path
import vyre
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

for path in sorted(Path("examples").glob("*.mlir")):
    kernels = compile_module(load_module(path, make_context())).source.count("__kernel")
    print(kernels, *(each["reason"] for each in vyre.explain(path).handoffs if not each["fused"]))
"""


@pytest.mark.slow
def test_every_pass_does_without_proofs() -> None:
    lines = printed(EXAMPLES)
    assert len(lines) == 5
    assert {line.split()[0] for line in lines} == {"2"}
    assert all("gave-up" in line for line in lines)


def test_devices_are_asked_for_in_vain() -> None:
    asked = "import vyre\ntry: vyre.compile('examples/xor_literal.mlir', device='cpu')\n"
    (told,) = printed(asked + "except vyre.VyreError as error: print(error)\n")
    assert "pyopencl is not installed" in told


def test_each_is_imported_only_where_it_is_used() -> None:
    names = "print(*({'islpy', 'pyopencl'} & set(sys.modules)))"
    command = [sys.executable, "-c", f"import sys, vyre; {names}"]
    assert subprocess.check_output(command, text=True).split() == []
