"""A schedule is data: it names no pass and no option that could run a command or touch a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from support.schedules import CONTEXT, TINY, install, tiny
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.reading import read_module
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase, Profile
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes.schedule import registry
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.passes.schedule.optimize import MissingPassError, OptimizePass
from vyre_dialect.passes.schedule.options import parse_options
from vyre_dialect.passes.schedule.scheduler import Scheduler
from vyre_dialect.passes.schedule.select_passes import Selector
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.program.compilation import compile_module, parse_module
from vyre_dialect.universe import PASSES

PASS = "phase {phase} family unknown boundary module preserves_abi"
REPORT = 'options {report = "written"}'
SHELL = 'options {executable = "/bin/sh", arguments = ["-c", "echo > written; cat"]}'


def naming(name: str, options: str = "", phase: str = "arms") -> str:
    """A schedule that names a pass."""
    line = f'vyre.pass @"{name}" {options} {PASS.format(phase=phase)}'
    return f"vyre.schedule @s profile(release) {{\n{line}\n}}\n"


EVIL = {
    "a command": ("mlir-opt", naming("mlir-opt", SHELL)),
    "a report": ("vyre-optimize", naming("vyre-optimize", REPORT)),
    "hints": ("vyre-optimize", naming("vyre-optimize", 'options {hints = "read"}')),
    "an earlier report": ("vyre-optimize", naming("vyre-optimize", 'options {previous = "read"}')),
    "a schedule": ("vyre-optimize", naming("vyre-optimize", 'options {schedule = "read"}')),
    "telemetry": ("vyre-select-passes", naming("vyre-select-passes", 'options {hints = "read"}')),
    "a pipeline": (
        "vyre-materialize-schedule",
        naming("vyre-materialize-schedule", 'options {options = "mlir-opt"}'),
    ),
    "patterns": ("apply-pdl", naming("apply-pdl", 'options {pdl_file = "read"}')),
    "a pass of xDSL": ("cse", naming("cse")),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which everything runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", EVIL)
def test_a_program_names_passes_only_that_take_part(kind: str, folder: Path) -> None:
    name, schedule = EVIL[kind]
    message = f"^p.mlir:2: the schedule '@s' names the pass '{name}', which takes no part in sched"
    module = parse_module(schedule + TINY, CONTEXT, "p.mlir")
    with pytest.raises(VyreError, match=message) as caught:
        compile_module(module, context=CONTEXT)
    assert "\n" not in str(caught.value)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("kind", EVIL)
def test_a_file_names_passes_only_that_take_part(kind: str, folder: Path) -> None:
    name, schedule = EVIL[kind]
    Path("s.mlir").write_text(schedule)
    message = f"^s.mlir:2: the schedule '@s' names the pass '{name}', which takes no part in sched"
    with pytest.raises(PassFailedException, match=message):
        OptimizePass(schedule="s.mlir").run(CONTEXT, tiny())
    assert os.listdir(folder) == ["s.mlir"]


@pytest.mark.parametrize("kind", EVIL)
def test_no_pass_runs_that_takes_no_part(kind: str, folder: Path) -> None:
    name, text = EVIL[kind]
    (schedule,) = read_module(text, CONTEXT, "s.mlir").ops
    assert isinstance(schedule, ScheduleOp)
    with pytest.raises(PassFailedException, match=f"names the pass '{name}'"):
        Scheduler(CONTEXT, tiny(), schedule, Selector())
    assert os.listdir(folder) == []


def test_only_these_passes_of_xdsl_take_part() -> None:
    assert set(registry.XDSL_PASSES) == {"canonicalize", "dce", "licm"}
    for name in registry.XDSL_PASSES:
        assert not registry.installed_passes()[name]().required_fields()


def test_what_reads_or_writes_files_in_vyre_takes_no_part() -> None:
    """Of the passes that take part, texts are these options, none of which is a path."""
    texts = {
        (name, field)
        for name in registry.scheduled_passes().keys() & PASSES
        for field, type in PASSES[name]().__annotations__.items()
        if "str" in str(type) and "ClassVar" not in str(type)
    }
    assert texts == {("vyre-expand", name) for name in ("choices", "defaults", "unfused")}


@dataclass(frozen=True)
class ReadPass(ModulePass):
    """Takes a path, and says so."""

    name = "acme-read"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS, Family.UNKNOWN, trusted_options=("table-file",)
    )

    table_file: str = ""
    times: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        op.attributes["read"] = StringAttr(f"{self.table_file} {self.times}")


@pytest.mark.parametrize("option", ["table_file", '"table-file"'])
def test_a_schedule_gives_no_option_that_a_pass_trusts(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, ReadPass)
    text = naming("acme-read", f'options {{{option} = "/etc/passwd"}}') + TINY
    message = (
        "^p.mlir:2: the schedule '@s' names the pass 'acme-read' with option 'table_file', which "
        "only whoever compiles may give: take it out, and give it by --options "
        "'acme-read{table_file=…}'$"
    )
    with pytest.raises(PassFailedException, match=message):
        OptimizePass().run(CONTEXT, read_module(text, CONTEXT, "p.mlir"))


POLICY = "vyre.schedule @s profile(release) devices {{}} {{\nvyre.request {request}\n}}\n"
ASKED = {
    '@"mlir-opt" options {executable = "/bin/sh"}': "'mlir-opt', which takes no part in sched",
    '@"vyre-optimize" options {report = "written"}': "'vyre-optimize', which takes no part",
    "@nope": "'nope', which is not installed",
    '@"acme-read" options {table_file = "/etc/passwd"}': "'acme-read' with option 'table_file'",
    '@"acme-read" options {"table-file" = "/etc/passwd"}': "'acme-read' with option 'table_file'",
}
"""What a policy may not ask for, and what is said then."""


@pytest.mark.parametrize("request_", ASKED)
def test_a_policy_asks_for_no_more_than_a_schedule(
    request_: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = {**registry.installed_passes(), "acme-read": lambda: ReadPass}
    monkeypatch.setattr(registry, "installed_passes", lambda: passes)
    text, message = POLICY.format(request=request_), f":2: .* names the pass {ASKED[request_]}"
    with pytest.raises(PassFailedException, match="^p.mlir" + message):
        OptimizePass().run(CONTEXT, read_module(text + TINY, CONTEXT, "p.mlir"))
    Path("s.mlir").write_text(text)
    with pytest.raises(PassFailedException, match="^s.mlir" + message):
        OptimizePass(schedule="s.mlir").run(CONTEXT, tiny())
    assert os.listdir(folder) == ["s.mlir"]


def run(optimize: OptimizePass, module: ModuleOp) -> tuple[str, ScheduleOp]:
    """What `acme-read` has read, and the schedule that it ran by."""
    schedule = optimize.run(CONTEXT, module).schedule
    said = module.attributes["read"]
    assert isinstance(said, StringAttr)
    return said.data, schedule


OPTIONS = "acme-read{table-file=mine times=2}"


def test_whoever_compiles_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ReadPass)
    read, schedule = run(OptimizePass(options=OPTIONS), tiny())
    assert read == "mine 2"
    (op,) = schedule.passes()
    assert op.spec.parameters == {"times": (2,)}


def test_whoever_compiles_gives_it_beside_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ReadPass)
    text = naming("acme-read", "options {times = 3 : i64}")
    Path("s.mlir").write_text(text)
    assert run(OptimizePass(schedule="s.mlir", options=OPTIONS), tiny())[0] == "mine 2"
    module = parse_module(text + TINY, CONTEXT)
    assert run(OptimizePass(options="acme-read{table-file=mine}"), module)[0] == "mine 3"


def test_a_materialized_schedule_has_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ReadPass)
    assert "mine" not in str(materialize(Profile.RELEASE, parse_options(OPTIONS)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "vyre-unroll{limit=4}",
            r"options for 'vyre-unroll', which is no pass of the schedule of 's.mlir': to have it "
            "there, add the line below",
        ),
        ("mlir-opt", "options for 'mlir-opt', which is no pass of the schedule of 's.mlir'$"),
        ("nope", "options for 'nope', which is no pass of the schedule of 's.mlir'$"),
        ("nope{", "malformed options 'nope\\{': "),
        (f"nope{{x={'9' * 5000}}}", "malformed options '.*': exceeds the limit"),
        (r'nope{x="\f"}', "malformed options '.*': "),
    ],
)
def test_options_for_what_a_schedule_does_not_name(options: str, message: str) -> None:
    Path("s.mlir").write_text(naming("vyre-expand", phase="expand"))
    with pytest.raises(PassFailedException, match=message) as caught:
        OptimizePass(schedule="s.mlir", options=options).run(CONTEXT, tiny())
    assert "\n" not in str(caught.value)


def test_the_line_that_is_advised_is_one_of_a_schedule() -> None:
    Path("s.mlir").write_text(naming("vyre-expand", phase="expand"))
    with pytest.raises(MissingPassError) as caught:
        OptimizePass(schedule="s.mlir", options="vyre-coarsen{items=4}").run(CONTEXT, tiny())
    line = caught.value.detail
    assert line is not None
    assert caught.value.__notes__ == [line]  # which xdsl-opt prints
    text = naming("vyre-expand", phase="expand").replace("}", f"{line}\n}}")
    (schedule,) = read_module(text, CONTEXT, "s.mlir").ops
    assert isinstance(schedule, ScheduleOp)
    assert [op.sym_name.data for op in schedule.passes()] == ["vyre-expand", "vyre-coarsen"]
