"""What each run of each pass did: telemetry for people, and for the next selection of passes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.analysis.program_facts import NUMBERS, ProgramFacts
from vyre_dialect.ops.schedule import PassOp
from vyre_dialect.passes.schedule.files import count_in, object_of, read_json, rows_in, write_text

VERSION = 1
REDUCIBLE = (
    *("nodes", "static_storage_bytes", "instruction_count", "memory_op_count"),
    *("atomic_op_count", "control_flow_count", "register_pressure"),
    *("ir_heap_allocations", "ir_heap_bytes"),
)
"""The counts of which a pass that lowers one is worth running again."""


class RunDecision(StrEnum):
    """What became of a run of a pass."""

    NOT_SELECTED = "not_selected"
    CHANGED = "changed"
    RAN_UNCHANGED = "ran_unchanged"
    REFUSED = "refused"


class RefusalKind(StrEnum):
    """Why what a pass did was undone."""

    COST_INCREASE = "cost_increase"
    EXCEPTION = "exception"
    INVALID_IR = "invalid_ir"
    ITERATION_LIMIT = "iteration_limit"


@dataclass(frozen=True)
class PassRun:
    """One run of a pass, or that it did not run."""

    name: str
    iteration: int
    """How often the pass had run before."""
    decision: RunDecision
    before: ProgramFacts
    after: ProgramFacts
    """What the pass made of the program, also where that was undone."""
    requires: tuple[str, ...] = ()
    invalidates: tuple[str, ...] = ()
    runtime_ns: int = 0
    refusal: RefusalKind | None = None
    detail: str | None = None
    """Of a refusal: the numbers or the error."""

    @property
    def ran(self) -> bool:
        """Whether the pass ran at all."""
        return self.decision != RunDecision.NOT_SELECTED

    @property
    def changed(self) -> bool:
        """Whether the pass changed the program, and the change was kept."""
        return self.decision == RunDecision.CHANGED

    def as_json(self) -> dict[str, object]:
        """The run as the report holds it."""
        row: dict[str, object] = {
            "iteration": self.iteration,
            "pass": self.name,
            "ran": self.ran,
            "changed": self.changed,
            "decision": str(self.decision),
            "refusal_kind": None if self.refusal is None else str(self.refusal),
            "detail": self.detail,
            "required_analyses": list(self.requires),
            "declared_invalidations": list(self.invalidates),
            "fact_substrate_reused": self.ran and not self.changed,
            "fact_substrate_recomputed": self.changed,
            "fact_substrate_invalidated": self.changed,
            "runtime_ns": self.runtime_ns,
        }
        for number in NUMBERS:
            row[f"{number}_before"] = self.before.count(number)
            row[f"{number}_after"] = self.after.count(number)
        return row


@dataclass
class Report:
    """What a schedule did to a program."""

    profile: str
    runs: list[PassRun] = field(default_factory=list[PassRun])

    def as_json(self, passes: Iterable[PassOp]) -> dict[str, object]:
        """The report, with the decisions on all `passes` of the schedule."""
        return {
            "version": VERSION,
            "profile": self.profile,
            "decisions": [decision_as_json(op) for op in passes],
            "passes": [run.as_json() for run in self.runs],
        }

    def write(self, path: str, passes: Iterable[PassOp]) -> None:
        """Write the report to a file. Raises PassFailedException where that fails."""
        write_text(path, json.dumps(self.as_json(passes), indent=1) + "\n", "report")


def decision_as_json(op: PassOp) -> dict[str, object]:
    """What was decided on a pass of a schedule."""
    decision = op.decision
    row: dict[str, object] = {"pass": op.sym_name.data, "selected": op.is_selected}
    if decision is None:
        return row
    return row | {
        "reason": str(decision.reason),
        "priority": decision.priority,
        "evidence": decision.evidence,
        "measured": decision.measured,
        "threshold": decision.threshold,
    }


@dataclass(frozen=True)
class Reduction:
    """The most that a pass has lowered a count by, in a run of it."""

    count: str
    by: int


@dataclass(frozen=True)
class CostReport:
    """Which passes have lowered a count before, from the report of an earlier run."""

    reductions: Mapping[str, Reduction] = field(default_factory=dict[str, Reduction])

    @classmethod
    def read(cls, path: str) -> CostReport:
        """The report in a file. Raises PassFailedException for one that holds none."""
        return read_json(path, "report", cls.from_json)

    @classmethod
    def from_json(cls, value: Any) -> CostReport:
        """What a report as JSON says. Raises ValueError and KeyError."""
        if (version := object_of(value)["version"]) != VERSION:
            raise ValueError(f"expected version {VERSION}, got {version!r}")
        best = dict[str, Reduction]()
        for row in rows_in(value, "passes"):
            if not row["changed"]:
                continue
            name, reduction = str(row["pass"]), _largest(row)
            if reduction.by > 0 and (name not in best or best[name].by < reduction.by):
                best[name] = reduction
        return cls(best)


def _largest(row: Mapping[str, Any]) -> Reduction:
    """The count that a run has lowered most."""
    return max(
        (
            Reduction(count, count_in(row, f"{count}_before") - count_in(row, f"{count}_after"))
            for count in REDUCIBLE
        ),
        key=lambda each: each.by,
    )
