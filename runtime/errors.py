"""Errors that a user can cause and mend; everything else is a bug and keeps its traceback."""

from typing import ClassVar

from vyre_dialect.messages import did_you_mean as did_you_mean
from vyre_dialect.messages import first_line as first_line


class VyreError(Exception):
    """Base of the errors shown as one line: what was expected, what was got, what to do."""

    exit_status: ClassVar[int] = 1
    """What the command line exits with."""

    detail: str | None = None
    """Lines that are shown below the message: a place in a program, or what a compiler says."""

    advice: str | None = None
    """What to type, where the command line shows the message."""


class UsageError(VyreError):
    """The request itself makes no sense: an unknown option, name or combination of them."""

    exit_status: ClassVar[int] = 2


class DeviceError(VyreError):
    """No device fits the request, or the one that does cannot run it."""


class OutOfMemoryError(DeviceError):
    """A device has no room for a buffer."""


class TimeLimitError(DeviceError):
    """A run took longer than it may; a device cannot be told to stop, so kernels may still run."""

    exit_status = 124  # as timeout(1) has it


INTERRUPTED = 130
"""What the command line exits with, as shells say it of SIGINT."""


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is an interrupt, or was raised for one, as Python does in making a class."""
    while not isinstance(error, KeyboardInterrupt):
        before = error.__cause__ or error.__context__
        if before is None:
            return False
        error = before
    return True


MOST_CHARACTERS = 300
"""How long a line for people is at most."""


def on_one_line(text: str) -> str:
    """
    `text` with its control characters, as a newline in the name of a file, written out; where that
    is too long, the beginning and the end, which has the advice.
    """
    line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    if len(line) <= MOST_CHARACTERS:
        return line
    end = MOST_CHARACTERS // 3
    return f"{line[: MOST_CHARACTERS - end - 1]}…{line[-end:]}"


class RefusedStreamError(VyreError):
    """A program cannot be run on pieces of its input, and why."""

    def __init__(self, program: str, reason: str):
        super().__init__(f"'{program}' cannot take its input in pieces: {reason}")
        self.reason = reason
