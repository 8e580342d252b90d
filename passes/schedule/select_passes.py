"""`vyre-select-passes`: which passes of a schedule run on a program, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.ir.scheduling import Family, Profile, Reason
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import (
    PassOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.schedule.hints import HotPathHints
from vyre_dialect.passes.schedule.report import CostReport

THRESHOLDS: dict[Family, tuple[str, int]] = {
    Family.LOOP: ("nodes", 12),
    Family.MEMORY: ("peak_bytes", 16 * 1024),
    Family.FUSION: ("top_level_regions", 2),
    Family.DATAFLOW: ("nodes", 64),
    Family.MEGAKERNEL: ("nodes", 512),
}
"""The fact that a family is selected by, and from which number on. Other families always run."""


def entries_of(module: ModuleOp) -> dict[str, ProgramOp]:
    """The programs of a module that telemetry knows, by their keys."""
    programs = (op for op in module.ops if isinstance(op, ProgramOp))
    return {op.entry_op_id.data: op for op in programs if op.entry_op_id is not None}


@dataclass(frozen=True)
class Selector:
    """Decides on passes by all that is known about a program and its earlier runs."""

    entries: tuple[str, ...] = ()
    hints: HotPathHints = field(default_factory=HotPathHints)
    report: CostReport = field(default_factory=CostReport)
    capabilities: frozenset[str] | None = None
    """What the device can do; None where none is chosen, and passes may ask for anything."""

    @classmethod
    def read(
        cls,
        module: ModuleOp,
        hints: str | None,
        report: str | None,
        capabilities: Iterable[str] | None,
    ) -> Selector:
        """The selector for a module, by files. Raises PassFailedException for malformed ones."""
        entries = entries_of(module)
        return cls(
            tuple(entries),
            HotPathHints() if hints is None else _read_hints(hints, entries),
            CostReport() if report is None else CostReport.read(report),
            None if capabilities is None else frozenset(capabilities),
        )

    def decide(self, op: PassOp, profile: Profile, facts: ProgramFacts) -> Decision:
        """The decision on one pass, by the strongest evidence."""
        if not op.is_accepted(profile):
            return Decision.of(Reason.PROFILE_REJECTED, str(profile))
        if (missing := self._missing(op)) is not None:
            return Decision.of(Reason.CAPABILITY_MISSING, missing)
        if op.on_request is not None:
            return Decision.of(Reason.NOT_REQUESTED)
        hot = next((entry for entry in self.entries if self.hints.is_hot(entry)), None)
        if hot is not None:
            mean, threshold = self.hints.mean_ns[hot], self.hints.threshold_ns
            return Decision.of(Reason.HOT_PATH_TELEMETRY, hot, mean, threshold)
        if (reduction := self.report.reductions.get(op.sym_name.data)) is not None:
            return Decision.of(Reason.PASS_COST_REPORT, reduction.count, reduction.by, 1)
        return _by_shape(op.family.data, facts)

    def _missing(self, op: PassOp) -> str | None:
        if self.capabilities is None:
            return None
        needed = op.metadata.capabilities
        return next((each for each in needed if each not in self.capabilities), None)


def _read_hints(path: str, entries: Mapping[str, ProgramOp]) -> HotPathHints:
    # A program that a tuner has chosen something of is still the one that was measured.
    hashes = {entry: structural_hash(op, choices=False) for entry, op in entries.items()}
    return HotPathHints.read(path, hashes)


def _by_shape(family: Family, facts: ProgramFacts) -> Decision:
    if family not in THRESHOLDS:
        return Decision.of(Reason.ALWAYS_ON)
    fact, threshold = THRESHOLDS[family]
    measured = facts.count(fact)
    reason = Reason.PROGRAM_SHAPE if measured >= threshold else Reason.BELOW_THRESHOLD
    return Decision.of(reason, fact, measured, threshold)


@dataclass
class SelectPass(RewritePattern):
    """Decides on a pass on which nothing is decided yet."""

    selector: Selector
    facts: ProgramFacts

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PassOp, rewriter: PatternRewriter, /) -> None:
        if op.decision is None:
            op.decide(self.selector.decide(op, op.schedule.profile.data, self.facts))
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class SelectPassesPass(ModulePass):
    """
    Marks the passes of the module's schedules as selected or not, with reason and priority, by the
    programs and kernels beside them. What is decided already stays.
    """

    name = "vyre-select-passes"

    hints: str | None = None
    """A JSON file of hot-path telemetry."""
    report: str | None = None
    """The report of an earlier `vyre-optimize`."""
    capabilities: tuple[str, ...] | None = None
    """What the device can do; unless stated, passes may ask for anything."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        selector = Selector.read(op, self.hints, self.report, self.capabilities)
        pattern = SelectPass(selector, ProgramFacts.of(op))
        PatternRewriteWalker(pattern).rewrite_module(op)
