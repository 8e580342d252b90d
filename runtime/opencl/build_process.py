"""
Builds OpenCL C in another process, for devices whose compiler may end the one that it is in.

Intel's compiler for CPUs does: of 3500 generated programs, it crashed at about ten, where it makes
vectors of work-items. There it is asked again without that. The process is kept for what is built
next, and is not started where all binaries are in the cache.

    python -m vyre_dialect.runtime.opencl.build_process FD

is that process; it takes requests from a socket, and ends with whoever started it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from signal import Signals
from socket import socketpair
from threading import Semaphore
from typing import NamedTuple, cast

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.loader import load_intel_runtime
from vyre_dialect.runtime.program.device_info import DeviceInfo

_PLATFORM = "Intel(R) OpenCL"
_WITHOUT_VECTORS = {"CL_CONFIG_CPU_VECTORIZER_MODE": "1"}


class _Request(NamedTuple):
    """What to build, and for which device."""

    platform: str
    device: str
    source: str
    options: tuple[str, ...]


class _Ended(Exception):
    """The process has ended in place of an answer."""

    def __init__(self, status: int):
        super().__init__(status)
        self.signal = Signals(-status) if status < 0 else None
        """What ended it; None where it ended by itself, as when it finds no such device."""


def may_end_its_process(device: DeviceInfo) -> bool:
    """Whether the compiler of a device is known to end the process that it is in."""
    return device.platform == _PLATFORM and device.kind == "cpu"


def built_apart(device: DeviceInfo, source: str, options: tuple[str, ...]) -> bytes | None:
    """
    The binary of `source`, built in another process; None where there is none to be had, as where
    the compiler refuses it.

    Raises a DeviceError where that compiler ends the process, also without making vectors.
    """
    request = _Request(device.platform, device.name, source, options)
    ended: Signals | None = None
    for builders in (_with_vectors, _without_vectors):
        try:
            return builders.build(request)
        except _Ended as end:
            ended = end.signal
        if ended is None:
            return None
    assert ended is not None
    raise DeviceError(
        f"{device.label} cannot build the kernels: its compiler ended with {ended.name}"
    )


@dataclass
class _Builder:
    """Another process, which builds one program at a time."""

    process: subprocess.Popen[bytes]
    connection: Connection

    @classmethod
    def start(cls, variables: Mapping[str, str]) -> _Builder:
        """A new one, with more environment variables."""
        ours, its = socketpair()
        paths = os.pathsep.join(sys.path)
        with its:
            process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(its.fileno())],
                env={**os.environ, "PYTHONPATH": paths, **variables},
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt is for us
            )
        return cls(process, Connection(ours.detach()))

    def build(self, request: _Request) -> bytes | None:
        """The binary, or None. Raises _Ended."""
        try:
            self.connection.send(tuple(request))
            return self.connection.recv()
        except (EOFError, OSError):
            raise _Ended(self.process.wait()) from None

    def end(self) -> None:
        """End the process, whatever it does."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


@dataclass
class _Builders:
    """As many as threads ask at the same time, one a core at most; each is used again."""

    variables: Mapping[str, str]

    def __post_init__(self) -> None:
        self._start_anew()
        atexit.register(self.end)
        # In a child, they would answer the process that started them.
        os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        self._idle = SimpleQueue[_Builder]()
        self._places = Semaphore(os.cpu_count() or 1)

    def build(self, request: _Request) -> bytes | None:
        """As the builder does."""
        with self._places:
            try:
                builder = self._idle.get_nowait()
            except Empty:
                builder = _Builder.start(self.variables)
            try:
                binary = builder.build(request)
            except BaseException:
                builder.end()
                raise
            self._idle.put(builder)
            return binary

    def end(self) -> None:
        """End those that wait for work."""
        with contextlib.suppress(Empty):
            while True:
                self._idle.get_nowait().end()


_with_vectors = _Builders({})
_without_vectors = _Builders(_WITHOUT_VECTORS)


def _answer(request: _Request) -> bytes | None:
    """What the device's compiler makes of the source."""
    import pyopencl as cl

    (platform,) = (each for each in cl.get_platforms() if each.name == request.platform)
    device = next(each for each in platform.get_devices() if each.name == request.device)
    program = cl.Program(cl.Context([device]), request.source)
    try:
        program.get_info(cl.program_info.NUM_DEVICES)
        program.build(list(request.options), [device])
    except cl.Error:
        return None
    binaries = cast("list[bytes]", program.get_info(cl.program_info.BINARIES))
    return binaries[0]


def _serve(connection: Connection) -> None:
    """Answer until nobody asks any more. All but libraries is prepared in the environment."""
    load_intel_runtime()
    warnings.simplefilter("ignore")
    with contextlib.suppress(EOFError):
        while True:
            connection.send(_answer(_Request(*connection.recv())))


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
