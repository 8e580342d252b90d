"""
Which passes, with which options, a schedule may name.

A schedule is data, whoever wrote it: it runs no command, and reads and writes no file. So it names
passes only that say that they take part, and gives no option that one of them trusts.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.scheduling import PassMetadata
from vyre_dialect.ops.schedule import PassOp, RequestOp, ScheduleOp
from vyre_dialect.passes.schedule import registry
from vyre_dialect.passes.schedule.options import PassOptions, build_pass, unknown_option


class NotAdmittedError(PassFailedException):
    """What a schedule names and may not, after the place where it does, if that is known."""


def check_admitted(schedule: ScheduleOp) -> None:
    """
    Raise NotAdmittedError where a schedule names a pass or an option that it may not, or an option
    that the pass does not have.
    """
    for op in (*schedule.passes(), *schedule.requests()):
        if unknown := unknown_option(_admitted(op), sorted(op.option_names)):
            raise NotAdmittedError(f"{_named(op)} with an {unknown}")


def instance_of(op: PassOp, trusted: Mapping[str, ParameterListType] = {}) -> ModulePass:
    """
    The pass that `op` names, with its options and those that whoever compiles gives to it.

    Raises NotAdmittedError where it may not be named, and PassFailedException for options that
    make no sense.
    """
    spec = ArgSpec(op.sym_name.data, {**op.spec.parameters, **trusted})
    return build_pass(_admitted(op), spec)


def trusted_options(options: PassOptions) -> PassOptions:
    """Those of `options` that no schedule may give."""
    found = {
        name: {key: value for key, value in each.items() if key in _trusted_by(name)}
        for name, each in options.items()
    }
    return {name: each for name, each in found.items() if each}


def stated_options(options: PassOptions) -> PassOptions:
    """The others, which stand in a schedule."""
    return {
        name: {key: value for key, value in each.items() if key not in _trusted_by(name)}
        for name, each in options.items()
    }


def _trusted_by(name: str) -> frozenset[str]:
    metadata = registry.metadata_of(name)
    return frozenset() if metadata is None else _trusted(metadata)


def _trusted(metadata: PassMetadata) -> frozenset[str]:
    return frozenset(option.replace("-", "_") for option in metadata.trusted_options)


def _admitted(op: PassOp | RequestOp) -> type[ModulePass]:
    name = op.sym_name.data
    metadata = registry.metadata_of(name)
    if metadata is None:
        advice = ": expected a pass with metadata; a pipeline (-p) may name any"
        raise NotAdmittedError(f"{_named(op)}, {registry.why_apart(name)}{advice}")
    if given := sorted(_trusted(metadata) & op.option_names):
        raise NotAdmittedError(
            f"{_named(op)} with option '{given[0]}', which only whoever compiles may give: "
            f"take it out, and give it by --options '{name}{{{given[0]}=…}}'"
        )
    return registry.installed_passes()[name]()


def _named(op: PassOp | RequestOp) -> str:
    """That a schedule names a pass, and where."""
    location = op.location
    place = (
        f"{location.filename.data}:{location.line.data}: "
        if isinstance(location, FileLineColLoc)
        else ""
    )
    schedule = op.schedule.sym_name.data
    return f"{place}the schedule '@{schedule}' names the pass '{op.sym_name.data}'"
