"""What commands say of an output: its elements, or its shape and a digest where it is large."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from vyre_dialect.runtime.interpreter.arrays import Array

MOST_VALUES = 64
"""Outputs of up to this many elements are shown by value."""

Description: TypeAlias = "list[object] | dict[str, object]"


def described(parts: Iterable[Array]) -> Description:
    """The elements of a small array in parts; shape, type and digest of a large one."""
    description = Summary()
    for part in parts:
        description.add(part)
    return description.result()


class Summary:
    """Describes an array whose parts are added one after the other, and keeps none of them."""

    def __init__(self) -> None:
        from blake3 import blake3

        self._digest = blake3()
        self._values: list[object] = []
        self._elements = self._size = 0
        self._shape: tuple[int, ...] = ()
        self._dtype = ""

    def add(self, part: Array) -> None:
        """Some more elements."""
        self._digest.update(part.tobytes())
        if self._size + part.size <= MOST_VALUES:
            self._values += _values(part)
        self._size += part.size
        self._elements += len(part)
        self._shape, self._dtype = part.shape[1:], part.dtype.name

    def result(self) -> Description:
        """What is said of all of them."""
        if self._size <= MOST_VALUES:
            return self._values
        return {
            "shape": [self._elements, *self._shape],
            "dtype": self._dtype,
            "blake3": self._digest.hexdigest(),
        }


def _values(array: Array) -> list[object]:
    """The elements; what JSON has no number for, infinities and NaN, by name."""
    if array.dtype.kind != "f":
        return array.tolist()
    return [
        _values(value) if value.ndim else (float(value) if isfinite(value) else str(value))
        for value in array
    ]
