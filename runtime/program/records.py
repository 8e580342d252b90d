"""Records of a compilation, from which people are told what fused, which passes ran, and why."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter_ns

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.scheduling import Reason as ScheduleReason
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import (
    PassOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass, fuse_program
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, refusal_of
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal, RefusedHandoff
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
from vyre_dialect.passes.program.predicates.outcome import Outcome
from vyre_dialect.passes.program.push_down_predicates import (
    PushDownPredicatesPass,
    push_down_predicates,
)
from vyre_dialect.passes.schedule.optimize import Optimized, OptimizePass
from vyre_dialect.passes.schedule.report import PassRun, RunDecision
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.runtime.program.fusion_advice import Advice, advice_for
from vyre_dialect.runtime.program.observers import Observer


class FusionRecord(Observer):
    """What fusion makes of handoffs: the same proofs, over a copy of what each run is given."""

    def __init__(self) -> None:
        self.fused: dict[str, BufferOp] = {}
        """The tile of each handoff that fused, in the program as it then was."""
        self.refusals: dict[str, RefusedHandoff] = {}
        """Of each other one, why not, when that was last asked."""
        self.plans: list[PlanSummary] = []
        """What was carried out, with its proof."""
        self.program: ProgramOp | None = None
        """The program after fusion."""
        self._refusing: list[tuple[ProgramOp, DecodeScanFusePass]] = []
        """The programs of which fusion has refused handoffs, as they were given to it."""
        self._pass: PassOp | None = None
        self._given: ModuleOp | None = None

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if isinstance(module_pass, DecodeScanFusePass):
            self._given = module.clone()

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if isinstance(module_pass, DecodeScanFusePass) and self._given is not None:
            for program in [op for op in self._given.walk() if isinstance(op, ProgramOp)]:
                self._fuse(program, module_pass)

    def optimized(self, optimized: Optimized) -> None:
        passes = {op.sym_name.data: op for op in optimized.schedule.passes()}
        self._pass = passes.get(DecodeScanFusePass.name)

    def advice(self) -> Mapping[str, list[Advice]]:
        """The options by which handoffs that are refused fuse, tried now."""
        advice = dict[str, list[Advice]]()
        for program, fusion in self._refusing:
            advice |= advice_for(program, fusion, self.refusals.keys())
        return advice

    def _fuse(self, program: ProgramOp, fusion: DecodeScanFusePass) -> None:
        given = program.clone()
        outcome = fuse_program(program, fusion.options)
        self.program = program
        self.plans += outcome.plans
        if outcome.refusals:
            self._refusing.append((given, fusion))
        self.refusals |= {each.handoff.sym_name.data: each for each in outcome.refusals}
        for name in outcome.promoted:
            tile = program.buffer(name)
            assert tile is not None
            self.fused[name] = tile
            self.refusals.pop(name, None)

    def unasked(self, program: ProgramOp) -> list[RefusedHandoff]:
        """
        Of the handoffs of `program`, where fusion did not run at all, what would have stood against
        it in any case, or else that it did not run.
        """
        if self.program is not None:
            return []
        why = "is not among the passes that run"
        if self._pass is not None:
            why = f"does not run: {self._pass.decision}"
        not_run = Refusal(Reason.NOT_RUN, f"'{DecodeScanFusePass.name}' {why}")
        analysis = AnalysisManager().get(ProgramAnalysis, program)
        return [
            RefusedHandoff.of(
                buffer, analysis.users(buffer).arms, refusal_of(analysis, buffer) or not_run
            )
            for buffer in program.buffers()
            if is_handoff(analysis, buffer) and analysis.users(buffer).arms
        ]


class PredicateRecord(Observer):
    """What becomes of the tests of queries: the same rules, over a copy of what a run is given."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if isinstance(module_pass, PushDownPredicatesPass):
            self.outcomes += push_down_predicates(module.clone(), None)


class PassRecord(Observer):
    """The passes that ran, or were decided against, and what each did."""

    def __init__(self) -> None:
        self.rows: list[tuple[PassOp, tuple[PassRun, ...]]] = []
        """Of a schedule, each pass with all its runs; of a pipeline, a row for each run."""
        self._begun: list[tuple[ProgramFacts, Snapshot, int]] = []

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        snapshot = Snapshot(module)
        facts = ProgramFacts.of_listings(snapshot.listings)
        self._begun.append((facts, snapshot, perf_counter_ns()))

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        ended = perf_counter_ns()
        before, snapshot, began = self._begun.pop()
        if isinstance(module_pass, OptimizePass):  # its passes have rows
            return
        now = Snapshot(module)
        changed = now != snapshot
        decision = RunDecision.CHANGED if changed else RunDecision.RAN_UNCHANGED
        op = PassOp(module_pass.name, _metadata(module_pass))
        op.decide(Decision.of(ScheduleReason.ASKED_FOR, "pipeline"))
        after = ProgramFacts.of_listings(now.listings)
        run = PassRun(module_pass.name, 0, decision, before, after, runtime_ns=ended - began)
        self.rows.append((op, (run,)))

    def optimized(self, optimized: Optimized) -> None:
        runs = dict[str, list[PassRun]]()
        for run in optimized.report.runs:
            if run.ran:
                runs.setdefault(run.name, []).append(run)
        self.rows = [(op, tuple(runs.get(op.sym_name.data, ()))) for op in optimized.passes]


def _metadata(module_pass: ModulePass) -> PassMetadata:
    said = getattr(module_pass, "metadata", None)
    return said if isinstance(said, PassMetadata) else PassMetadata(Phase.KERNELS, Family.UNKNOWN)
