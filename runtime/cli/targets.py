"""The device that a command compiles for, without running anything there."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.devices import Device


def add_target_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """`--device NAME`, for which the command does `what`."""
    parser.add_argument(
        "--device",
        metavar="NAME",
        help=f"cpu, gpu or part of a device's name: {what} (the device that 'vyre run' takes); "
        "'reference' for any device of OpenCL 1.2",
    )


def target_device(name: str | None) -> Device | None:
    """What `vyre run` would compile for; None, with a warning, where that is nothing."""
    from vyre_dialect.runtime.errors import DeviceError
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    if name == REFERENCE_DEVICE:
        return None
    try:
        return choose_device(name)
    except DeviceError:
        if name is not None:
            raise
    message = "no device works here ('vyre devices' says why): any of OpenCL 1.2 is taken"
    warnings.warn(message, stacklevel=2)
    return None
