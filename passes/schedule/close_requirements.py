"""`vyre-close-requirements`: what selected passes require is selected, too."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.scheduling import Reason
from vyre_dialect.ops.schedule import (
    PassOp,
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)

_EXCLUDED = {
    Reason.PROFILE_REJECTED: "which the profile '{}' rejects",
    Reason.CAPABILITY_MISSING: "which needs '{}', which the device has not",
}


@dataclass
class CloseRequirements(RewritePattern):
    """
    Selects what a selected pass requires; driven to a fixpoint, through chains and diamonds.

    Raises PassFailedException where that is a pass that cannot run.
    """

    _passes: dict[ScheduleOp, dict[str, PassOp]] = field(
        default_factory=dict[ScheduleOp, dict[str, PassOp]], init=False
    )

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PassOp, rewriter: PatternRewriter, /) -> None:
        if not op.is_selected:
            return
        passes = self._passes_of(op.schedule)
        for name in op.metadata.requires:
            required = passes[name]
            if not required.is_selected and _require(required, op):
                rewriter.notify_op_modified(required)

    def _passes_of(self, schedule: ScheduleOp) -> dict[str, PassOp]:
        if schedule not in self._passes:
            self._passes[schedule] = {op.sym_name.data: op for op in schedule.passes()}
        return self._passes[schedule]


def _require(required: PassOp, by: PassOp) -> bool:
    """Select a pass that another requires, unless it is left out on request."""
    decision, user = required.decision, by.sym_name.data
    if decision is not None and decision.reason == Reason.LEFT_OUT:
        return False
    if decision is not None and decision.reason in _EXCLUDED:
        why = _EXCLUDED[decision.reason].format(decision.evidence)
        raise PassFailedException(
            f"pass '{user}' requires '{required.sym_name.data}', {why}: "
            f"deselect '{user}', or choose another profile or device"
        )
    required.decide(Decision.of(Reason.REQUIRED_DEPENDENCY, user))
    return True


@dataclass(frozen=True)
class CloseRequirementsPass(ModulePass):
    """
    Selects, in each schedule, what the selected passes require, as `required_dependency`.

    Raises PassFailedException, which names both, where a required pass cannot run.
    """

    name = "vyre-close-requirements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(CloseRequirements()).rewrite_module(op)
