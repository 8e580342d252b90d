"""Runs the passes of a schedule to a fixpoint, and keeps account of what each of them does."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.utils.arg_spec import ParameterListType
from xdsl.utils.exceptions import PassFailedException, VerifyException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.python_lines import said_by
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase, Reason
from vyre_dialect.messages import first_line
from vyre_dialect.ops.schedule import (
    PassOp,
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.schedule.admission import instance_of
from vyre_dialect.passes.schedule.close_requirements import CloseRequirements
from vyre_dialect.passes.schedule.costs import cost_increase
from vyre_dialect.passes.schedule.instrumentation import Instrumentation
from vyre_dialect.passes.schedule.options import PassOptions
from vyre_dialect.passes.schedule.report import PassRun, RefusalKind, Report, RunDecision
from vyre_dialect.passes.schedule.select_passes import Selector
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.passes.schedule.undo_log import UndoLog

LIMIT = 16
"""How often a pass may change a program in one phase before that is held to go on for ever."""


@dataclass(frozen=True)
class Rules:
    """How strictly a schedule is run."""

    verify_each: bool = False
    """Verify the module after each pass that changed it, and that it says so."""
    limit: int = LIMIT


class _Worklist:
    """
    The selected passes that have something to do. They are taken in sweeps: in the order of the
    schedule, one that is invalidated by a later one in the next sweep, unless a pass before that
    requires it.
    """

    def __init__(self, order: list[PassOp]):
        self.order = order
        self._place = {op.sym_name.data: place for place, op in enumerate(order)}
        self._waiting: set[int] = set()
        self._sweeps: dict[Phase, list[int]] = {phase: [] for phase in Phase}
        self._next: dict[Phase, list[int]] = {phase: [] for phase in Phase}
        self._reached = -1

    def add(self, name: str, *, since: Phase = Phase.EXPAND) -> None:
        """Note that a pass has something to do, unless its phase was over before `since`."""
        place = self._place.get(name)
        if place is None or place in self._waiting or not self.order[place].is_selected:
            return
        phase = self.order[place].phase.data
        if _PHASES.index(phase) >= _PHASES.index(since):
            self._waiting.add(place)
            sweeps = self._sweeps if place > self._reached else self._next
            heapq.heappush(sweeps[phase], place)

    def take(self, phase: Phase) -> PassOp | None:
        """The next pass of a phase that has something to do, which it then has no longer."""
        if (place := self._first(phase)) is None:
            return None
        while (required := self._unsettled(place)) is not None:
            place = required
        self._waiting.discard(place)
        return self.order[place]

    def _first(self, phase: Phase) -> int | None:
        """The place of the first pass that waits in this sweep, or else in the next one."""
        for _ in range(2):
            sweep = self._sweeps[phase]
            while sweep and sweep[0] not in self._waiting:
                heapq.heappop(sweep)
            if sweep:
                self._reached = sweep[0]
                return sweep[0]
            self._reached = -1
            self._sweeps[phase], self._next[phase] = self._next[phase], sweep
        return None

    def _unsettled(self, place: int) -> int | None:
        """The place of a pass of the same phase that `place` requires, with something to do."""
        op = self.order[place]
        required = (self._place.get(name) for name in op.metadata.requires)
        waiting = (each for each in required if each in self._waiting)
        return next((each for each in waiting if self.order[each].phase == op.phase), None)


_PHASES = tuple(Phase)


@dataclass
class Scheduler:
    """
    One run of a schedule over a module.

    Library ops are expanded first, so that the shape of a program is that of its arms. Then it is
    decided on the passes on which the schedule does not decide, and they run phase by phase, each
    again while another has invalidated it. A pass that the shape only then asks for joins.
    """

    context: Context
    module: ModuleOp
    schedule: ScheduleOp
    selector: Selector
    rules: Rules = field(default_factory=Rules)
    instrumentation: Instrumentation = field(default_factory=Instrumentation)
    trusted: PassOptions = field(default_factory=dict[str, Mapping[str, ParameterListType]])
    """Options that whoever compiles gives to passes, as no schedule may."""

    def __post_init__(self) -> None:
        self.report = Report(str(self.schedule.profile.data))
        self._worklist = _Worklist(self.schedule.ordered())
        self._open = [op for op in self._worklist.order if op.decision is None]
        self._passes = self._instances()
        self._snapshot: Snapshot | None = None
        """The module as it is, where that was needed."""
        self._program_facts = ProgramFacts.of(self.module)
        self._facts = AnalysisManager()
        self._undo_log = UndoLog(self.context, self.module)
        self._iterations: Counter[str] = Counter()
        self.inserted: list[PassOp] = []
        """A pass for each insertion, beside those of the schedule."""

    def run(self) -> Report:
        """
        Run the schedule. Raises PassFailedException, in one line that names the pass, for one that
        fails or breaks the IR, and for passes that undo each other; the module is then as it was
        before them.
        """
        for op in self._worklist.order:
            self._worklist.add(op.sym_name.data)
        self._select(Phase.EXPAND)
        self._run_phase(Phase.EXPAND)
        self._select(*Phase)
        is_settled = False
        while not is_settled:
            for phase in Phase:
                self._run_phase(phase)
            is_settled = self.instrumentation.is_stopped or not self._select(*Phase)
        self._note_others()
        return self.report

    def _instances(self) -> Mapping[str, ModulePass]:
        """The passes with their options. Raises PassFailedException for one that may not run."""
        names = {op.sym_name.data: op for op in self._worklist.order}
        return {name: instance_of(op, self.trusted.get(name, {})) for name, op in names.items()}

    def _select(self, *phases: Phase) -> bool:
        """Decide on the open passes of `phases`; whether any is newly selected."""
        before = {op for op in self._worklist.order if op.is_selected}
        profile = self.schedule.profile.data
        for op in self._open:
            if op.phase.data in phases and not op.is_selected and not self._is_left_out(op):
                op.decide(self.selector.decide(op, profile, self._program_facts))
        PatternRewriteWalker(CloseRequirements()).rewrite_region(self.schedule.body)
        new = [op for op in self._worklist.order if op.is_selected and op not in before]
        for op in new:
            self._worklist.add(op.sym_name.data)
        return bool(new)

    def _is_left_out(self, op: PassOp) -> bool:
        return op.decision is not None and op.decision.reason == Reason.LEFT_OUT

    def _run_phase(self, phase: Phase) -> None:
        if self.instrumentation.is_stopped:
            return
        self._insert(self.instrumentation.enter(phase), phase, f"before {phase}")
        self._settle(phase)
        if not self.instrumentation.is_stopped:
            self._insert(self.instrumentation.leave(phase), phase, f"after {phase}")
            self._settle(phase)

    def _settle(self, phase: Phase) -> None:
        """Run what has something to do in a phase, until nothing has."""
        changes = Counter[str]()
        while (
            not self.instrumentation.is_stopped and (op := self._worklist.take(phase)) is not None
        ):
            if not self._reach(op):
                continue
            changes[op.sym_name.data] += 1
            if changes[op.sym_name.data] > self.rules.limit:
                self._fail_to_settle([each for each, n in changes.items() if n >= self.rules.limit])
            for name in op.metadata.invalidates:
                self._worklist.add(name, since=phase)

    def _reach(self, op: PassOp) -> bool:
        """Run a pass with what is inserted around it; whether it changed the module itself."""
        name, phase = op.sym_name.data, op.phase.data
        self._insert(self.instrumentation.enter(name), phase, f"before {name}")
        if self.instrumentation.is_stopped:
            return False
        if is_left_out := name in self.instrumentation.edits.left_out:
            op.decide(Decision.of(Reason.LEFT_OUT))
        changed = not is_left_out and self._run_pass(op, self._passes[name])
        self._insert(self.instrumentation.leave(name), phase, f"after {name}")
        return changed

    def _insert(self, passes: Sequence[ModulePass], phase: Phase, where: str) -> None:
        """Run inserted passes; what they change may be work for all that follow."""
        for module_pass in passes:
            op = PassOp(module_pass.name, PassMetadata(phase, Family.UNKNOWN))
            op.decide(Decision.of(Reason.ASKED_FOR, where))
            self.inserted.append(op)
            if self._run_pass(op, module_pass):
                for each in self._worklist.order:
                    self._worklist.add(each.sym_name.data, since=phase)

    def _run_pass(self, op: PassOp, module_pass: ModulePass) -> bool:
        """Run a pass once; whether it changed the module, and that is kept."""
        attempt = _Attempt(op, self._program_facts)
        before = self._before(module_pass)
        with self.instrumentation.observed(module_pass, self.module):
            says = self._apply(module_pass, attempt)
        if not self._has_changed(before, says, attempt):
            self._note(attempt, RunDecision.RAN_UNCHANGED)
            return False
        self._verify(attempt)
        after = ProgramFacts.of(self.module)
        if (increase := cost_increase(op.family.data, attempt.before, after)) is not None:
            self._note(attempt, RunDecision.REFUSED, RefusalKind.COST_INCREASE, increase, after)
            self._go_back()
            return False
        self._program_facts = after
        self._undo_log.note(module_pass)
        self._note(attempt, RunDecision.CHANGED)
        return True

    def _apply(self, module_pass: ModulePass, attempt: _Attempt) -> bool | None:
        """Apply a pass; whether it says that it changed the module, if it says anything."""
        says = None
        attempt.start = perf_counter_ns()
        try:
            if isinstance(module_pass, RewritePass):
                says = module_pass.rewrite(self.context, self.module, self._facts)
            else:
                module_pass.apply(self.context, self.module)
        except Exception as error:  # whatever it is, it is named, and the module is as before
            self._fail(attempt, RefusalKind.EXCEPTION, said_by(error), error)
        attempt.elapsed = perf_counter_ns() - attempt.start
        return says

    def _before(self, module_pass: ModulePass) -> Snapshot | None:
        """The module as it is, where what a pass makes of it is compared and not only told."""
        if isinstance(module_pass, RewritePass) and not self.rules.verify_each:
            return None
        self._snapshot = self._snapshot or Snapshot(self.module)
        return self._snapshot

    def _has_changed(self, before: Snapshot | None, says: bool | None, attempt: _Attempt) -> bool:
        """Whether a pass has changed the module; where it says so wrongly, it fails."""
        if before is None:
            assert says is not None
            self._snapshot = None if says else self._snapshot
            return says
        now = self._snapshot = Snapshot(self.module)
        if says is None:
            for changed in now.changed_since(before):
                self._facts.invalidate(changed)
        elif says != (now != before):
            done, said = ("nothing", "did") if says else ("the program", "did not")
            error = PassFailedException(f"changed {done} and says that it {said}")
            self._fail(attempt, RefusalKind.INVALID_IR, str(error), error)
        return now != before

    def _verify(self, attempt: _Attempt) -> None:
        if not self.rules.verify_each:
            return
        try:
            self.module.verify()
        except VerifyException as error:
            self._fail(
                attempt, RefusalKind.INVALID_IR, f"left invalid IR: {first_line(error)}", error
            )

    def _go_back(self) -> None:
        """Let the module be as before the pass that ran last."""
        self._undo_log.go_back()
        self._facts.clear()
        self._snapshot = None

    def _fail(
        self, attempt: _Attempt, refusal: RefusalKind, message: str, error: Exception
    ) -> NoReturn:
        attempt.elapsed = perf_counter_ns() - attempt.start
        self._go_back()
        self._note(attempt, RunDecision.REFUSED, refusal, message)
        raise PassFailedException(f"pass '{attempt.op.sym_name.data}': {message}") from error

    def _fail_to_settle(self, names: list[str]) -> NoReturn:
        """Raise that passes undo each other, and let the module be as before they began."""
        self._undo_log.go_back_before(names)
        self._program_facts = ProgramFacts.of(self.module)
        said = ", ".join(f"'{name}'" for name in names)
        message = f"changed the program more than {self.rules.limit} times"
        for op in self._worklist.order:
            if op.sym_name.data in names:
                attempt = _Attempt(op, self._program_facts, perf_counter_ns())
                self._note(attempt, RunDecision.REFUSED, RefusalKind.ITERATION_LIMIT, message)
        raise PassFailedException(f"passes {said} undo each other: each {message}")

    def _note(
        self,
        attempt: _Attempt,
        decision: RunDecision,
        refusal: RefusalKind | None = None,
        detail: str | None = None,
        after: ProgramFacts | None = None,
    ) -> None:
        """Take what a pass did into the report; `after` is what was undone, if that is known."""
        op, metadata = attempt.op, attempt.op.metadata
        name = op.sym_name.data
        self.report.runs.append(
            PassRun(
                name,
                self._iterations[name],
                decision,
                attempt.before,
                after or self._program_facts,
                metadata.requires,
                metadata.invalidates,
                attempt.elapsed,
                refusal,
                detail,
            )
        )
        self._iterations[name] += 1

    def _note_others(self) -> None:
        """Take those passes into the report, too, that did not run."""
        for op in self._worklist.order:
            if not op.is_selected:
                self._note(_Attempt(op, self._program_facts), RunDecision.NOT_SELECTED)


@dataclass
class _Attempt:
    """A run of a pass, from its start on."""

    op: PassOp
    before: ProgramFacts
    start: int = 0
    elapsed: int = 0
