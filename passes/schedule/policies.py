"""
Policies: schedules that say what passes are to do on a kind of device.

Each stands in a file of its own, beside this one or in a package that another distribution names
under the entry point group `vyre.policies`, as `name = "its.package"`. Which devices a policy is
for stands in the policy.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from types import ModuleType

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.broken_packages import warned_if_broken
from vyre_dialect.ir.devices import Properties, parse_properties
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes import schedule as own_files
from vyre_dialect.passes.schedule.admission import check_admitted
from vyre_dialect.passes.schedule.files import schedule_of_text
from vyre_dialect.passes.schedule.options import PassOptions

GROUP = "vyre.policies"


def policy_for(device: Properties) -> ScheduleOp | None:
    """
    The policy for a device: of those that suit it, the one that asks for most of its properties,
    of several the first of another package, by the names of entry points and files; else vyre's.
    """
    suiting = [policy for policy in installed_policies() if policy.suits(device)]
    return max(suiting, key=lambda policy: len(policy.conditions), default=None)


def policy_options(policy: ScheduleOp, device: Properties) -> PassOptions:
    """What a policy asks of passes on a device, as options are given to them."""
    specs = (request.spec_for(device) for request in policy.requests())
    return {spec.name: spec.parameters for spec in specs}


def parse_device(texts: Iterable[str] | None) -> Properties | None:
    """
    The device whose properties are options of a pass, each `name=value`; None where none is given.
    Raises PassFailedException.
    """
    try:
        return None if texts is None else parse_properties(texts)
    except ValueError as error:
        raise PassFailedException(str(error)) from error


@cache
def installed_policies() -> tuple[ScheduleOp, ...]:
    """
    The policies of every package, vyre's own last. They are read once in a process, and are not to
    be changed. A package with one that is malformed is left out with a warning that names it.
    """
    found = list[ScheduleOp]()
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        with warned_if_broken(entry):
            found += policies_of(entry.load())
    return (*found, *policies_of(own_files))


def policies_of(package: ModuleType) -> list[ScheduleOp]:
    """
    The policies in the files of a package, `*.mlir`, by their names. Raises PassFailedException for
    a file that holds anything else, and for a package without one.
    """
    context = Context()
    for dialect in (Builtin, Vyre):
        context.load_dialect(dialect)
    found = (each for each in resources.files(package).iterdir() if each.name.endswith(".mlir"))
    files = sorted(found, key=lambda file: file.name)
    if not files:
        raise PassFailedException(
            f"expected policies in '{package.__name__}', got no file '*.mlir': is it package data?"
        )
    return [
        _policy(file.read_text(encoding="utf-8"), f"{package.__name__}/{file.name}", context)
        for file in files
    ]


def _policy(text: str, name: str, context: Context) -> ScheduleOp:
    policy = schedule_of_text(text, name, context)
    if not policy.is_policy:
        raise PassFailedException(f"expected a policy in '{name}', got a schedule without devices")
    check_admitted(policy)
    return policy
