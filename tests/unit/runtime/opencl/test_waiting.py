"""Whoever waits for a driver can be interrupted and can give up, and the process still ends."""

import subprocess
import sys
import time
from threading import Event, Thread, current_thread, main_thread

import pytest

from vyre_dialect.runtime.opencl.waiting import Leave, interruptible


def test_a_call_gives_what_it_gives() -> None:
    assert interruptible(lambda: 7) == 7
    assert interruptible(lambda: 7, 60) == 7


def test_a_call_raises_what_it_raises() -> None:
    for seconds in (None, 60):
        with pytest.raises(ZeroDivisionError):
            interruptible(lambda: 1 // 0, seconds)


def test_the_main_thread_makes_no_call_itself_and_another_does() -> None:
    assert interruptible(current_thread) is not main_thread()
    found = list[Thread]()
    other = Thread(target=lambda: found.append(interruptible(current_thread)))
    other.start()
    other.join()
    assert found == [other]


def test_a_call_that_takes_too_long_is_given_up_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leave = Leave()
    monkeypatch.setattr("vyre_dialect.runtime.opencl.waiting.leave", leave)
    end = Event()
    with pytest.raises(TimeoutError):
        interruptible(end.wait, 0.01)
    (call,) = leave.calls
    assert call.is_alive()
    end.set()
    call.join()
    leave.take()  # nothing is under way, so the process may go on


# What a driver does as a kernel runs for ever: no signal wakes it.
BLOCKED = """
import ctypes, sys
from vyre_dialect.runtime.opencl.waiting import interruptible, leave
mutex = ctypes.create_string_buffer(64)
lock = ctypes.CDLL(None).pthread_mutex_lock
def block():
    lock(mutex)
    print("blocked", flush=True)
    lock(mutex)
"""


def run(code: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BLOCKED + code]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, restore_signals=True
    )


def test_an_interrupt_is_heard_while_a_driver_blocks() -> None:
    import signal

    code = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    interruptible(block)
except KeyboardInterrupt:
    print("interrupted")
    leave.status = 130
"""
    running = run(code)
    assert running.stdout is not None
    assert running.stdout.readline() == "blocked\n"
    time.sleep(0.1)  # it waits, now
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (out, err, running.returncode) == ("interrupted\n", "", 130)


def test_a_process_ends_though_what_it_gave_up_does_not() -> None:
    code = """
try:
    interruptible(block, 0.1)
except TimeoutError:
    print("given up", end="")
"""
    running = run(code)
    out, err = running.communicate(timeout=60)
    assert (out, err, running.returncode) == ("blocked\ngiven up", "", 1)
