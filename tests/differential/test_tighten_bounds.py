"""Loops that are tightened to what their guards let them do compute what they did before."""

from __future__ import annotations

from support.fusion import require_same_meaning
from support.generated.bound_program import BoundProgram
from support.generated.drawing import Draws, for_each
from support.generated.guarded_loops import guarded_loops
from support.schedules import CONTEXT

from vyre_dialect.runtime.program.compilation import apply_pipeline

PROGRAMS = 64


def test_no_bound_changes_what_a_loop_does(draws: Draws) -> None:
    seen = changed = 0

    def check(loop: BoundProgram) -> None:
        nonlocal seen, changed
        after = loop.module.clone()
        apply_pipeline(after, "vyre-tighten-bounds", CONTEXT)
        seen += 1
        changed += not after.is_structurally_equivalent(loop.module)
        assert require_same_meaning(loop.module, after, loop.inputs) is not None
        once = after.clone()
        apply_pipeline(after, "vyre-tighten-bounds", CONTEXT)
        assert after.is_structurally_equivalent(once)

    for_each(guarded_loops(), check, examples=draws(PROGRAMS), seed=7300)
    assert changed > seen / 5
