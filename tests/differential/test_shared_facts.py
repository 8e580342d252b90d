"""Passes that share facts make of a program what each makes of it with facts of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from support.schedules import CONTEXT

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass
from vyre_dialect.passes.fusion.fuse_horizontally import FuseHorizontallyPass
from vyre_dialect.passes.fusion.transpose_handoffs import TransposeHandoffsPass
from vyre_dialect.passes.loop.vectorize import VectorizePass
from vyre_dialect.passes.memory.drop_dead_arms import DropDeadArmsPass
from vyre_dialect.passes.memory.forward_stores import ForwardStoresPass
from vyre_dialect.passes.memory.prove_accesses import ProveAccessesPass
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.scalar.cse import CommonSubexpressionEliminationPass
from vyre_dialect.passes.scalar.optimize_integers import OptimizeIntegersPass

PROGRAMS = 32
_FUSION: list[RewritePass] = [
    # What one refuses, the next may do: with what is known of programs since the first.
    DecodeScanFusePass(budget=1, strategy="workgroup"),
    DecodeScanFusePass(strategy="workgroup"),
    DecodeScanFusePass(local_memory="global"),
    DecodeScanFusePass(),
]
_SCALAR: list[RewritePass] = [
    CommonSubexpressionEliminationPass(),
    OptimizeIntegersPass(),
    ProveAccessesPass(),
    ForwardStoresPass(),
]
_ARMS: list[RewritePass] = [
    *(DropDeadArmsPass(), FuseHorizontallyPass(), TransposeHandoffsPass()),
    *(VectorizePass(lanes=4), ExpandPass()),
]


@st.composite
def _pipelines(draw: st.DrawFn) -> list[RewritePass]:
    """Passes over arms, of which every other one fuses, and perhaps some over kernels."""
    passes: list[RewritePass] = [ExpandPass()]
    for _ in range(draw(st.integers(2, 4))):
        passes += [draw(st.sampled_from(_FUSION)), draw(st.sampled_from([*_SCALAR, *_ARMS]))]
    outlined = [OutlineKernelsPass()] if draw(st.booleans()) else []
    return [*passes, *outlined, *_SCALAR]


@pytest.mark.slow
def test_facts_that_are_kept_are_those_found_afresh(draws: Draws) -> None:
    changed = 0

    def check(drawn: tuple[Sample, Sequence[RewritePass]]) -> None:
        nonlocal changed
        sample, pipeline = drawn
        shared, afresh = sample.module.clone(), sample.module.clone()
        facts = AnalysisManager()
        for each in pipeline:
            has_changed = each.rewrite(CONTEXT, shared, facts)
            assert each.rewrite(CONTEXT, afresh, AnalysisManager()) == has_changed, each
            assert str(shared) == str(afresh), each
            changed += has_changed
        shared.verify()

    for_each(st.tuples(programs(), _pipelines()), check, examples=draws(PROGRAMS))
    assert changed > 2 * draws(PROGRAMS)
