"""What is inserted into a schedule, left out of it and stopped at, as the scheduler does it."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from examples.data import EXAMPLES
from vyre_dialect.ir.scheduling import Phase
from vyre_dialect.passes.schedule.instrumentation import Edits, Instrumentation
from vyre_dialect.passes.schedule.optimize import Optimized, OptimizePass
from vyre_dialect.passes.schedule.registry import scheduled_passes
from vyre_dialect.runtime.program.compilation import load_module, make_context


class Recorder:
    """An observer that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        assert (previous is None) != (following is None)
        self.told += [f"-{previous.name}"] if previous else []
        self.told += [f"+{following.name}"] if following else []


@pytest.fixture(scope="module")
def context() -> Context:
    return make_context()


def run(context: Context, edits: Edits) -> tuple[Instrumentation, Optimized, Recorder]:
    module = load_module(EXAMPLES / "xor_literal.mlir", context)
    recorder = Recorder()
    instrumentation = Instrumentation(edits, [recorder])
    return instrumentation, OptimizePass().run(context, module, instrumentation), recorder


def test_observers_are_told_of_every_run(context: Context) -> None:
    instrumentation, optimized, recorder = run(context, Edits())
    ran = [each.name for each in optimized.report.runs if each.ran]
    assert recorder.told == [sign + name for name in ran for sign in "+-"]
    assert instrumentation.ran == ran


def test_insertions_run_once_at_the_first_run_of_a_pass(context: Context) -> None:
    inserted = CommonSubexpressionElimination()
    edits = Edits(before={"vyre-cse": [inserted]}, after={"canonicalize": [inserted]})
    instrumentation, optimized, _ = run(context, edits)
    assert instrumentation.ran.count("vyre-cse") > 1
    assert instrumentation.ran.count("cse") == 2
    assert instrumentation.ran[instrumentation.ran.index("vyre-cse") - 1] == "cse"
    assert instrumentation.ran[instrumentation.ran.index("canonicalize") + 1] == "cse"
    assert [str(op.decision) for op in optimized.inserted] == [
        "asked_for: before vyre-cse",
        "asked_for: after canonicalize",
    ]
    assert [op.sym_name.data for op in optimized.passes].count("cse") == 1


def test_insertions_around_a_phase(context: Context) -> None:
    inserted = CanonicalizePass()
    edits = Edits(before={"kernels": [inserted]}, after={"arms": [inserted]})
    ran = run(context, edits)[0].ran
    place = ran.index("vyre-merge-kernels")
    assert ran[place + 1] == "canonicalize"
    arms = ran[: ran.index("vyre-outline-kernels")]
    assert arms.index("canonicalize") > arms.index("vyre-fuse-horizontally")
    after = arms[arms.index("canonicalize") + 1 :]
    assert after[:2] == ["dce", "vyre-decode-scan-fuse"]  # as it changed the arms


def test_what_an_insertion_changes_is_work_for_those_that_follow(context: Context) -> None:
    plain = run(context, Edits())[0].ran
    edits = Edits(after={"vyre-scratch-reuse": [CommonSubexpressionElimination()]})
    instrumentation, optimized, _ = run(context, edits)
    (insertion,) = (each for each in optimized.report.runs if each.name == "cse")
    more = Counter(instrumentation.ran) - Counter(plain)
    assert (more != Counter({"cse": 1})) == insertion.changed


@pytest.mark.slow
def test_a_pass_that_is_left_out_never_runs_though_others_require_it(context: Context) -> None:
    instrumentation, optimized, _ = run(
        context, Edits(left_out=frozenset({"canonicalize", "vyre-cse"}))
    )
    assert not {"canonicalize", "vyre-cse"} & set(instrumentation.ran)
    assert "licm" in instrumentation.ran  # which requires canonicalize
    decisions = {op.sym_name.data: str(op.decision) for op in optimized.passes}
    assert decisions["canonicalize"] == "left_out"


def test_a_pass_may_take_the_place_of_another(context: Context) -> None:
    edits = Edits(
        before={"vyre-cse": [CommonSubexpressionElimination()]}, left_out=frozenset({"vyre-cse"})
    )
    ran = run(context, edits)[0].ran
    assert ("cse" in ran, "vyre-cse" in ran) == (True, False)


def test_a_phase_ends_behind_its_last_pass(context: Context) -> None:
    phases = {name: each.phase for name, each in scheduled_passes().items()}
    whole = run(context, Edits())[0].ran
    stopped = run(context, Edits(stop_after="expand"))[0].ran
    assert stopped == [name for name in whole if phases[name] is Phase.EXPAND]


@pytest.mark.parametrize(
    ("edits", "last"),
    [
        (Edits(stop_after="vyre-decode-scan-fuse"), "vyre-decode-scan-fuse"),
        (Edits(stop_after="expand"), None),
        (Edits(stop_before="vyre-outline-kernels", before={"arms": [CanonicalizePass()]}), None),
        (Edits(stop_before="expand"), None),
    ],
)
def test_nothing_runs_after_a_stop(context: Context, edits: Edits, last: str | None) -> None:
    instrumentation = run(context, edits)[0]
    assert instrumentation.is_stopped
    assert not instrumentation.missed
    assert "vyre-outline-kernels" not in instrumentation.ran
    if last is not None:
        assert instrumentation.ran[-1] == last


def test_what_is_inserted_at_a_stop_runs(context: Context) -> None:
    edits = Edits(after={"arms": [CanonicalizePass()]}, stop_after="arms")
    instrumentation = run(context, edits)[0]
    assert (instrumentation.ran[-1], instrumentation.missed) == ("canonicalize", [])


def test_stages_that_are_not_reached_are_known(context: Context) -> None:
    edits = Edits(
        before={"vyre-outline-kernels": [CanonicalizePass()]},
        after={"kernels": [CanonicalizePass()]},
        stop_after="arms",
    )
    assert run(context, edits)[0].missed == ["kernels", "vyre-outline-kernels"]
