"""What passes write on ops as proven holds whenever these run, by the interpreter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from support.claims import CLAIMS, DATA
from support.fusion import program_of
from support.generated.drawing import for_each
from support.generated.programs import Sample, programs
from support.proof_checks import checked_proofs
from support.schedules import CONTEXT

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.program.compilation import optimize_module, parse_module

PROGRAMS = 5
"""As many as show each flag; `require_same_meaning` checks those of all other tests."""


def test_no_pass_writes_what_does_not_hold() -> None:
    held = Counter[str]()

    def check(sample: Sample) -> None:
        module = sample.module.clone()
        optimize_module(module, OptimizePass(), CONTEXT)
        with checked_proofs() as checker:
            interpret(module, remaining_inputs(program_of(module), sample.inputs))
        assert not checker.wrong, checker.wrong[0]
        held.update(checker.held)

    for_each(programs(), check, examples=PROGRAMS, seed=7200)
    assert all(held[each] > PROGRAMS for each in ("nsw", "nuw")), held


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_is_wrong_is_found(claim: str) -> None:
    text, _ = CLAIMS[claim]
    with checked_proofs() as checker:
        try:
            interpret(parse_module(text, CONTEXT), {"a": DATA.astype(np.int8)})
        except VyreError as error:
            checker.wrong.append(str(error))
    (wrong,) = set(checker.wrong)
    assert "does not hold of" in wrong or "is marked" in wrong
