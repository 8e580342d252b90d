"""`vyre-materialize-schedule`: a schedule of every pass that is installed and takes part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ParameterListType
from xdsl.utils.exceptions import PassFailedException, VerifyException

from vyre_dialect.ir.devices import Properties
from vyre_dialect.ir.scheduling import PassMetadata, Profile
from vyre_dialect.messages import did_you_mean, first_line
from vyre_dialect.ops.schedule import PassOp, ScheduleOp, ordered
from vyre_dialect.passes.schedule.admission import stated_options
from vyre_dialect.passes.schedule.options import PassOptions, joined, parse_options
from vyre_dialect.passes.schedule.policies import parse_device, policy_for, policy_options
from vyre_dialect.passes.schedule.registry import scheduled_passes, why_apart

ProfileName: TypeAlias = Literal["release", "dataflow", "megakernel"]


def materialize(
    profile: Profile, options: PassOptions = MappingProxyType({}), policy: str | None = None
) -> ScheduleOp:
    """
    The schedule of all passes that take part, nothing decided, in the order in which they run.

    `options` gives options to some of them; those that no schedule may give are left out. Of the
    passes that take part on request, it has those that are named there, with what they require, and
    those that others may require. `policy` names the policy that the options are of. Raises
    PassFailedException where they name others, or a pass requires one that is missing.
    """
    metadata = scheduled_passes()
    for name in options:
        if name not in metadata:
            hint = did_you_mean(name, metadata, "'vyre schedule FILE' prints those that are")
            message = f"options for '{name}', which is no pass of the schedule"
            raise PassFailedException(f"{message}: {hint}")
    passes = _passes(metadata, options, profile)
    schedule = ScheduleOp(str(profile), profile, passes, policy)
    try:
        schedule.verify()
    except VerifyException as error:
        raise PassFailedException(first_line(error)) from error
    order = ordered(passes)
    for op in order:
        op.detach()
    schedule.body.block.add_ops(order)
    return schedule


def materialize_by(
    policy: ScheduleOp,
    device: Properties,
    profile: Profile | None = None,
    options: PassOptions = MappingProxyType({}),
) -> ScheduleOp:
    """
    As `materialize`, with what `policy` asks for on a device, but for what `options` say; for the
    profile of the policy unless one is given.
    """
    asked = joined(policy_options(policy, device), options)
    return materialize(profile or policy.profile.data, asked, policy.sym_name.data)


def materialize_for(
    device: Properties | None, profile: Profile | None, options: PassOptions
) -> ScheduleOp:
    """As `materialize_by`, by the policy that is installed for a device, if there is one."""
    policy = None if device is None else policy_for(device)
    if device is None or policy is None:
        return materialize(profile or Profile.RELEASE, options)
    return materialize_by(policy, device, profile, options)


def _passes(
    metadata: Mapping[str, PassMetadata], options: PassOptions, profile: Profile
) -> list[PassOp]:
    """The passes of a schedule in the order of their names."""
    stated = stated_options(options)
    requested = _closed(options, metadata)
    unasked = (name for name, each in metadata.items() if not each.on_request)
    there = requested | _closed(unasked, metadata)
    return [
        PassOp(
            name,
            replace(each, on_request=each.on_request and name not in requested),
            {**_profile_options(each, profile), **stated.get(name, {})},
        )
        for name, each in metadata.items()
        if name in there
    ]


def _profile_options(metadata: PassMetadata, profile: Profile) -> dict[str, ParameterListType]:
    """The options that a pass has under a profile unless they are stated."""
    return {name: (value,) for at, name, value in metadata.profile_options if at == profile}


def _closed(names: Iterable[str], metadata: Mapping[str, PassMetadata]) -> set[str]:
    """
    Passes and all that they require, through chains and diamonds. Raises PassFailedException for
    one that is missing.
    """
    found, pending = set[str](), list(names)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        for required in metadata[name].requires:
            if required not in metadata:
                why = why_apart(required)
                raise PassFailedException(f"pass '{name}' requires '{required}', {why}")
            pending.append(required)
    return found


@dataclass(frozen=True)
class MaterializeSchedulePass(ModulePass):
    """
    Puts a `vyre.schedule` in front of the module, named after its profile, with every pass that is
    installed and has `metadata`, with the options of the policy for a device where one is given.
    One that already stands there is replaced.
    """

    name = "vyre-materialize-schedule"

    profile: ProfileName = "release"
    options: str | None = None
    """Options of passes, written like a pipeline."""
    device: tuple[str, ...] | None = None
    """Properties of the device to compile for, each `name=value`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        device, options = parse_device(self.device), parse_options(self.options)
        schedule = materialize_for(device, Profile(self.profile), options)
        for old in list(op.ops):
            if isinstance(old, ScheduleOp) and old.sym_name == schedule.sym_name:
                old.detach()
                old.erase()
        block = op.body.block
        if block.first_op is None:
            block.add_op(schedule)
        else:
            block.insert_op_before(schedule, block.first_op)
