"""What is forwarded and dropped in places of invocations' own changes nothing that anybody sees."""

from __future__ import annotations

from support.fusion import require_same_meaning
from support.generated.bound_program import BoundProgram
from support.generated.drawing import Draws, for_each
from support.generated.own_places import own_places
from support.schedules import CONTEXT

from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.runtime.program.compilation import apply_pipeline

PROGRAMS = 32


def test_no_forwarded_or_dropped_store_changes_a_result(draws: Draws) -> None:
    seen = fewer = 0

    def check(own: BoundProgram) -> None:
        nonlocal seen, fewer
        after = own.module.clone()
        apply_pipeline(after, "vyre-prove-accesses,vyre-forward-stores", CONTEXT)
        before = ProgramFacts.of(own.module).memory_op_count
        seen += 1
        fewer += ProgramFacts.of(after).memory_op_count < before
        assert require_same_meaning(own.module, after, own.inputs) is not None

    for_each(own_places(), check, examples=draws(PROGRAMS), seed=7400)
    assert fewer > seen / 4
