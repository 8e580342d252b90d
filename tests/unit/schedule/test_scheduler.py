"""Schedules run in order and to a fixpoint, and passes that misbehave are named and undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from support.schedules import (
    CONTEXT,
    PLAIN,
    TINY,
    add_sum,
    break_ir,
    fail,
    install,
    made_pass,
    schedule_of,
    tiny,
    write_note,
)
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.listing import Listing
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.scalar.canonicalize import CanonicalizePass
from vyre_dialect.passes.schedule.optimize import Optimized, OptimizePass
from vyre_dialect.passes.schedule.report import RefusalKind, RunDecision
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.runtime.program.compilation import parse_module

LOOP = """
vyre.program @loop {
  %out = vyre.buffer @out live_out : !vyre.buffer<90xi32, read_write>
  vyre.region "counts" invocations [1] {
    %one = arith.constant 1 : index
    %two = arith.addi %one, %one : index
    %end = arith.constant 90 : index
    %value = arith.constant 7 : i32
    scf.for %i = %two to %end step %one {
      vyre.store %value, %out[%i] : i32, !vyre.buffer<90xi32, read_write>
    }
  }
}
"""


def nothing(module: ModuleOp) -> None:
    """Does nothing."""


def optimize(
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleOp,
    *passes: type[ModulePass],
    verify_each: bool = False,
    report: str | None = None,
    limit: int = 4,
) -> Optimized:
    """Run a schedule of made passes, in the order in which they are given."""
    install(monkeypatch, *passes)
    module.body.block.add_op(schedule_of(passes))
    pass_ = OptimizePass(verify_each=verify_each, report=report, limit=limit)
    return pass_.run(CONTEXT, module)


def names(optimized: Optimized) -> list[str]:
    return [run.name for run in optimized.report.runs if run.ran]


def test_passes_run_by_phase_requirement_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    optimized = optimize(
        monkeypatch,
        tiny(),
        made_pass("late", nothing, replace(PLAIN, requires=("early",))),
        made_pass("any", nothing),
        made_pass("early", nothing),
        made_pass("arms", nothing, PassMetadata(Phase.ARMS, Family.SCALAR)),
        made_pass("expand", nothing, PassMetadata(Phase.EXPAND, Family.SCALAR)),
    )
    assert names(optimized) == ["expand", "arms", "any", "early", "late"]


def test_only_what_is_invalidated_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    optimized = optimize(
        monkeypatch,
        tiny(),
        made_pass("first", nothing),
        made_pass("second", nothing),
        made_pass("third", write_note("x"), replace(PLAIN, invalidates=("second", "elsewhere"))),
    )
    assert names(optimized) == ["first", "second", "third", "second"]
    assert [run.iteration for run in optimized.report.runs] == [0, 0, 0, 1]


def test_a_pass_that_changes_nothing_invalidates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    again = made_pass("again", nothing, replace(PLAIN, invalidates=("other",)))
    assert names(optimize(monkeypatch, tiny(), made_pass("other", nothing), again)) == [
        "other",
        "again",
    ]


def test_facts_are_found_out_only_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[ProgramFacts]()

    def of_listing(listing: Listing) -> ProgramFacts:
        found.append(find(listing))
        return found[-1]

    find = ProgramFacts.of_listing
    monkeypatch.setattr(ProgramFacts, "of_listing", of_listing)
    first, last = made_pass("first", nothing), made_pass("last", nothing)
    changes = made_pass("changes", add_sum, replace(PLAIN, family=Family.UNKNOWN))
    optimized = optimize(monkeypatch, tiny(), first, changes, last)
    before, after = found
    facts = [(run.before, run.after) for run in optimized.report.runs]
    assert facts == [(before, before), (before, after), (after, after)]


def test_a_pass_that_is_not_selected_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = made_pass("idle", fail, replace(PLAIN, family=Family.DATAFLOW))
    optimized = optimize(monkeypatch, tiny(), idle, made_pass("runs", nothing))
    assert names(optimized) == ["runs"]
    (row,) = (run for run in optimized.report.runs if run.name == "idle")
    assert (row.ran, row.decision) == (False, RunDecision.NOT_SELECTED)


def test_a_pass_joins_once_the_program_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(module: ModuleOp) -> None:
        if "grown" not in module.attributes:
            for _ in range(5):
                add_sum(module)
        module.attributes["grown"] = StringAttr("yes")

    joins = made_pass("joins", nothing, replace(PLAIN, family=Family.LOOP))
    grows = made_pass("grows", grow, replace(PLAIN, family=Family.UNKNOWN))
    optimized = optimize(monkeypatch, tiny(), joins, grows)
    assert names(optimized) == ["grows", "joins"]
    (joined,) = (op for op in optimized.schedule.passes() if op.sym_name.data == "joins")
    assert joined.decision is not None
    assert joined.decision.measured == 15


def test_a_pass_that_raises_its_cost_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tiny()
    optimized = optimize(
        monkeypatch,
        module,
        made_pass("before", write_note("kept")),
        made_pass("worse", add_sum),
        made_pass("after", nothing),
    )
    refused = optimized.report.runs[1]
    assert (refused.decision, refused.refusal) == (
        RunDecision.REFUSED,
        RefusalKind.COST_INCREASE,
    )
    assert refused.detail == "work from 4 to 5"
    assert (refused.before.work, refused.after.work) == (4, 5)
    assert optimized.report.runs[2].before == refused.before
    expected = tiny()
    write_note("kept")(expected)
    assert module.is_structurally_equivalent(expected)
    assert [run.decision for run in optimized.report.runs] == [
        "changed",
        "refused",
        "ran_unchanged",
    ]


def test_a_loop_is_no_dearer_since_its_iterations_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = parse_module(LOOP, CONTEXT)
    before = ProgramFacts.of(module)
    optimized = optimize(monkeypatch, module, CanonicalizePass)
    assert ProgramFacts.of(module).work > before.work
    assert [run.decision for run in optimized.report.runs] == ["changed"]


def test_without_a_model_of_cost_nothing_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tiny()
    optimize(monkeypatch, module, made_pass("adds", add_sum, replace(PLAIN, family=Family.UNKNOWN)))
    assert not module.is_structurally_equivalent(tiny())


def test_a_pass_that_fails_is_named_and_undone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module, path = tiny(), tmp_path / "report.json"
    # With the line, as a pass is somebody's Python.
    with pytest.raises(
        PassFailedException, match=r"^pass 'fails': RuntimeError: out of \(.+:\d+\)$"
    ):
        optimize(
            monkeypatch,
            module,
            made_pass("before", write_note("kept")),
            made_pass("fails", fail),
            report=str(path),
        )
    assert module.attributes["note"] == StringAttr("kept")
    (_, row) = json.loads(path.read_text())["passes"]
    assert (row["pass"], row["refusal_kind"]) == ("fails", "exception")
    assert row["detail"].startswith("RuntimeError: out of (")


def test_a_pass_that_leaves_invalid_ir_is_named_and_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tiny()
    with pytest.raises(PassFailedException, match=r"^pass 'breaks': left invalid IR: ") as caught:
        optimize(monkeypatch, module, made_pass("breaks", break_ir), verify_each=True)
    assert "\n" not in str(caught.value)
    assert module.is_structurally_equivalent(tiny())


def saying(name: str, does: Callable[[ModuleOp], object], *, changed: bool) -> type[ModulePass]:
    """A pass that does something, and says whether it has changed anything."""

    class SayingPass(RewritePass):
        metadata: ClassVar[PassMetadata] = PLAIN

        def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
            does(module)
            return changed

    SayingPass.name = name
    return SayingPass


def test_a_pass_that_says_that_it_changed_nothing_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed, find = list[Operation](), Listing.of

    def of(root: Operation) -> Listing:
        listed.append(root)
        return find(root)

    monkeypatch.setattr(Listing, "of", of)
    idle = [saying(f"idle{number}", nothing, changed=False) for number in range(9)]
    optimized = optimize(monkeypatch, tiny(), *idle)
    assert {run.decision for run in optimized.report.runs} == {RunDecision.RAN_UNCHANGED}
    assert len(listed) == 1, "the program is listed at the start, and not after each pass"


def test_only_passes_that_say_nothing_are_looked_after(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[ModuleOp]()

    def of(module: ModuleOp) -> Snapshot:
        made.append(module)
        return Snapshot(module)

    monkeypatch.setattr("vyre_dialect.passes.schedule.scheduler.Snapshot", of)
    telling = [saying(f"telling{n}", write_note(str(n)), changed=True) for n in range(9)]
    optimize(monkeypatch, tiny(), *telling)
    assert not made
    optimize(monkeypatch, tiny(), made_pass("first", nothing), made_pass("second", nothing))
    assert len(made) == 3, "one before them, and one after each"


@pytest.mark.parametrize("changes", [True, False])
def test_a_pass_that_says_what_is_not_so_is_named_and_undone(
    monkeypatch: pytest.MonkeyPatch, changes: bool
) -> None:
    module = tiny()
    wrong = saying("wrong", write_note("x") if changes else nothing, changed=not changes)
    done, said = ("the program", "did not") if changes else ("nothing", "did")
    message = f"^pass 'wrong': changed {done} and says that it {said}$"
    with pytest.raises(PassFailedException, match=message):
        optimize(monkeypatch, module, wrong, verify_each=True)
    assert module.is_structurally_equivalent(tiny())


def test_passes_that_undo_each_other_are_named_and_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tiny()
    message = "^passes 'ping', 'pong' undo each other: each changed the program more than 4 times$"
    with pytest.raises(PassFailedException, match=message):
        optimize(
            monkeypatch,
            module,
            made_pass("before", lambda op: op.attributes.setdefault("note", StringAttr("kept"))),
            made_pass("ping", write_note("ping"), replace(PLAIN, invalidates=("pong",))),
            made_pass("pong", write_note("pong"), replace(PLAIN, invalidates=("ping",))),
        )
    assert module.attributes["note"] == StringAttr("kept")


def test_what_a_schedule_names_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tiny()
    module.body.block.add_op(schedule_of([made_pass("missing", nothing)]))
    install(monkeypatch)
    with pytest.raises(PassFailedException, match="names the pass 'missing', which is not install"):
        OptimizePass().run(CONTEXT, module)


def test_options_are_those_of_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, made_pass("plain", nothing))
    schedule = "vyre.schedule @s profile(release) { vyre.pass @plain options {no_such = 1 : i64} "
    schedule += "phase kernels family scalar boundary arm preserves_abi }"
    module = parse_module(f"{schedule}\n{TINY}", CONTEXT)
    with pytest.raises(PassFailedException, match=r"'plain' with an unknown option 'no_such'"):
        OptimizePass().run(CONTEXT, module)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "expected a positive limit, got 0"),
        ({"schedule": "missing.mlir"}, "cannot read the schedule 'missing.mlir'"),
        ({"options": "no-such-pass{a=1}"}, "options for 'no-such-pass', which is no pass of"),
        ({"report": "missing/report.json"}, "cannot write the report"),
        (
            {"schedule": "s.mlir", "report": "./s.mlir"},
            "cannot write the report './s.mlir': it is the file of the schedule",
        ),
        (
            {"hints": "h.json", "report": "h.json"},
            "cannot write the report 'h.json': it is the file of the hints",
        ),
    ],
)
def test_options_that_make_no_sense(
    options: dict[str, int | str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PassFailedException, match=message):
        OptimizePass(**options).run(CONTEXT, tiny())  # pyright: ignore[reportArgumentType]


SCHEDULE = "vyre.schedule @s profile(dataflow) {}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vyre.schedule", "malformed schedule 's.mlir': "),
        ("builtin.module {}", "expected one 'vyre.schedule' in the schedule 's.mlir', got 0"),
        (
            SCHEDULE + SCHEDULE.replace("@s", "@t"),
            "'vyre.schedule' in the schedule 's.mlir', got 2",
        ),
        (SCHEDULE.replace("{}", "{ %c = arith.constant 1 : i32 }"), "malformed schedule 's.mlir'"),
        (SCHEDULE, "of 's.mlir', 'dataflow', got 'release'"),
    ],
)
def test_schedules_of_files_that_make_no_sense(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.mlir").write_text(text)
    with pytest.raises(PassFailedException, match=message) as caught:
        OptimizePass(schedule="s.mlir", profile="release").run(CONTEXT, tiny())
    assert "\n" not in str(caught.value)


def test_the_schedule_is_kept_where_that_is_asked_for() -> None:
    module = tiny()
    optimized = OptimizePass(keep_schedule=True).run(CONTEXT, module)
    assert module.body.block.last_op is optimized.schedule
    module.verify()
    again = OptimizePass(keep_schedule=True).run(CONTEXT, module)
    assert not any(run.changed for run in again.report.runs)
