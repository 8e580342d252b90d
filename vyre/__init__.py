"""
Compile and run decode → scan programs on OpenCL devices.

    import vyre

    count = vyre.compile("examples/xor_literal.mlir")
    print(count(encoded=data)["count"], count.timings)

All names are those of `vyre_dialect`, where what extends the compiler is found, too.
"""

from typing import TYPE_CHECKING, Any

from vyre_dialect.builder import Program, program
from vyre_dialect.ir.types import Access, AtomicKind, Axis, Initial, MemorySpace
from vyre_dialect.runtime.compiled import (
    Compiled,
    compile,  # noqa: A004 - as `re.compile`
    explain,
    run,
)
from vyre_dialect.runtime.errors import DeviceError, OutOfMemoryError, UsageError, VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.devices import list_devices as devices
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.explanation import Explanation

if TYPE_CHECKING:
    from vyre_dialect.runtime.queries import query

__all__ = [
    "Access",
    "ArmTiming",
    "AtomicKind",
    "Axis",
    "Compiled",
    "Device",
    "DeviceError",
    "DeviceInfo",
    "Explanation",
    "Initial",
    "MemorySpace",
    "OutOfMemoryError",
    "Program",
    "RunResult",
    "UsageError",
    "VyreError",
    "compile",
    "devices",
    "explain",
    "program",
    "query",
    "run",
]


def __getattr__(name: str) -> Any:
    """`query`, once it is asked for: what reads columns is not needed by programs."""
    if name != "query":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from vyre_dialect.runtime.queries import query

    return query
