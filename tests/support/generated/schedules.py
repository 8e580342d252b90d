"""Schedules of registered passes that nobody would write: any subset, any order, any options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ParameterListType

from support.generated.drawing import ShownAsText, any_of, sometimes
from support.generated.programs import Sample
from support.schedules import CONTEXT
from vyre_dialect.ir.scheduling import PassMetadata, Profile, Reason
from vyre_dialect.ops.schedule import (
    PassOp,
    ScheduleOp,
)
from vyre_dialect.ops.schedule_attributes import (
    Decision,
)
from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.loop.coarsen import CoarsenPass
from vyre_dialect.passes.loop.unroll import UnrollPass
from vyre_dialect.passes.loop.vectorize import CHOICES, VectorizePass
from vyre_dialect.passes.memory.privatize_reductions import PrivatizeReductionsPass
from vyre_dialect.passes.memory.stage_tables import StageTablesPass
from vyre_dialect.passes.schedule import registry
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import optimize_module, parse_module

ALWAYS = "vyre-expand"
"""Without it, a library op has no meaning."""
SHAPES: Mapping[str, Mapping[str, tuple[int | str, ...]]] = {
    CoarsenPass.name: {"items": (2, 3, 4), "order": ("blocked",), "groups": (1, 2, 3)},
    PrivatizeReductionsPass.name: {
        "scope": ("workgroup",),
        "copies": (2, 4),
        "wide_copies": (4, 16),
        "own_bytes": (256, 16384),
        "budget": (64, 16384),
    },
    StageTablesPass.name: {"budget": (64, 16384)},
    UnrollPass.name: {"limit": (2, 32), "loops": ("all",)},
}
"""Options with which passes shape the kernels of small programs, too."""


@dataclass(frozen=True)
class Scheduled(ShownAsText):
    """A program and schedules that it runs through, one after another; shows itself as text."""

    sample: Sample
    schedules: tuple[str, ...]

    @property
    def after(self) -> ModuleOp:
        """The program after the schedules."""
        module = self.sample.module.clone()
        for schedule in self.schedules:
            run_schedule(module, schedule)
        return module

    def __repr__(self) -> str:
        return "\n".join([repr(self.sample), *self.schedules])


def run_schedule(module: ModuleOp, schedule: str) -> None:
    """Let a module run through a schedule, verified after each pass."""
    op = parse_module(schedule, CONTEXT).body.block.first_op
    assert isinstance(op, ScheduleOp)
    op.detach()
    module.body.block.add_op(op)
    optimize_module(module, OptimizePass(verify_each=True), CONTEXT)


@cache
def _registered() -> Mapping[str, PassMetadata]:
    return registry.scheduled_passes()


@st.composite
def schedules(draw: st.DrawFn, options: Options, *required: str) -> str:
    """A schedule with the passes `required` and any others, as text; fusion has `options`."""
    names = [
        name
        for name in draw(st.permutations(sorted(_registered())))
        if name in (ALWAYS, *required) or draw(sometimes(75))
    ]
    profile = draw(st.sampled_from(Profile))
    ops = list[PassOp]()
    for name in names:
        metadata = _registered()[name]
        known = tuple(each for each in metadata.requires if each in names)
        op = PassOp(name, replace(metadata, requires=known), _options_of(draw, name, options))
        if name in (ALWAYS, *required) or draw(sometimes(60)):
            op.decide(Decision(True, Reason.ALWAYS_ON))
        elif draw(sometimes(20)):
            op.decide(Decision(False, Reason.BELOW_THRESHOLD))
        ops.append(op)
    for op in ops:  # what the profile rejects may be required by what does not
        for each in op.metadata.requires:
            other = next(other for other in ops if other.sym_name.data == each)
            if not other.is_accepted(profile) and other.decision is None:
                other.decide(Decision(True, Reason.ALWAYS_ON))
    return str(ScheduleOp("drawn", profile, ops))


def _options_of(draw: st.DrawFn, name: str, options: Options) -> Mapping[str, ParameterListType]:
    if name == VectorizePass.name:
        return {"lanes": (draw(any_of(*CHOICES)),)}
    if name != DecodeScanFusePass.name:
        others = SHAPES.get(name, {})
        return {name: (draw(any_of(*others[name])),) for name in others if draw(sometimes(40))}
    names = ("strategy", "budget", "tile", "steps")
    return {name: (getattr(options, name),) for name in names}


@st.composite
def scheduled(draw: st.DrawFn, samples: st.SearchStrategy[Sample]) -> Scheduled:
    """Programs with one schedule, or two that run one after another."""
    sample = draw(samples)
    count = 2 if draw(sometimes(25)) else 1
    return Scheduled(sample, tuple(draw(schedules(sample.options)) for _ in range(count)))
