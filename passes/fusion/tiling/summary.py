"""A plan and its proof as people are told of them, when its arms are gone: plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from xdsl.dialects.builtin import IntegerAttr

from vyre_dialect.ir.types import LANES, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.cost import bytes_of
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage
from vyre_dialect.passes.fusion.tiling.obligations import Obligation
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.plan import Plan


def items_of(arm: RegionOp) -> int:
    """How many invocations of the program one of an arm stands for, which may be its lanes."""
    items = arm.attributes.get(LANES)
    return items.value.data if isinstance(items, IntegerAttr) else 1


@dataclass(frozen=True)
class Share:
    """What each tile runs of an arm."""

    arm: str
    invocations: int
    times: Fraction
    """How many tiles run each invocation, on average; 0 where all tiles run the same ones."""
    lanes: int = 1
    """How many invocations of the program each of them stands for, as lanes."""

    @classmethod
    def of(cls, stage: Stage) -> Share:
        """The share of a stage."""
        share, moved = stage.share, abs(stage.share.pace.per_tile)
        times = share.extent / moved if moved else Fraction(0)
        arm = stage.arm.arm
        return cls(arm.generator.data, share.extent, times, items_of(arm))

    def as_dict(self) -> dict[str, object]:
        """The share as plain data."""
        times = round(float(self.times), 3)
        found = {"arm": self.arm, "invocations": self.invocations, "times": times}
        return {**found, "lanes": self.lanes}

    def __str__(self) -> str:
        lanes = "" if self.lanes == 1 else f" (each stands for {self.lanes})"
        return f"{self.invocations} of '{self.arm}'{lanes}"


@dataclass(frozen=True)
class PlanSummary:
    """A fusion that was carried out."""

    home: Home
    """Where its tiles live."""
    workgroup_size: int
    steps: int
    """How many consecutive tiles an invocation does."""
    bytes: int
    """What the tiles of a workgroup, or of an invocation, take."""
    tiles: Mapping[str, int]
    """The elements of each handoff that a tile holds."""
    shares: Sequence[Share]
    """In program order."""
    obligations: Sequence[Obligation]
    """The questions that were asked, all of them answered with yes."""

    @classmethod
    def of(cls, plan: Plan) -> PlanSummary:
        """The summary of what fuses several arms."""
        return cls.of_stages(
            plan.request.home,
            plan.request.workgroup_size,
            plan.footprints,
            plan.stages,
            plan.obligations,
            plan.steps,
        )

    @classmethod
    def of_stages(
        cls,
        home: Home,
        workgroup_size: int,
        footprints: Mapping[BufferOp, Interval],
        stages: Sequence[Stage],
        obligations: Sequence[Obligation],
        steps: int = 1,
    ) -> PlanSummary:
        """The summary of stages that share tiles."""
        return cls(
            home,
            workgroup_size,
            steps,
            bytes_of(footprints),
            {handoff.sym_name.data: each.extent for handoff, each in footprints.items()},
            [Share.of(stage) for stage in stages],
            obligations,
        )

    @property
    def space(self) -> MemorySpace:
        """The memory space of its tiles."""
        return self.home.space

    @property
    def arm(self) -> str:
        """The name of the arm that does all of it."""
        return "+".join(share.arm for share in self.shares)

    @property
    def answers(self) -> Mapping[str, Sequence[str]]:
        """What each question was asked about."""
        found = dict[str, dict[str, None]]()
        for obligation in self.obligations:
            found.setdefault(str(obligation.question), {})[obligation.about] = None
        return {question: list(about) for question, about in found.items()}

    def as_dict(self) -> dict[str, object]:
        """The plan as plain data."""
        return {
            "arm": self.arm,
            "memory_space": str(self.space),
            "workgroup_size": self.workgroup_size,
            "steps": self.steps,
            "bytes": self.bytes,
            "tiles": dict(self.tiles),
            "shares": [share.as_dict() for share in self.shares],
            "obligations": [
                {"question": question, "about": about, "answer": "yes"}
                for question, about in self.answers.items()
            ],
        }

    def __str__(self) -> str:
        owner = "an invocation" if self.space == MemorySpace.PRIVATE else "a workgroup"
        held = ", ".join(f"{count} of '@{name}'" for name, count in self.tiles.items())
        run = ", ".join(map(str, self.shares))
        steps = "" if self.steps == 1 else f", {self.steps} tiles in a row"
        return f"a tile of {owner} holds elements: {held}; runs invocations: {run}{steps}"
