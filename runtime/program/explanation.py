"""What fusion and the passes did to a program, and why, as plain data for people and machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, LocationAttr, ModuleOp

from vyre_dialect.ir.html import fragment
from vyre_dialect.ir.reading import lines_of
from vyre_dialect.messages import printable
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.ops.schedule import PassOp
from vyre_dialect.passes.fusion.tiling.refusal import RefusedHandoff, Site
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary, items_of
from vyre_dialect.passes.program.predicates.outcome import Outcome
from vyre_dialect.passes.schedule.costs import COSTS
from vyre_dialect.passes.schedule.report import PassRun, decision_as_json
from vyre_dialect.runtime.display.fusion_lines import (
    handoff_lines,
    plan_lines,
    predicate_lines,
    scalar_line,
)
from vyre_dialect.runtime.display.tables import table
from vyre_dialect.runtime.display.verdicts import drawn_plan, verdict
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    has_own_schedule,
    lower_module,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.fusion_advice import Advice
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.pipelines import REFERENCE
from vyre_dialect.runtime.program.records import FusionRecord, PassRecord, PredicateRecord
from vyre_dialect.runtime.program.vector_record import VectorRecord

SHOWN = (
    *("nodes", "work", "memory_op_count", "atomic_op_count", "barrier_count"),
    *("top_level_regions", "static_storage_bytes", "shape_predicate_violations"),
)
"""The counts whose change is shown."""
LONGEST_OP = 100
"""Characters of an op that are shown."""


class SourceText(NamedTuple):
    """What a program was read from; nothing, for one that was built."""

    name: str = ""
    """What stands for the file in locations."""
    text: str = ""


class Explainer:
    """Says what fusion did to a program, beside the lines of its text that it is about."""

    def __init__(self, name: str, text: str, passes: Passes, *, has_schedule: bool):
        self.name = name
        self.passes = passes
        """What the program is compiled by."""
        self.has_schedule = has_schedule
        """Whether a given schedule names the passes, and their options."""
        self._lines = lines_of(text)

    def place(self, location: LocationAttr) -> dict[str, object]:
        """The number and text of a line of the program; None where it has no such line."""
        number = self._line_number(location)
        source = None if number is None else self._lines[number - 1].strip()
        return {"line": number, "source": source}

    def _line_number(self, location: LocationAttr) -> int | None:
        if not isinstance(location, FileLineColLoc) or location.filename.data != self.name:
            return None
        number = location.line.data
        return number if 0 < number <= len(self._lines) else None

    def fused(self, tile: BufferOp) -> dict[str, object]:
        """What became of a handoff that fused."""
        return {
            "name": tile.sym_name.data,
            **self.place(tile.location),
            "fused": True,
            "memory_space": str(tile.type.space),
            "elements": tile.type.static_count,
            "bytes": tile.type.static_bytes,
            "arm": _arm_of(tile),
        }

    def refused(self, refusal: RefusedHandoff, advice: Iterable[Advice]) -> dict[str, object]:
        """Why a handoff did not fuse, and what makes it."""
        return {
            "name": refusal.handoff.sym_name.data,
            **self.place(refusal.handoff.location),
            "fused": False,
            "reason": str(refusal.reason),
            "detail": refusal.detail,
            "question": refusal.question,
            "producer": None if refusal.producer is None else refusal.producer.generator.data,
            "consumers": [each.generator.data for each in refusal.consumers],
            "consumer": None if refusal.consumer is None else refusal.consumer.generator.data,
            "cause": self._site(refusal.cause),
            "depends_on": self._site(refusal.earlier),
            "counterexample": _example(refusal),
            "advice": [self._advice(each) for each in advice],
        }

    def tested(self, outcome: Outcome) -> dict[str, object]:
        """What became of the tests of a column."""
        return {
            "column": outcome.column,
            **self.place(outcome.scan.location),
            "moved": outcome.has_moved,
            "rule" if outcome.has_moved else "reason": str(outcome.found),
            "detail": outcome.detail,
        }

    def scalar(self, arm: RegionOp, reason: str, detail: str) -> dict[str, object]:
        """Why the invocations of an arm did not become lanes."""
        place = self.place(arm.location)
        return {"arm": arm.generator.data, **place, "reason": reason, "detail": detail}

    def _advice(self, advice: Advice) -> dict[str, object]:
        arguments = advice.arguments(self.passes, has_schedule=self.has_schedule)
        tile = {"memory_space": str(advice.tile.type.space), "bytes": advice.tile.type.static_bytes}
        return {"options": advice.spec, "arguments": arguments, **tile}

    def _site(self, site: Site | None) -> dict[str, object] | None:
        return site and {"op": site.text[:LONGEST_OP], **self.place(site.location)}


def _arm_of(tile: BufferOp) -> str | None:
    program = tile.parent_op()
    assert isinstance(program, ProgramOp)
    for arm in program.arms():
        if any(buffer is tile for _, buffer in arm.accesses()):
            return arm.generator.data
    return None


def _example(refusal: RefusedHandoff) -> dict[str, object] | None:
    """A counterexample, which numbers invocations as they were when it was found: in lanes."""
    if (example := refusal.counterexample) is None:
        return None
    arms = (*(() if refusal.producer is None else (refusal.producer,)), *refusal.consumers)
    lanes = {arm.generator.data: found for arm in arms if (found := items_of(arm)) > 1}
    text = f"{example}; {_in_lanes(lanes)}" if lanes else str(example)
    return {**example.as_dict(), "lanes": lanes, "text": text}


def _in_lanes(lanes: Mapping[str, int]) -> str:
    arms = {items: [arm for arm in lanes if lanes[arm] == items] for items in lanes.values()}
    said = (f"{items} of {' and '.join(map(repr, names))}" for items, names in arms.items())
    return f"in lanes, each is {', '.join(said)}"


@dataclass(frozen=True)
class PassRow:
    """A pass of a schedule: whether it is selected, why, what it did and what that cost."""

    op: PassOp
    runs: tuple[PassRun, ...]

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.op.sym_name.data

    @property
    def why(self) -> str:
        """The reason with its numbers."""
        return str(self.op.decision)

    @property
    def runtime_ns(self) -> int:
        """What all runs took."""
        return sum(run.runtime_ns for run in self.runs)

    @property
    def changes(self) -> dict[str, int]:
        """By how much each count that changed went up, over all runs."""
        kept = [run for run in self.runs if run.changed]
        changes = {
            name: sum(run.after.count(name) - run.before.count(name) for run in kept)
            for name in SHOWN
        }
        return {name: change for name, change in changes.items() if change}

    @property
    def refusals(self) -> list[str]:
        """Why changes were undone."""
        return [f"{run.refusal}: {run.detail}" for run in self.runs if run.refusal is not None]

    @property
    def did(self) -> str:
        """What changed, and what was refused, in words."""
        if not self.op.is_selected:
            return "-"
        shown = {"nodes", *COSTS[self.op.family.data]}
        changes = [f"{name} {change:+}" for name, change in self.changes.items() if name in shown]
        if not changes and any(run.changed for run in self.runs):
            changes = ["changed"]
        refusals = [f"refused: {refusal}" for refusal in self.refusals]
        return ", ".join([*changes, *refusals]) or "nothing"

    def as_json(self) -> dict[str, object]:
        """The row for machines."""
        return {
            **decision_as_json(self.op),
            "runs": len(self.runs),
            "changed": sum(run.changed for run in self.runs),
            "changes": self.changes,
            "refusals": self.refusals,
            "runtime_ns": self.runtime_ns,
        }


@dataclass(frozen=True)
class Explanation:
    """What became of a program, and why."""

    program: str
    """The name of the program."""
    device: str | None
    """What it was compiled for; None for any device of OpenCL 1.2."""
    policy: str | None
    """The policy for the device by which passes were given options; None for none."""
    handoffs: tuple[Mapping[str, object], ...]
    """Of each buffer that one arm hands to another, what `vyre explain --json` says."""
    plans: tuple[PlanSummary, ...]
    """What fuses, and the questions that were answered with yes before it did."""
    predicates: tuple[Mapping[str, object], ...]
    """Of the tests of each column of a query, whether they moved into its encoding."""
    scalar: tuple[Mapping[str, object], ...]
    """Of each arm that stays scalar where vectors are asked for, why."""
    passes: tuple[PassRow, ...]
    """In the order in which they come to run."""
    fused: ProgramOp
    """The program after fusion, or as its library ops expand where that did not run."""
    file: str = ""
    """What it was read from; nothing, for one that was built."""

    def as_json(self) -> dict[str, object]:
        """The explanation for machines."""
        return {
            "program": self.program,
            "device": self.device,
            "policy": self.policy,
            "handoffs": list(self.handoffs),
            "plans": [plan.as_dict() for plan in self.plans],
            "predicates": list(self.predicates),
            "not_vectorized": list(self.scalar),
            "passes": [row.as_json() for row in self.passes],
        }

    def __str__(self) -> str:
        """What `vyre explain` says of fusion."""
        return "\n".join(map(printable, self.fusion_lines(self.file or self.program)))

    def fusion_lines(self, name: str) -> Iterator[str]:
        """What fuses and what does not, and the plans of what does, by the name of the program."""
        for handoff in self.handoffs:
            yield from handoff_lines(name, handoff)
        if not self.handoffs:
            yield f"'{name}' hands no buffer from one arm to another"
        for plan in self.plans:
            yield from plan_lines(plan)
        for predicate in self.predicates:
            yield from predicate_lines(name, predicate)
        for arm in self.scalar:
            yield scalar_line(name, arm)

    def _repr_html_(self) -> str:
        """For notebooks: what fuses drawn, why the rest does not, and the passes that ran."""
        where = "any device" if self.device is None else escape(self.device)
        head = f"<p><b>{escape(self.program)}</b>, for {where}</p>"
        nothing = "" if self.handoffs else "<p>No buffer is handed from one arm to another.</p>"
        ran = ((row.name, row.why, row.did) for row in self.passes if row.op.is_selected)
        passes = table(("pass", "why it ran", "what it did"), ran)
        return fragment(
            f"{head}{nothing}{''.join(map(verdict, self.handoffs))}"
            f"{''.join(map(drawn_plan, self.plans))}"
            f"<details><summary>passes</summary>{passes}</details>"
        )


def explain_module(
    module: ModuleOp,
    passes: Passes,
    device: DeviceInfo | None,
    context: Context,
    text: SourceText,
) -> Explanation:
    """
    What `passes` do with the program of `module` for `device`, which they compile once more;
    `text` is what it was read from. Raises what `compile_module` does.
    """
    given = passes.optimize is not None and passes.optimize.schedule is not None
    explainer = Explainer(*text, passes, has_schedule=given or has_own_schedule(module))
    fusion, predicates, vectors = FusionRecord(), PredicateRecord(), VectorRecord()
    record = PassRecord()
    observers = (*passes.observers, fusion, predicates, vectors, record)
    observed = replace(passes, observers=observers)
    lowered = lower_module(module, observed, context, device)
    expanded = module.clone()
    apply_pipeline(expanded, REFERENCE, context)
    program = find_program(expanded)
    advice = fusion.advice()
    fused = map(explainer.fused, fusion.fused.values())
    refused = (
        explainer.refused(each, advice.get(each.handoff.sym_name.data, ()))
        for each in (*fusion.refusals.values(), *fusion.unasked(program))
    )
    return Explanation(
        program.sym_name.data,
        None if device is None else device.label,
        lowered.policy,
        (*fused, *refused),
        tuple(fusion.plans),
        tuple(map(explainer.tested, predicates.outcomes)),
        tuple(explainer.scalar(*each) for each in vectors.scalar.values()),
        tuple(PassRow(op, runs) for op, runs in record.rows),
        fusion.program or program,
        text.name,
    )
