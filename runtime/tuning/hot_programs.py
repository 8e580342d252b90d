"""Which programs are tuned before they run, by what is known of earlier runs."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.mode import Mode


def is_tuned_first(mode: Mode, module: ModuleOp, device: Device) -> bool:
    """Whether the program of `module` is tuned on a device, unless that was done before."""
    return mode == Mode.ON or (mode == Mode.HOT and is_hot(module, device))


def is_hot(module: ModuleOp, device: Device) -> bool:
    """Whether earlier runs of the program of `module` were hot, by its `entry_op_id`."""
    program, kept = find_program(module), HotPathFile.of(device.info)
    if program.entry_op_id is None or kept is None:
        return False
    return kept.is_hot(program.entry_op_id.data, structural_hash(program, choices=False))
