"""What a row is to a query, and what is asked of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

from vyre_dialect.builder import Value
from vyre_dialect.columns.query.flags import Flag


class Row(Protocol):
    """What the body of a query knows of a row."""

    def element(self, column: str) -> Value:
        """The element of a column."""
        ...

    def is_valid(self, column: str) -> Flag:
        """Whether a column has a value."""
        ...

    def look_up(self, column: str, marks: tuple[bool, ...]) -> Value:
        """The mark of a column's code."""
        ...


class Outcome(NamedTuple):
    """What a test says of a row: neither, where there is no answer."""

    is_true: Flag
    is_false: Flag


class Predicate(ABC):
    """A test of a row."""

    @abstractmethod
    def outcome(self, row: Row) -> Outcome:
        """Compute what it says."""

    @property
    @abstractmethod
    def can_be_true(self) -> bool:
        """Whether a row within the bounds of the columns may pass."""

    @property
    @abstractmethod
    def can_be_false(self) -> bool:
        """Whether a row within the bounds of the columns may fail."""
