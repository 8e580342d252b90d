"""Builds OpenCL C for a device, from the cache of binaries where it holds them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.current_folder import outside_current_folder
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache, kernel_key
from vyre_dialect.runtime.opencl.opencl_program import binary_of, unbuilt_program

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.device import Device
    from vyre_dialect.runtime.program.device_info import DeviceInfo

# Clang and NVIDIA say `<file>:12:5: error: …`, PoCL says `error: <file>:12:5: …`.
_ERROR_LINE = re.compile(
    r"^(?:[^\n]*?[\s:>])?(?P<line>\d+):\d+: (?:fatal )?error: (?P<message>.*)"
    r"|^error: [^\n]*?:(?P<line_after>\d+):\d+: (?P<message_after>.*)",
    re.MULTILINE,
)


class BuildError(DeviceError):
    """A device refused kernels. `detail` is what its compiler said."""

    def __init__(self, message: str, log: str):
        super().__init__(message)
        self.detail = log


def build_kernels(
    context: cl.Context,
    device: Device,
    source: str,
    options: tuple[str, ...] = (),
    cache: KernelCache | None = None,
    *,
    apart: bool = True,
) -> cl.Program:
    """The built program of `source`.

    A compiler that may end its process works in another one, but for trivial kernels, for which
    none need start: those are not kept `apart`. Raises a BuildError with the compiler's log and the
    line of the source that it complains about, and a DeviceError where the compiler ends.
    """
    cache = cache or KernelCache(None)
    key = kernel_key(source, options, device.info)
    binary = cache.get(key)
    if binary is not None:
        if (program := _from_binary(context, device, binary)) is not None:
            return program
        cache.discard(key)
    program = None
    if apart and may_end_its_process(device.info):
        program = _from_another_process(context, device, source, options)
    program = program or _from_source(context, device, source, options)
    # PoCL links only now.
    cache.put(key, outside_current_folder(lambda: binary_of(program)))
    return program


def may_end_its_process(device: DeviceInfo) -> bool:
    """Whether the compiler of a device is known to end the process that it is in."""
    return device.platform == "Intel(R) OpenCL" and device.kind == "cpu"


def _from_another_process(
    context: cl.Context, device: Device, source: str, options: tuple[str, ...]
) -> cl.Program | None:
    # Here, since it takes 10 ms that a run from the cache need not wait.
    from vyre_dialect.runtime.opencl.build_process import built_apart

    binary = built_apart(device.info, source, options)
    return None if binary is None else _from_binary(context, device, binary)


def _from_binary(context: cl.Context, device: Device, binary: bytes) -> cl.Program | None:
    """The program of a cached binary, or None where the driver no longer takes it."""
    import pyopencl as cl

    with _silent():
        try:
            return outside_current_folder(
                lambda: cl.Program(context, [device.handle], [binary]).build()
            )
        except cl.Error:
            return None


def _from_source(
    context: cl.Context, device: Device, source: str, options: tuple[str, ...]
) -> cl.Program:
    import pyopencl as cl

    with _silent():
        program = unbuilt_program(context, source)
        try:
            return outside_current_folder(lambda: program.build(list(options), [device.handle]))
        except cl.Error as error:
            log = _build_log(program, device) or str(error)
            raise BuildError(_build_message(device, source, log), log) from error


def _build_log(program: cl.Program, device: Device) -> str:
    import pyopencl as cl

    try:
        info = cl.program_build_info.LOG
        log: object = program.get_build_info(  # pyright: ignore[reportUnknownMemberType]
            device.handle, info
        )
    except cl.Error:
        return ""
    return str(log).strip()


def _build_message(device: Device, source: str, log: str) -> str:
    """One line that says where the first error is; the log has the rest."""
    prefix = f"{device.info.label} cannot build the kernels"
    found = _ERROR_LINE.search(log)
    lines = source.splitlines()
    if found is None:
        return f"{prefix}: {log.splitlines()[0] if log else 'its compiler gives no reason'}"
    number = int(found["line"] or found["line_after"])
    message = (found["message"] or found["message_after"]).strip()
    line = lines[number - 1].strip() if 1 <= number <= len(lines) else ""
    return f"{prefix}: {message} at line {number}: {line}"


_silence = RLock()


@contextmanager
def _silent() -> Generator[None]:
    """
    Leaves out what pyopencl has to say about compiler output, and about its own cache. Filters of
    warnings are those of the whole process, so one thread at a time changes them, and warnings of
    others come through.
    """
    import pyopencl as cl

    with _silence, warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        warnings.filterwarnings("ignore", "Pre-build attribute access")
        yield
