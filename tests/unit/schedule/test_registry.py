"""Passes of other packages take part; schedules are stable, and putting them in order is linear."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.counting import function_calls
from support.schedules import PLAIN, TINY, install, made_pass
from xdsl.passes import ModulePass

from benchmarks.compile_time import close_and_order, many_passes
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes.schedule import registry
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.passes.schedule.options import parse_options
from vyre_dialect.universe import PASSES

PACKAGE = """
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase


@dataclass(frozen=True)
class SignPass(ModulePass):
    name = "acme-sign"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.SCALAR, requires=("canonicalize",)
    )
    by: str = "nobody"

    def apply(self, ctx, op):
        op.attributes["signed"] = StringAttr(self.by)


@dataclass(frozen=True)
class ShyPass(ModulePass):
    name = "acme-shy"

    def apply(self, ctx, op):
        raise AssertionError("takes no part")


def broken():
    raise ImportError("no acme")


UNIVERSE = Universe(
    all_passes={"acme-sign": lambda: SignPass, "acme-shy": lambda: ShyPass, "acme-broken": broken}
)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package that has a universe of its own."""
    (tmp_path / "acme.py").write_text(PACKAGE)
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xdsl.universe]\nacme = acme:UNIVERSE\n")
    return tmp_path


def xdsl_opt(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt", *arguments]
    environment = os.environ | variables
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_pass_of_another_package_takes_part(package: Path) -> None:
    program = package / "tiny.mlir"
    program.write_text(TINY)
    pipeline = 'vyre-optimize{keep_schedule=true options="acme-sign{by=acme}"}'
    run = xdsl_opt(str(program), "-p", pipeline, PYTHONPATH=str(package))
    assert run.returncode == 0, run.stderr
    assert 'signed = "acme"' in run.stdout
    (line,) = (line for line in run.stdout.splitlines() if '@"acme-sign"' in line)
    assert 'options {by = "acme"} phase kernels' in line
    assert "selected true reason always_on" in line
    assert "acme-shy" not in run.stdout
    assert "pass 'acme-broken' takes no part in schedules: no acme" in run.stderr


def test_every_pass_of_vyre_takes_part_but_those_that_cannot_by_themselves() -> None:
    apart = set(PASSES) - set(registry.scheduled_passes())
    assert apart == {
        "vyre-join-programs",  # needs to be told what to join
        *("vyre-stream", "vyre-cut-stream"),  # for who has the pieces
        "vyre-drop-claims",  # would drop what those before it prove
        "vyre-materialize-schedule",
        "vyre-select-passes",
        "vyre-close-requirements",
        "vyre-optimize",
    }


def asked_for(options: str) -> ScheduleOp:
    """A schedule with options of passes."""
    return materialize(Profile.RELEASE, parse_options(options))


def test_passes_that_no_device_gains_from_in_every_program_wait_for_a_tuner() -> None:
    waiting = {name for name, each in registry.scheduled_passes().items() if each.on_request}
    assert waiting == {
        *("vyre-unroll", "vyre-reassociate", "vyre-sroa", "vyre-split-index-sets"),
        *("vyre-form-byte-permutes", "vyre-form-work-item-loops", "vyre-vectorize"),
        *("vyre-pipeline-loops", "vyre-transpose-handoffs", "vyre-flatten-domains"),
        *("vyre-merge-branches", "vyre-narrow-sums", "vyre-pack-bytes"),
        *("vyre-narrow-integers", "vyre-expand-counts"),
    }
    usual = {op.sym_name.data for op in materialize(Profile.RELEASE).passes()}
    assert not waiting & usual
    asked = asked_for("vyre-unroll,vyre-coarsen{items=2}")
    assert waiting & {op.sym_name.data for op in asked.passes()} == {"vyre-unroll"}


def test_lanes_come_before_fusion_and_items() -> None:
    asked = asked_for("vyre-coarsen{items=4},vyre-vectorize{lanes=16}")
    names = [op.sym_name.data for op in asked.passes()]
    fusion, lanes, items = map(
        names.index, ("vyre-decode-scan-fuse", "vyre-vectorize", "vyre-coarsen")
    )
    assert lanes < fusion < items


def test_a_workgroup_becomes_an_invocation_after_fusion_and_before_shares() -> None:
    asked = asked_for("vyre-coarsen{groups=4},vyre-form-work-item-loops")
    names = [op.sym_name.data for op in asked.passes()]
    passes = ("vyre-decode-scan-fuse", "vyre-form-work-item-loops", "vyre-coarsen")
    fusion, invocations, shares = map(names.index, passes)
    assert fusion < invocations < shares


def test_passes_of_xdsl_are_not_imported_to_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> type[ModulePass]:
        raise AssertionError

    passes = {"cse": fail, "canonicalize": fail, "made": lambda: made_pass("made", str)}
    monkeypatch.setattr(registry, "installed_passes", lambda: passes)
    assert list(registry.scheduled_passes()) == ["canonicalize", "made"]


def test_the_order_does_not_depend_on_the_order_of_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = [made_pass(f"p{k}", str) for k in range(9)]
    passes.append(made_pass("a", str, replace(PLAIN, requires=("p5",))))
    install(monkeypatch, *passes)
    one = str(materialize(Profile.RELEASE))
    install(monkeypatch, *reversed(passes))
    assert str(materialize(Profile.RELEASE)) == one
    names = [op.sym_name.data for op in materialize(Profile.RELEASE).passes()]
    assert names == ["p0", "p1", "p2", "p3", "p4", "p5", "a", "p6", "p7", "p8"]


@pytest.mark.slow
def test_closing_and_ordering_many_passes() -> None:
    order = close_and_order(many_passes(2000))
    assert all(op.is_selected for op in order)
    assert [op.sym_name.data for op in order] == [f"p{k}" for k in reversed(range(2000))]


@pytest.mark.slow
def test_closing_and_ordering_are_linear() -> None:
    close_and_order(many_passes(10))
    few = function_calls(lambda: close_and_order(many_passes(200)))
    many = function_calls(lambda: close_and_order(many_passes(2000)))
    assert many < 12 * few
