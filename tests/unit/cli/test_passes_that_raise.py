"""Whatever a pass of any package raises is one line that names it, and never an error of vyre."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.schedules import TINY, made_pass
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.utils.exceptions import DiagnosticException, PassFailedException, VerifyException

from vyre_dialect import plugins
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.schedule import registry
from vyre_dialect.runtime.cli import main

RAISED = {
    "ValueError": (ValueError("out of\nluck"), f"ValueError: out of ({__file__}:"),
    "AssertionError": (AssertionError(), f"AssertionError ({__file__}:"),
    "KeyError": (KeyError("x"), f"KeyError: 'x' ({__file__}:"),
    "NotImplementedError": (NotImplementedError("no such op"), "NotImplementedError: no such op ("),
    "OSError": (
        FileNotFoundError(2, "No such file", "mlir-opt"),
        "FileNotFoundError: [Errno 2] No such file",
    ),
    "MemoryError": (MemoryError(), "MemoryError"),
    "RecursionError": (RecursionError("maximum depth"), "ops are nested too deeply"),
    "StopIteration": (StopIteration(), "StopIteration"),
    "diagnostic": (DiagnosticException("refused"), "refused"),
    "failure": (PassFailedException("refused"), "refused"),
    "verifier": (VerifyException("refused"), "refused"),
}
COMMANDS = {
    "compile -p": "compile p.mlir -p {}",
    "run -p": "run p.mlir --device reference -p {}",
    "explain -p": "explain p.mlir --device reference -p {}",
    "compile --before": "compile p.mlir --before arms={}",
    "compile --after": "compile p.mlir --after kernels={}",
}

Install = Callable[[Callable[[ModuleOp], object]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs the pass `acme`, beside a program."""
    monkeypatch.chdir(tmp_path)
    Path("p.mlir").write_text(TINY)
    passes = plugins.installed().all_passes
    # Read anew: what was read before is kept, and had another pass of this name.
    monkeypatch.setattr(registry, "installed_passes", lambda: {**passes})

    def add(does: Callable[[ModuleOp], object]) -> None:
        monkeypatch.setitem(passes, "acme", lambda: made_pass("acme", does))

    return add


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", RAISED)
def test_a_pass_that_raises_is_named(
    name: str, command: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    error, message = RAISED[name]

    def fail(module: ModuleOp) -> None:
        del module
        raise error

    install(fail)
    assert main(COMMANDS[command].format("acme").split()) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"vyre: error: pass 'acme': {message}")
    assert printed.err.count("\n") == 1


def test_debug_shows_where(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(module: ModuleOp) -> None:
        raise AssertionError(len(module.regions))

    install(fail)
    assert main(["compile", "p.mlir", "-p", "acme", "--debug"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert f'File "{__file__}"' in err


def test_a_verifier_that_raises_after_a_pass(
    install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("a verifier of xDSL's")

    install(lambda _: monkeypatch.setattr(ProgramOp, "verify_", fail))
    assert main(["compile", "p.mlir", "-p", "acme"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(
        "vyre: error: after 'acme': 'vyre.program': ValueError: a verifier of xDSL's"
    )
    assert err.endswith(" (p.mlir:2)\n")


def test_an_op_that_a_pass_leaves_wrong_is_told_with_its_line(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def of_another_type(module: ModuleOp) -> None:
        constants = [op for op in module.walk() if isinstance(op, ConstantOp)]
        constants[-1].value = IntegerAttr(1, i64)

    install(of_another_type)
    assert main(["compile", "p.mlir", "-p", "acme"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("vyre: error: after 'acme': 'arith.constant': ")
    assert err.endswith(" (p.mlir:6)\n")


@pytest.mark.parametrize("name", ["convert-arith-to-riscv", "apply-pdl-interp"])
def test_passes_of_xdsl(name: str, install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install(str)
    program = TINY.replace("arith.constant 1 : i32", "arith.floordivsi %a, %a : i32").replace(
        "%zero =", "%a = arith.constant 3 : i32\n    %zero ="
    )
    Path("p.mlir").write_text(program)
    assert main(["compile", "p.mlir", "-p", name]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"vyre: error: pass '{name}': ")
    assert err.count("\n") == 1


def test_what_a_pass_leaves_of_a_kernel(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kernel that is not one any more is an error of what was run, not of vyre."""

    def empty(module: ModuleOp) -> None:
        for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
            kernel.body.detach_block(0)

    install(empty)
    for stage in ("-p vyre-outline-kernels,acme", "--after kernels=acme"):
        assert main(["compile", "p.mlir", *stage.split()]) == 1
        err = capsys.readouterr().err
        assert err.startswith("vyre: error: ")
        assert err.count("\n") == 1
