"""What a row is to a query, and what is asked of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Value
from vyre_dialect.columns.query.flags import Flag, both, negation

T = TypeVar("T")


class Row(ABC):
    """What the body of a query knows of a row."""

    def __init__(self) -> None:
        self._known = dict[Hashable, Any]()

    @abstractmethod
    def element(self, column: str) -> Value:
        """The element of a column."""

    @abstractmethod
    def is_valid(self, column: str) -> Flag:
        """Whether a column has a value."""

    @abstractmethod
    def look_up(self, table: Table) -> Value:
        """What a table has for the row."""

    def once(self, asked: Hashable, compute: Callable[[], T]) -> T:
        """What is computed of the row, the first time that it is asked for."""
        if asked not in self._known:
            self._known[asked] = compute()
        return self._known[asked]


class Table(ABC):
    """A table of a query, and what is looked up in it for a row."""

    @property
    @abstractmethod
    def contents(self) -> Sequence[int]:
        """Its elements."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """Of these."""

    @abstractmethod
    def sought(self, row: Row) -> Value:
        """What to look up."""

    @abstractmethod
    def found(self, table: Buffer, sought: Value) -> Value:
        """What there is in a buffer that has the elements, an i8."""


class Outcome(NamedTuple):
    """What a test says of a row: neither, where there is no answer."""

    is_true: Flag
    is_false: Flag

    @staticmethod
    def of(valid: Flag, holds: Flag) -> Outcome:
        """That of a test which `holds` or not, where what it asks of is valid."""
        return Outcome(both(valid, holds), both(valid, negation(holds)))


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
