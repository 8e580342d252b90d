"""A column as it lies, in memory or in a file, whatever its encoding."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import pyarrow
    from numpy.typing import NDArray
    from xdsl.ir import Attribute

    from vyre_dialect.builder import Buffer, Program


class Column(Protocol):
    """
    Values that a program decodes: what it needs for that, and how it is told to.

    Decoders may leave a few elements behind the last row, so that a query says `rows`.
    """

    @property
    def name(self) -> str:
        """What the table calls it; the names of its buffers begin with an identifier made of it."""
        ...

    @property
    def rows(self) -> int:
        """How many values there are, nulls among them."""
        ...

    @property
    def element_type(self) -> Attribute:
        """
        What a decoded buffer holds: i8, i16, i32, i64, f32 or f64. Booleans are i8 of 0 and 1,
        dates days in i32, decimals unscaled in i32 or i64, strings i32, places in `dictionary`.
        """
        ...

    @property
    def logical_type(self) -> pyarrow.DataType:
        """What a value stands for."""
        ...

    @property
    def dictionary(self) -> Sequence[Any] | None:
        """The values that codes stand for, of strings; None where elements are values."""
        ...

    @property
    def validity(self) -> Column | None:
        """A column of i8, 1 where there is a value and 0 where there is none; None if all are."""
        ...

    @property
    def inputs(self) -> Mapping[str, NDArray[np.generic]]:
        """What to bind when a program runs that declares the column, by the names of buffers."""
        ...

    @property
    def minimum(self) -> Any | None:
        """No element is below it (no string, of strings), or None where that is not known."""
        ...

    @property
    def maximum(self) -> Any | None:
        """No element is above it (no string, of strings), or None where that is not known."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it was decoded on the host rather than read as it lies, in one line, or None."""
        ...

    @property
    def form(self) -> Hashable | None:
        """
        What a program that declares the column depends on: columns of one form differ in `rows` and
        in what `inputs` binds alone. None where a program is made for this column.
        """
        ...

    def declare(self, program: Program) -> Buffer:
        """
        The decoded buffer, of `rows` elements or some more: declares what it needs and builds its
        decoders at the current place of `program`. Elements without a value are unspecified.
        Not those of `validity`, which is a column of its own.
        """
        ...
