"""
Text as it is decoded: without whitespace and padding, and where each digit stood before.

Lines of one length, as `base64` and `xxd -p` print them, are moved together a column at a time;
other whitespace is looked for byte by byte.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.runtime.scanning.arrays import Bytes, Places
from vyre_dialect.runtime.scanning.chain import Stage, TextEncoding
from vyre_dialect.runtime.scanning.errors import FileError

WHITESPACE = b"\t\n\v\f\r "
_PADDING = ord("=")
_MOST_PADDING = 2
_HEAD = 1 << 16
"""Bytes in which the first line is to end."""


@dataclass(frozen=True)
class Digits:
    """What a stage decodes of a file."""

    digits: Bytes
    places: Places


def digits_of(data: Bytes, stage: Stage, *, thorough: bool = False) -> Digits:
    """
    What `stage` decodes of `data`. There may be whitespace left that is not looked for, unless it
    is done so `thorough`, and wrong digits, which `verify_digits` finds.

    Raises a FileError with the offset in `data` for a length that is none of the encoding's.
    """
    if stage.encoding is None:
        return Digits(data, lambda numbers: numbers)
    kept = None if thorough else _from_even_lines(data)
    if kept is not None:
        with suppress(FileError):
            return _without_padding(kept, stage.encoding, data.size)
    return _without_padding(_without_whitespace(data), stage.encoding, data.size)


def verify_digits(kept: Digits, encoding: TextEncoding) -> None:
    """Raise a FileError with its place for the first byte that is no digit."""
    wrong = np.flatnonzero(~_members(encoding.digits)[kept.digits])[:1]
    if wrong.size:
        byte, place = int(kept.digits[wrong[0]]), int(kept.places(wrong)[0])
        raise FileError(f"invalid {encoding.name}: byte 0x{byte:02x}", place)


@lru_cache
def _members(characters: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[list(characters)] = True
    return table


def _from_even_lines(data: Bytes) -> Digits | None:
    """The digits of lines of one length; None where there is other whitespace in between."""
    head = data[:_HEAD].tobytes()
    end = head.find(b"\n")
    if end < 0:
        return Digits(_stripped(data), lambda numbers: numbers) if data.size <= _HEAD else None
    width = end - head[:end].endswith(b"\r")
    if not width:
        return None
    period = end + 1
    rows = data.size // period
    lines = data[: rows * period].reshape(rows, period)
    if not (lines[:, width:] == lines[0, width:]).all():
        return None
    last = _stripped(data[rows * period :])
    digits = np.empty(rows * width + last.size, np.uint8)
    digits[: rows * width].reshape(rows, width)[:] = lines[:, :width]
    digits[rows * width :] = last
    return Digits(digits, lambda numbers: numbers + numbers // width * (period - width))


def _stripped(data: Bytes) -> Bytes:
    return data[: len(data.tobytes().rstrip(WHITESPACE))]


def _without_whitespace(data: Bytes) -> Digits:
    kept = np.flatnonzero(~_members(WHITESPACE)[data])
    return Digits(data[kept], lambda numbers: np.append(kept, data.size)[numbers])


def _without_padding(kept: Digits, encoding: TextEncoding, size: int) -> Digits:
    digits = kept.digits
    padding = _padding(digits) if encoding.is_padded else 0
    is_whole = digits.size % encoding.group == 0
    is_left_open = encoding.is_open and not padding and digits.size % encoding.group != 1
    whole = Digits(digits[: digits.size - padding], kept.places)
    if not (is_whole or is_left_open):
        verify_digits(whole, encoding)  # which says more
        raise FileError(
            f"invalid {encoding.name}: expected groups of {encoding.group} digits, "
            f"got {digits.size} digits to the end",
            size,
        )
    return whole


def _padding(digits: Bytes) -> int:
    last: Any = digits[-_MOST_PADDING:] == _PADDING
    if not last.size or not last[-1]:
        return 0
    return int(last.sum()) if last.all() else 1
