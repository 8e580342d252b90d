"""What a workgroup must agree on, of what its invocations would compute on two paths."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.interfaces import HasInvocationsInterface


def agreed_values(
    results: Iterable[SSAValue],
    tested: Iterable[SSAValue],
    arm: HasInvocationsInterface,
    facts: AnalysisManager,
) -> list[SSAValue]:
    """
    Those of `results` that no test of `tested` may put on two paths. What a workgroup has in common
    may steer what it does together in `arm`, and is not known to be the same any longer where its
    invocations need not agree on the test.
    """
    if not has_convergent_op(arm.body):
        return []
    is_uniform = facts.get(DivergenceAnalysis, arm).is_uniform
    return [] if all(map(is_uniform, tested)) else list(filter(is_uniform, results))
