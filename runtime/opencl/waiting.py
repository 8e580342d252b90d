"""
Calls that block in a driver, so that the host can be interrupted and can give them up.

A thread that is blocked in a driver hears of no signal and of no time. So another thread makes the
call. Nothing ends a kernel: where one that was given up still runs, the process ends without the
drivers' leave, which would wait for it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread, current_thread, main_thread
from typing import Generic, TypeVar

from vyre_dialect.runtime.errors import DeviceError

T = TypeVar("T")


class _Call(Thread, Generic[T]):
    """A call that a thread of its own makes; it holds what the call needs as long as that takes."""

    def __init__(self, call: Callable[[], T]):
        super().__init__(daemon=True)
        self._call = call
        self._ended = Event()
        self._result: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result.append(self._call())
        except BaseException as error:  # the thread that waits raises it
            self._error = error
        finally:
            del self._call  # with all that it needed
            self._ended.set()

    def result(self, seconds: float | None) -> T:
        """What the call gives. Raises what it raises, and TimeoutError after so many seconds."""
        if not self._ended.wait(seconds):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._result[0]


@dataclass
class Leave:
    """How a process ends that leaves calls behind."""

    status: int = 1
    """What it exits with then."""
    calls: list[Thread] = field(default_factory=list[Thread])
    """Those that were given up."""

    def take(self) -> None:
        """End the process at once if a call that was given up is still under way."""
        if not any(call.is_alive() for call in self.calls):
            return
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(self.status)


leave = Leave()
atexit.register(leave.take)


def interruptible(call: Callable[[], T], seconds: float | None = None) -> T:
    """
    What `call` gives; the main thread may be interrupted meanwhile.

    Raises TimeoutError when it takes longer than `seconds`. It then goes on, as it does after an
    interrupt, with nobody to wait for it.
    """
    if seconds is None and current_thread() is not main_thread():  # it gets no signals
        return call()
    return awaited(call, seconds)


def awaited(call: Callable[[], T], seconds: float | None = None) -> T:
    """
    As `interruptible`, but always by a thread that does nothing else. Raises a DeviceError, too,
    where none can be started.
    """
    thread = _Call(call)
    try:
        thread.start()
    except RuntimeError as error:
        raise DeviceError(f"no call of a driver can be made: {error}") from error
    try:
        return thread.result(seconds)
    except BaseException:
        if thread.is_alive():
            leave.calls.append(thread)
        raise
