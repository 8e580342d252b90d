"""Which line of Python of a user's, and not of vyre's or xDSL's, is at work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from traceback import walk_tb
from types import FrameType

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr, UnknownLoc
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.messages import first_line

_NOT_THE_USERS = ("vyre_dialect.", "xdsl.", "contextlib")


def line_that_builds() -> LocationAttr:
    """The innermost line that is neither the builder's, nor xDSL's, nor of an op's constructor."""
    frames = _outwards(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
    for frame in frames:
        if _is_the_users(frame) and not _constructs_an_op(frame):
            return _location(frame.f_code.co_filename, frame.f_lineno)
    return UnknownLoc()


def line_that_failed(error: BaseException) -> LocationAttr:
    """The innermost line of a user's that an error came through."""
    location: LocationAttr = UnknownLoc()
    for frame, line in walk_tb(error.__traceback__):
        if _is_the_users(frame):
            location = _location(frame.f_code.co_filename, line)
    return location


def place_of(location: LocationAttr) -> str | None:
    """A location as messages name it, `FILE:LINE`; None for one that is not of a file."""
    if not isinstance(location, FileLineColLoc):
        return None
    return f"{location.filename.data}:{location.line.data}"


def said_by(error: BaseException) -> str:
    """What an error says; of a mistake in somebody's Python, also which one it is, and the line."""
    is_meant = isinstance(error, DiagnosticException | RecursionError)
    if is_meant or isinstance(line_that_failed(error), UnknownLoc):
        return first_line(error)
    return mistake_of(error)


def mistake_of(error: BaseException) -> str:
    """What went wrong in somebody's Python, with the line."""
    name, said, place = type(error).__name__, first_line(error), place_of(line_that_failed(error))
    told = name if said == name else f"{name}: {said}"
    return told if place is None else f"{told} ({place})"


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_the_users(frame: FrameType) -> bool:
    return not frame.f_globals.get("__name__", "").startswith(_NOT_THE_USERS)


def _constructs_an_op(frame: FrameType) -> bool:
    return frame.f_code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), Operation)


def _location(file: str, line: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(1))
