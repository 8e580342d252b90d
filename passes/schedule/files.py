"""Files that schedules are read from and decided by, and how errors in them are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, PassFailedException, VerifyException

from vyre_dialect.ops.schedule import ScheduleOp

T = TypeVar("T")


def read_text(path: str, kind: str) -> str:
    """The text of a file. Raises PassFailedException where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PassFailedException(
            f"cannot read the {kind} '{path}': {error.strerror or error}"
        ) from error
    except UnicodeDecodeError as error:
        raise PassFailedException(
            f"cannot read the {kind} '{path}': it is no text ({error.reason})"
        ) from error


def read_json(path: str, kind: str, understand: Callable[[Any], T]) -> T:
    """What `understand` makes of a JSON file. Raises PassFailedException where it makes nothing."""
    text = read_text(path, kind)
    try:
        return understand(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise PassFailedException(f"malformed {kind} '{path}': {what}") from error


def write_text(path: str, text: str, kind: str) -> None:
    """Write a file. Raises PassFailedException where that fails."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise PassFailedException(
            f"cannot write the {kind} '{path}': {error.strerror or error}"
        ) from error


def read_schedule(path: str, context: Context) -> ScheduleOp:
    """The only schedule of a file. Raises PassFailedException where there is none."""
    text = read_text(path, "schedule")
    try:
        module = Parser(context, text, path).parse_module()
        module.verify()
    except ParseError as error:
        where = error.span.get_location() if hasattr(error.span, "get_location") else path
        raise PassFailedException(f"malformed schedule '{path}': {where}: {error.msg}") from error
    except VerifyException as error:
        message = str(error).strip().splitlines()[0]
        raise PassFailedException(f"malformed schedule '{path}': {message}") from error
    found = [op for op in module.ops if isinstance(op, ScheduleOp)]
    if len(found) != 1:
        raise PassFailedException(
            f"expected one 'vyre.schedule' in the schedule '{path}', got {len(found)}"
        )
    found[0].detach()
    return found[0]
