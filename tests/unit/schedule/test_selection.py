"""Passes are selected by what is known of a program, on schedules of registered passes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.schedules import CONTEXT, tiny
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.scheduling import Reason
from vyre_dialect.ops.schedule import (
    PassOp,
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.schedule.close_requirements import CloseRequirementsPass
from vyre_dialect.passes.schedule.materialize_schedule import MaterializeSchedulePass
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.report import REDUCIBLE
from vyre_dialect.passes.schedule.select_passes import SelectPassesPass

EXPENSIVE = "vyre-decode-scan-fuse"
"""A registered pass that a tiny program is not worth."""


def schedule_for(module: ModuleOp) -> ScheduleOp:
    """The schedule of all registered passes, put into the module."""
    MaterializeSchedulePass().apply(CONTEXT, module)
    (schedule,) = (op for op in module.ops if isinstance(op, ScheduleOp))
    return schedule


def pass_of(schedule: ScheduleOp, name: str) -> PassOp:
    return next(op for op in schedule.passes() if op.sym_name.data == name)


def decision(module: ModuleOp, name: str = EXPENSIVE, **options: Any) -> Decision:
    """What is decided on a registered pass, requirements closed."""
    schedule = schedule_for(module)
    SelectPassesPass(**options).apply(CONTEXT, module)
    CloseRequirementsPass().apply(CONTEXT, module)
    decided = pass_of(schedule, name).decision
    assert decided is not None
    return decided


def hints(folder: Path, **mean_ns: int) -> str:
    """A file of telemetry, a dispatch for each entry."""
    rows = [
        {"generator": entry, "dispatch_count": 1, "kernel_ns_total": ns, "bytes_total": 4}
        for entry, ns in mean_ns.items()
    ]
    path = folder / "hints.json"
    path.write_text(json.dumps({"rows": rows}))
    return str(path)


def report(folder: Path, *, changed: bool, nodes: tuple[int, int]) -> str:
    """The report of a run of the expensive pass, with the nodes before and after."""
    row: dict[str, object] = {"pass": EXPENSIVE, "changed": changed}
    for name in REDUCIBLE:
        row |= {f"{name}_before": 4, f"{name}_after": 4}
    row |= {"nodes_before": nodes[0], "nodes_after": nodes[1]}
    path = folder / "report.json"
    path.write_text(json.dumps({"version": 1, "passes": [row]}))
    return str(path)


def test_a_small_cold_program_skips_an_expensive_pass() -> None:
    decided = decision(tiny())
    assert (decided.selected, decided.reason) == (False, Reason.BELOW_THRESHOLD)


def test_a_hot_entry_selects_an_expensive_pass(tmp_path: Path) -> None:
    decided = decision(tiny("hot_entry"), hints=hints(tmp_path, hot_entry=1_000_000))
    assert (decided.selected, decided.reason) == (True, Reason.HOT_PATH_TELEMETRY)
    assert decided.priority == 500 > Reason.PASS_COST_REPORT.priority


@pytest.mark.parametrize(
    ("entry", "mean"), [("hot_entry", 99_999), ("other", 1_000_000), (None, 1_000_000)]
)
def test_an_entry_that_is_not_hot_selects_nothing(
    tmp_path: Path, entry: str | None, mean: int
) -> None:
    decided = decision(tiny(entry), hints=hints(tmp_path, hot_entry=mean))
    assert decided.reason == Reason.BELOW_THRESHOLD


def test_an_entry_that_never_ran_is_not_hot(tmp_path: Path) -> None:
    path = tmp_path / "hints.json"
    path.write_text(json.dumps({"hot_ns_threshold": 0, "rows": []}))
    assert decision(tiny("hot_entry"), hints=str(path)).reason == Reason.BELOW_THRESHOLD
    row = {"generator": "hot_entry", "dispatch_count": 1, "kernel_ns_total": 0}
    path.write_text(json.dumps({"hot_ns_threshold": 0, "rows": [row]}))
    assert decision(tiny("hot_entry"), hints=str(path)).reason == Reason.HOT_PATH_TELEMETRY
    path.write_text(json.dumps({"hot_ns_threshold": 0, "rows": [row | {"dispatch_count": 0}]}))
    assert decision(tiny("hot_entry"), hints=str(path)).reason == Reason.BELOW_THRESHOLD


def test_a_cost_report_selects_a_cold_expensive_pass(tmp_path: Path) -> None:
    decided = decision(tiny(), report=report(tmp_path, changed=True, nodes=(10, 3)))
    assert (decided.selected, decided.reason) == (True, Reason.PASS_COST_REPORT)
    assert (decided.priority, decided.evidence, decided.measured) == (400, "nodes", 7)


@pytest.mark.parametrize(("changed", "nodes"), [(False, (10, 3)), (True, (3, 10)), (True, (3, 3))])
def test_a_report_that_shows_no_reduction_changes_nothing(
    tmp_path: Path, changed: bool, nodes: tuple[int, int]
) -> None:
    decided = decision(tiny(), report=report(tmp_path, changed=changed, nodes=nodes))
    assert (decided.selected, decided.reason) == (False, Reason.BELOW_THRESHOLD)
    assert decided.priority == 0


def test_a_selected_pass_selects_what_it_requires() -> None:
    module = tiny()
    schedule = schedule_for(module)
    user = pass_of(schedule, "vyre-optimize-integers")
    changed = PassOp(
        "vyre-optimize-integers",
        type(user.metadata)(
            user.phase.data, user.family.data, (*user.metadata.requires, EXPENSIVE)
        ),
    )
    schedule.body.block.insert_op_before(changed, user)
    user.detach()
    SelectPassesPass().apply(CONTEXT, module)
    before = pass_of(schedule, EXPENSIVE).decision
    CloseRequirementsPass().apply(CONTEXT, module)
    required = pass_of(schedule, EXPENSIVE).decision
    assert before is not None and before.reason == Reason.BELOW_THRESHOLD
    assert required == Decision(True, Reason.REQUIRED_DEPENDENCY, "vyre-optimize-integers")


def test_selected_registered_passes_run_to_a_fixpoint() -> None:
    module = tiny()
    optimized = OptimizePass(verify_each=True).run(CONTEXT, module)
    module.verify()
    assert sum(1 for _ in module.walk()) > 1
    assert any(run.changed for run in optimized.report.runs)


def test_schedules_that_are_the_same_in_every_run() -> None:
    assert str(schedule_for(tiny())) == str(schedule_for(tiny()))


MALFORMED: Mapping[str, tuple[str, str]] = {
    "{": ("malformed hints", "malformed report"),
    "[]": ("malformed hints", "malformed report"),
    "{}": ("malformed hints '.*': no 'rows'", "malformed report '.*': no 'version'"),
    '{"version": 7, "rows": 3}': ("malformed hints", "expected version 1, got 7"),
    '{"version": 1, "rows": [{"generator": "g", "dispatch_count": -1, "kernel_ns_total": 1}], '
    '"passes": [{"pass": "p", "changed": true}]}': ("expected a count", "no 'nodes_before'"),
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_files_are_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    for option, message in zip(("hints", "report"), MALFORMED[text], strict=True):
        with pytest.raises(PassFailedException, match=message) as caught:
            decision(tiny(), **{option: str(path)})
        assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.json")
    for option in ("hints", "report"):
        with pytest.raises(PassFailedException, match=f"cannot read the {option} '.*missing.json'"):
            decision(tiny(), **{option: missing})


def test_a_key_with_any_text(tmp_path: Path) -> None:
    module = tiny("hot_entry")
    program = next(op for op in module.ops)
    program.properties["entry_op_id"] = StringAttr('a "quoted" key')
    path = tmp_path / "hints.json"
    row = {"generator": 'a "quoted" key', "dispatch_count": 2, "kernel_ns_total": 400_000}
    path.write_text(json.dumps({"hot_ns_threshold": 200_000, "rows": [row]}))
    assert decision(module, hints=str(path)).measured == 200_000
