"""
Builds OpenCL C in another process, for devices whose compiler may end the one that it is in.

Intel's compiler for CPUs does, in its version of 2026, where it makes vectors of work-items or
loops: at one of some 2000 generated programs. Of loops with conditions that say how they are to be
unrolled it makes some that leave out elements. So it is asked to make none, which its own variable
says to a process; lanes are vectors in the source already. Nor is it to make bounds of a loop over
work-items of conditions on their ids: it subtracts a group's first id from the other side, and
where that wraps, those run that should not. The process is kept for a minute for what is built
next, and not started where all binaries are in the cache.

    python -P -m vyre_dialect.runtime.opencl.build_process FD

is that process. It takes requests from a socket, and ends within a second of whoever started it.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from socket import socketpair
from threading import Semaphore, Thread
from typing import NamedTuple

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.loader import load_intel_runtime
from vyre_dialect.runtime.opencl.opencl_program import binary_of, unbuilt_program
from vyre_dialect.runtime.program.device_info import DeviceInfo

_WITHOUT_VECTORS = {"CL_CONFIG_CPU_VECTORIZER_MODE": "1"}
"""Kernels of 64 programs take 0.98 of the time that they do with vectors, in the median."""
_WITHOUT_BOUNDS = {
    "CL_CONFIG_LLVM_OPTIONS": "-opt-disable=sycl-kernel-wg-loop-bound -opt-bisect-verbose=false"
}
_FIRST_TO_LEAVE_OUT_PASSES = 2026
"""The year in the driver's version; earlier ones end at an option that they do not know."""
_READY, _REFUSED = b"ready", b""
_IDLE_SECONDS = 60.0
_LOOK_SECONDS = 0.5
"""Between looks at whether the other process still lives: a fork may keep its socket open."""


class _Request(NamedTuple):
    """What to build, and for which device."""

    platform: str
    device: str
    source: str
    options: tuple[str, ...]


class _Ended(Exception):
    """The process has ended in place of an answer, with a status as `Popen` has it."""

    def __init__(self, status: int):
        super().__init__(status)
        self.how = f"status {status}" if status >= 0 else signal.strsignal(-status)


def built_apart(device: DeviceInfo, source: str, options: tuple[str, ...]) -> bytes | None:
    """
    The binary of `source`, built in another process; None where the compiler refuses it, or no
    process can be started.

    Raises a DeviceError where the compiler ends the process.
    """
    request = _Request(device.platform, device.name, source, options)
    try:
        return _builders_for(device).build(request)
    except _Ended as end:
        raise DeviceError(
            f"{device.label} cannot build the kernels: its compiler has ended ({end.how})"
        ) from None


@dataclass
class _Builder:
    """Another process, which builds one program at a time."""

    process: subprocess.Popen[bytes]
    connection: Connection

    @classmethod
    def start(cls, variables: Mapping[str, str]) -> _Builder | None:
        """A new one, with more environment variables; None where that cannot be."""
        # -P: what lies in the current folder is no package of ours.
        command = [sys.executable, "-P", "-m", __name__]
        try:
            known = (os.path.abspath(each) for each in sys.path if each)
            paths = {"PYTHONPATH": os.pathsep.join(known)}
            ours, its = socketpair()
            with ours, its:
                process = subprocess.Popen(
                    [*command, str(its.fileno())],
                    env={**os.environ, **paths, **variables},
                    cwd="/",  # nor what a compiler is to read
                    pass_fds=[its.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # an interrupt is for us
                )
                builder = cls(process, Connection(ours.detach()))
        except (OSError, TypeError):  # no such interpreter, or no room
            return None
        try:
            builder.receive()
        except BaseException as error:
            builder.end()
            if isinstance(error, _Ended):
                return None
            raise
        return builder

    def build(self, request: _Request) -> bytes | None:
        """The binary; None where it is refused. Raises _Ended."""
        with contextlib.suppress(OSError):  # what has ended tells that next
            self.connection.send_bytes(pickle.dumps(tuple(request)))
        return self.receive() or None

    def receive(self) -> bytes:
        """What it says next. Raises _Ended."""
        try:
            while not self.connection.poll(_LOOK_SECONDS):
                if (status := self.process.poll()) is not None:
                    raise _Ended(status)
            return self.connection.recv_bytes()
        except (EOFError, OSError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                raise _Ended(self.process.wait(_LOOK_SECONDS)) from None
            self.end()
            raise _Ended(0) from None

    def end(self) -> None:
        """End the process, whatever it does."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


class _Builders:
    """Those with the same variables that wait for work, to be used again."""

    def __init__(self, variables: Mapping[str, str]):
        self._variables = variables
        self._idle: SimpleQueue[_Builder] = SimpleQueue()

    def build(self, request: _Request) -> bytes | None:
        """As a builder does. Raises _Ended where one ends that had just been started."""
        with _places:
            with contextlib.suppress(Empty, _Ended):  # it may have waited too long
                return self._by(self._idle.get_nowait(), request)
            builder = _Builder.start(self._variables)
            return None if builder is None else self._by(builder, request)

    def _by(self, builder: _Builder, request: _Request) -> bytes | None:
        try:
            binary = builder.build(request)
        except BaseException:
            builder.end()
            raise
        self._idle.put(builder)
        return binary

    def end(self) -> None:
        """End those that wait."""
        with contextlib.suppress(Empty):
            while True:
                self._idle.get_nowait().end()

    def forget(self) -> None:
        """In a process that was forked: they answer the one that started them."""
        self._idle = SimpleQueue()


_builders = _Builders(_WITHOUT_VECTORS | _WITHOUT_BOUNDS)
_older_builders = _Builders(_WITHOUT_VECTORS)


def _builders_for(device: DeviceInfo) -> _Builders:
    year = device.driver.partition(".")[0]
    leaves_out = year.isdigit() and int(year) >= _FIRST_TO_LEAVE_OUT_PASSES
    return _builders if leaves_out else _older_builders


def _one_a_core() -> Semaphore:
    return Semaphore(len(os.sched_getaffinity(0)))


_places = _one_a_core()
"""So many may work at the same time, of 350 MB each."""


atexit.register(_builders.end)
atexit.register(_older_builders.end)


def _after_fork() -> None:
    global _places
    _builders.forget()
    _older_builders.forget()
    _places = _one_a_core()


os.register_at_fork(after_in_child=_after_fork)


# The other process.


def _answer(request: _Request) -> bytes:
    """The binary that the device's compiler makes of the source."""
    import pyopencl as cl

    devices = [
        device
        for platform in cl.get_platforms()
        if platform.name.strip() == request.platform
        for device in platform.get_devices()
        if device.name.strip() == request.device
    ]
    if not devices:
        return _REFUSED
    program = unbuilt_program(cl.Context(devices[:1]), request.source)
    try:
        return binary_of(program.build(list(request.options), devices[:1]))
    except cl.Error:
        return _REFUSED


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _serve(connection: Connection) -> None:
    """Answer until nobody asks any more. All but libraries is prepared in the environment."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    load_intel_runtime()
    importlib.import_module("pyopencl")  # whether it is there is told now
    warnings.simplefilter("ignore")
    connection.send_bytes(_READY)
    with contextlib.suppress(EOFError):
        while connection.poll(_IDLE_SECONDS):
            connection.send_bytes(_answer(_Request(*pickle.loads(connection.recv_bytes()))))


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
