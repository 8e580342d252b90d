"""`vyre schedule` prints what `vyre run` compiles by: the same kernels come of it, unedited."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.optimized_examples import DEVICES, NAMES
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from examples.data import EXAMPLES
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    load_module,
    make_context,
    schedule_for,
)

XOR = str(EXAMPLES / "xor_literal.mlir")
WITH_OPTIONS = OptimizePass(
    profile="megakernel", options='vyre-expand{choices="values=4"},vyre-vectorize{lanes=4}'
)

each_kind = pytest.mark.parametrize("kind", DEVICES)
each_example = pytest.mark.parametrize("name", NAMES)

Vyre = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def vyre(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vyre:
    """Runs the command in an empty folder; gives its status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(arguments: str) -> tuple[int, str, str]:
        status = main(arguments.split())
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def example(name: str) -> tuple[ModuleOp, Context]:
    context = make_context()
    return load_module(EXAMPLES / f"{name}.mlir", context), context


def printed(name: str, kind: str, optimize: OptimizePass, path: Path) -> OptimizePass:
    """The schedule of an example, printed into a file."""
    module, context = example(name)
    path.write_text(f"{schedule_for(module, optimize, context, DEVICES[kind])!s}\n")
    return OptimizePass(schedule=str(path))


@each_kind
@each_example
@pytest.mark.parametrize("optimize", [OptimizePass(), WITH_OPTIONS], ids=["default", "options"])
def test_what_is_printed_is_read_as_the_same(
    name: str, kind: str, optimize: OptimizePass, tmp_path: Path
) -> None:
    read = printed(name, kind, optimize, tmp_path / "s.mlir")
    module, context = example(name)
    schedules = [schedule_for(module, each, context, DEVICES[kind]) for each in (optimize, read)]
    ordered = [[str(op) for op in schedule.ordered()] for schedule in schedules]
    assert ordered[0] == ordered[1]
    assert [op.spec for op in schedules[0].passes()] == [op.spec for op in schedules[1].passes()]


@pytest.mark.slow
@each_kind
@each_example
def test_the_kernels_are_the_same(name: str, kind: str, tmp_path: Path) -> None:
    module, context = example(name)
    read = printed(name, kind, OptimizePass(), tmp_path / "s.mlir")
    sources = [
        compile_module(module, optimize=each, context=context, device=DEVICES[kind]).source
        for each in (None, read)
    ]
    assert sources[0] == sources[1]


def test_without_a_device(vyre: Vyre) -> None:
    status, out, err = vyre(f"schedule {XOR} --device reference")
    assert (status, err) == (0, "")
    Path("s.mlir").write_text(out)
    kernels = vyre(f"compile {XOR}")[1]
    assert vyre(f"compile {XOR} --schedule s.mlir") == (0, kernels, "")


def test_options_go_into_what_is_printed(vyre: Vyre) -> None:
    Path("s.mlir").write_text(vyre(f"schedule {XOR} --device reference")[1])
    options = "--options vyre-decode-scan-fuse{strategy=workgroup}"
    status, merged, err = vyre(f"schedule {XOR} --device reference --schedule s.mlir {options}")
    assert (status, err) == (0, "")
    assert 'options {strategy = "workgroup"}' in merged
    kernels = vyre(f"compile {XOR} --schedule s.mlir {options}")[1]
    assert "__local" in kernels
    Path("merged.mlir").write_text(merged)
    assert vyre(f"compile {XOR} --schedule merged.mlir")[1] == kernels


def test_options_that_a_schedule_does_not_take_are_said_how(vyre: Vyre) -> None:
    Path("s.mlir").write_text(vyre(f"schedule {XOR} --device reference")[1])
    status, out, err = vyre(f"compile {XOR} --schedule s.mlir --options vyre-unroll{{limit=2}}")
    said, line = err.splitlines()
    assert (status, out) == (1, "")
    assert said.endswith("to have it there, add the line below")
    text = Path("s.mlir").read_text()
    Path("s.mlir").write_text(text.rstrip("}\n") + f"\n{line}\n}}")
    expected = vyre(f"compile {XOR} --options vyre-unroll{{limit=2}}")[1]
    assert vyre(f"compile {XOR} --schedule s.mlir") == (0, expected, "")


def test_the_schedule_of_a_program_is_its_own(vyre: Vyre) -> None:
    own = vyre(f"schedule {XOR} --device reference --profile dataflow")[1]
    Path("p.mlir").write_text(own.replace("@dataflow", "@mine") + Path(XOR).read_text())
    status, out, _ = vyre("schedule p.mlir --device reference")
    assert (status, out) == (0, own.replace("@dataflow", "@mine"))


def test_json(vyre: Vyre) -> None:
    out = vyre(f"schedule {XOR} --device reference --json --options vyre-unroll{{limit=2}}")[1]
    shown = json.loads(out)
    assert (shown["device"], shown["profile"]) == (None, "release")
    assert shown["passes"]["vyre-unroll"] == {"limit": [2]}
    assert shown["schedule"].startswith("vyre.schedule @release")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--options nope", "options for 'nope', which is no pass of the schedule"),
        ("--profile fast", "argument --profile"),
        ("--device nope", "nope"),
        ("--program nope", "unknown program 'nope'"),
        ("--schedule nope.mlir", "cannot read the schedule 'nope.mlir'"),
    ],
)
def test_what_makes_no_sense(vyre: Vyre, arguments: str, message: str) -> None:
    status, out, err = vyre(f"schedule {XOR} {arguments}")
    assert (status in (1, 2), out, err.count("\n")) == (True, "", 1)
    assert message in err
