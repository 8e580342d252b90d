"""`vyre devices`: the devices of this machine, which one would be used, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.devices import DeviceChoice


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "devices", help="list the devices of this machine", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "--device", metavar="NAME", help="say which one would be used when asked for NAME"
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measure what the device that would be used takes for each kind of work, by which "
        "'vyre explain' predicts times from then on; takes a minute or two",
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.terminal import print_json, progress_bar
    from vyre_dialect.runtime.opencl.devices import choose_device, explain_choice
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    if arguments.calibrate:
        _calibrate(arguments)
        return 0
    with progress_bar() as progress:
        progress("trying devices out", None)
        choices = explain_choice(arguments.device)
    if arguments.json:
        print_json({"devices": [_as_json(choice) for choice in choices]})
    else:
        _print(choices)
    if arguments.device == REFERENCE_DEVICE or any(choice.chosen for choice in choices):
        return 0
    # Says why, and what helps.
    choose_device(arguments.device)
    return 1


def _calibrate(arguments: argparse.Namespace) -> None:
    from vyre_dialect.runtime.cli.calibrated import calibrate_device
    from vyre_dialect.runtime.errors import UsageError
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    if arguments.device == REFERENCE_DEVICE:
        raise UsageError(
            "argument --calibrate: the interpreter takes no times, name another device"
        )
    calibrate_device(choose_device(arguments.device), as_json=arguments.json)


def _as_json(choice: DeviceChoice) -> dict[str, object]:
    info = choice.info
    return {
        "name": info.name,
        "platform": info.platform,
        "vendor": info.vendor,
        "driver": info.driver,
        "version": info.version,
        "kind": info.kind,
        "simulator": info.simulator,
        "compute_units": info.compute_units,
        "local_mem_bytes": info.local_mem_bytes,
        "has_own_local_mem": info.has_own_local_mem,
        "global_mem_bytes": info.global_mem_bytes,
        "max_alloc_bytes": info.max_alloc_bytes,
        "max_workgroup_size": info.max_workgroup_size,
        "vector_lanes": info.vector_lanes,
        "extensions": sorted(info.extensions),
        "works": choice.problem is None,
        "problem": choice.problem,
        "chosen": choice.chosen,
        "reason": choice.reason,
    }


def _print(choices: list[DeviceChoice]) -> None:
    from vyre_dialect.runtime.cli.terminal import print_table
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    print(f"{REFERENCE_DEVICE}: always works: the interpreter, with '--device {REFERENCE_DEVICE}'")
    if not choices:
        return
    columns = ("device", "kind", "units", "memory", "local")
    print_table("devices", columns, [_row(choice) for choice in choices])
    for choice in choices:
        mark = "used" if choice.chosen else "not used"
        print(f"{choice.info.label}: {mark}: {choice.reason}")


def _row(choice: DeviceChoice) -> tuple[str, ...]:
    info = choice.info
    return (
        info.label,
        "simulator" if info.simulator else info.kind,
        str(info.compute_units),
        f"{info.global_mem_bytes / 2**30:.1f} GiB",
        f"{info.local_mem_bytes // 1024} KiB",
    )
