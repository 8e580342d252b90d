"""Files that schedules are read from and decided by, and how errors in them are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.reading import ReadError, read_module
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.whole_files import UnreadableError, read_text, replacing, write_whole

T = TypeVar("T")


def read_json(path: str, kind: str, understand: Callable[[Any], T]) -> T:
    """What `understand` makes of a JSON file. Raises PassFailedException where it makes nothing."""
    text = _text(path, kind)
    try:
        return understand(json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except RecursionError as error:
        message = f"malformed {kind} '{path}': it is nested too deeply"
        raise PassFailedException(message) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise PassFailedException(f"malformed {kind} '{path}': {what}") from error


def count_in(row: Any, name: str) -> int:
    """The count that a JSON object has under a name. Raises ValueError and KeyError."""
    number = row[name]
    if type(number) is not int or number < 0:
        raise ValueError(f"expected a count as '{name}', got {str(number)[:40]}")
    return number


def object_of(value: Any) -> dict[str, Any]:
    """What is a JSON object. Raises ValueError for what is none."""
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, got {_shown(value)}")
    return cast(dict[str, Any], value)


def rows_in(value: Any, name: str) -> list[dict[str, Any]]:
    """The objects in the list that a JSON object has under a name. Raises ValueError, KeyError."""
    found = object_of(value)[name]
    if not isinstance(found, list):
        raise ValueError(f"expected a list as '{name}', got {_shown(found)}")
    rows = cast(list[Any], found)
    for row in rows:
        if not isinstance(row, dict):
            raise ValueError(f"expected objects in '{name}', got {_shown(row)}")
    return rows


def _shown(value: Any) -> str:
    return json.dumps(value)[:40]


def write_text(path: str, text: str, kind: str) -> None:
    """Write a file, all or nothing. Raises PassFailedException where that fails."""
    try:
        write_whole(Path(path), lambda file: file.write(text.encode()))
    except OSError as error:
        raise PassFailedException(
            f"cannot write the {kind} '{path}': {error.strerror or error}"
        ) from error


def check_own_place(path: str, kind: str, others: Mapping[str, str | None]) -> None:
    """Raise PassFailedException where a file that is to be written is one that is read."""
    read = [(name, Path(other)) for name, other in others.items() if other is not None]
    if (replaced := replacing(Path(path), read)) is not None:
        raise PassFailedException(
            f"cannot write the {kind} '{path}': it is the file of the {replaced}"
        )


def read_schedule(path: str, context: Context) -> ScheduleOp:
    """The only schedule of a file. Raises PassFailedException where there is none."""
    return schedule_of_text(_text(path, "schedule"), path, context)


def schedule_of_text(text: str, name: str, context: Context) -> ScheduleOp:
    """The only schedule of the file `name`. Raises PassFailedException where there is none."""
    try:
        module = read_module(text, context, name)
    except ReadError as error:
        raise PassFailedException(f"malformed schedule '{name}': {error}") from error
    found = [op for op in module.ops if isinstance(op, ScheduleOp)]
    if len(found) != 1:
        raise PassFailedException(
            f"expected one 'vyre.schedule' in the schedule '{name}', got {len(found)}"
        )
    found[0].detach()
    return found[0]


def _text(path: str, kind: str) -> str:
    try:
        return read_text(Path(path))
    except UnreadableError as error:
        raise PassFailedException(f"cannot read the {kind} '{path}': {error}") from error


def _refuse(constant: str) -> NoReturn:
    """JSON has no infinities and no NaN; Python reads them."""
    raise ValueError(f"expected numbers, got {constant}")


def _finite(text: str) -> float:
    if not isfinite(number := float(text)):
        raise ValueError(f"expected numbers of at most 1.8e308, got {text[:40]}")
    return number
