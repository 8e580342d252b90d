"""`vyre-materialize-schedule`: a schedule of every pass that is installed and takes part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ParameterListType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, PassFailedException, VerifyException

from vyre_dialect.ops.schedule import PassOp, ScheduleOp, ordered
from vyre_dialect.passes.schedule.registry import scheduled_passes
from vyre_dialect.scheduling import Profile

ProfileName: TypeAlias = Literal["release", "dataflow", "megakernel"]


def materialize(profile: Profile, options: str | None = None) -> ScheduleOp:
    """
    The schedule of all passes that take part, nothing decided, in the order in which they run.

    `options` gives options to some of them, as a pipeline does: `foo{limit=3},bar{fast=true}`, and
    lets those take part that do so on demand.
    Raises PassFailedException where it names others, or a pass requires one that is missing.
    """
    given = _parse(options)
    metadata = scheduled_passes()
    for name in given:
        if name not in metadata:
            raise PassFailedException(f"options for '{name}', which is no pass of the schedule")
    passes = [
        PassOp(name, each, given.get(name, {}))
        for name, each in metadata.items()
        if name in given or not each.on_demand
    ]
    schedule = ScheduleOp(str(profile), profile, passes)
    try:
        schedule.verify()
    except VerifyException as error:
        raise PassFailedException(str(error).strip().splitlines()[0]) from error
    order = ordered(passes)
    for op in order:
        op.detach()
    schedule.body.block.add_ops(order)
    return schedule


def _parse(options: str | None) -> Mapping[str, Mapping[str, ParameterListType]]:
    try:
        specs = list(parse_pipeline(options or ""))
    except ArgSpecParseError as error:
        message = str(error).strip().splitlines()[-1].strip()
        raise PassFailedException(f"malformed options '{options}': {message}") from error
    return {spec.name: spec.normalize_parameter_names().parameters for spec in specs}


@dataclass(frozen=True)
class MaterializeSchedulePass(ModulePass):
    """
    Puts a `vyre.schedule` in front of the module, named after its profile, with every pass that is
    installed and has `metadata`. One that already stands there is replaced.
    """

    name = "vyre-materialize-schedule"

    profile: ProfileName = "release"
    options: str | None = None
    """Options of passes, written like a pipeline."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule = materialize(Profile(self.profile), self.options)
        for old in list(op.ops):
            if isinstance(old, ScheduleOp) and old.sym_name == schedule.sym_name:
                old.detach()
                old.erase()
        block = op.body.block
        if block.first_op is None:
            block.add_op(schedule)
        else:
            block.insert_op_before(schedule, block.first_op)
