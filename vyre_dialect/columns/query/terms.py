"""
Values that are computed for a row: exact ones, whose bounds are known, and floats.

Exact values are integers that count units of 10^-scale. They are computed in 32 bits where the
bounds of the operands and of the result allow, else in 64, and never wrap around.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects.builtin import f64, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Value, constant
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.flags import Flag, as_value, both, either, negation
from vyre_dialect.columns.query.rows import Predicate, Row


class Kind(Enum):
    """What integers stand for."""

    NUMBER = "number"
    DATE = "date"
    TIMESTAMP = "timestamp"
    """Seconds since 1970 began; a scale of 3 counts thousandths."""
    BOOLEAN = "boolean"


@dataclass(frozen=True)
class Exact:
    """What is known of an exact value, nulls apart."""

    low: int
    high: int
    scale: int = 0
    kind: Kind = Kind.NUMBER

    @property
    def type(self) -> Attribute | None:
        """The type of an integer that holds all of them; None where there is none."""
        for type, bits in ((i32, 31), (i64, 63)):
            if -(1 << bits) <= self.low and self.high < 1 << bits:
                return type
        return None


class Term(ABC):
    """A value of a row."""

    exact: Exact | None
    """What is known of an exact one; None for a float, of 64 bits."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The narrowest type that it is computed in: i32, i64 or f64."""

    @abstractmethod
    def value(self, row: Row) -> Value:
        """Compute it, in its type; unspecified where there is none."""

    @abstractmethod
    def is_valid(self, row: Row) -> Flag:
        """Whether there is a value."""

    @property
    @abstractmethod
    def is_nullable(self) -> bool:
        """Whether there may be none."""

    @property
    def magnitude(self) -> float | None:
        """What no finite value of a float exceeds, either way; None where that is not known."""
        return None

    def value_as(self, row: Row, type: Attribute) -> Value:
        """Compute it in a type that is no narrower."""
        return self.value(row).to(type, signed=True)


@dataclass(frozen=True)
class ColumnTerm(Term):
    """An element of a column."""

    name: str
    exact: Exact | None
    may_be_null: bool
    element_type: Attribute
    largest: float | None = None
    """Of floats."""

    @property
    def is_nullable(self) -> bool:
        """Whether the column has a validity."""
        return self.may_be_null

    @property
    def magnitude(self) -> float | None:
        """What the bounds of the column say."""
        return self.largest

    @property
    def type(self) -> Attribute:
        """That of the elements, 32 bits at least."""
        if self.exact is None:
            return f64
        return i64 if self.element_type == i64 else i32

    def value(self, row: Row) -> Value:
        """The element."""
        return row.element(self.name).to(self.type, signed=True)

    def is_valid(self, row: Row) -> Flag:
        """What the column's validity says."""
        return row.is_valid(self.name) if self.is_nullable else True


@dataclass(frozen=True)
class Literal(Term):
    """An exact number, or a float."""

    number: int | float
    exact: Exact | None

    @classmethod
    def of(cls, number: int, scale: int = 0, kind: Kind = Kind.NUMBER) -> Literal:
        """So many units of 10^-scale."""
        return cls(number, Exact(number, number, scale, kind))

    @property
    def type(self) -> Attribute:
        """The narrowest that holds it. Raises a QueryError for a number that none holds."""
        if self.exact is None:
            return f64
        if self.exact.type is None:
            raise QueryError(f"{self.number} needs more than 64 bits: cast it to double")
        return self.exact.type

    @property
    def is_nullable(self) -> bool:
        """Never."""
        return False

    @property
    def magnitude(self) -> float | None:
        """Its own."""
        return abs(float(self.number))

    def value(self, row: Row) -> Value:
        """A constant."""
        return constant(self.number, self.type)

    def value_as(self, row: Row, type: Attribute) -> Value:
        """A constant of a type that is as wide as its own at the least."""
        assert self.type is not None
        return constant(self.number, type)

    def is_valid(self, row: Row) -> Flag:
        """Always."""
        return True


@dataclass(frozen=True)
class ToFloat(Term):
    """An exact value as the nearest float."""

    term: Term
    exact = None

    @property
    def type(self) -> Attribute:
        """That of floats."""
        return f64

    @property
    def is_nullable(self) -> bool:
        """As the exact one."""
        return self.term.is_nullable

    @property
    def magnitude(self) -> float | None:
        """By the bounds of the exact one."""
        exact = self.term.exact
        assert exact is not None
        largest = float(max(abs(exact.low), abs(exact.high)))
        return largest / 10.0**exact.scale

    def value(self, row: Row) -> Value:
        """The integer as a float, over the units of one."""
        assert self.term.exact is not None
        value = self.term.value(row).to(f64, signed=True)
        scale = self.term.exact.scale
        if scale < 0:
            return value * float(10**-scale)
        return value / float(10**scale) if scale else value

    def is_valid(self, row: Row) -> Flag:
        """As the exact one."""
        return self.term.is_valid(row)


@dataclass(frozen=True)
class Arithmetic(Term):
    """`+`, `-` or `*` of two exact values with known bounds, or, with `/`, of two floats."""

    operator: str
    left: Term
    right: Term
    exact: Exact | None

    @property
    def type(self) -> Attribute:
        """The widest of those of the operands and of what holds the result."""
        if self.exact is None:
            return f64
        return i64 if i64 in (self.left.type, self.right.type, self.exact.type) else i32

    @property
    def is_nullable(self) -> bool:
        """Whether one of the operands is."""
        return self.left.is_nullable or self.right.is_nullable

    @property
    def magnitude(self) -> float | None:
        """That of the operands computed alike, as rounding keeps order; none of quotients."""
        left, right = self.left.magnitude, self.right.magnitude
        if left is None or right is None or self.operator == "/":
            return None
        return left * right if self.operator == "*" else left + right

    def value(self, row: Row) -> Value:
        """The result."""
        left, right = self.left.value_as(row, self.type), self.right.value_as(row, self.type)
        if self.operator == "+":
            return left + right
        if self.operator == "-":
            return left - right
        return left * right if self.operator == "*" else left / right

    def is_valid(self, row: Row) -> Flag:
        """Whether both operands have a value."""
        return both(self.left.is_valid(row), self.right.is_valid(row))


@dataclass(frozen=True)
class Case(Term):
    """The value of the first branch whose condition is true, or the default, which may be none."""

    branches: tuple[tuple[Predicate, Term], ...]
    default: Term | None
    exact: Exact | None

    @property
    def type(self) -> Attribute:
        """The widest of those of the branches."""
        if self.exact is None:
            return f64
        return i64 if any(each.type == i64 for each in self._terms) else i32

    @property
    def _terms(self) -> list[Term]:
        default = [] if self.default is None else [self.default]
        return [*(term for _, term in self.branches), *default]

    @property
    def is_nullable(self) -> bool:
        """Whether a branch is, or there is no default."""
        return self.default is None or any(each.is_nullable for each in self._terms)

    @property
    def magnitude(self) -> float | None:
        """The largest of the branches."""
        known = [each.magnitude for each in self._terms]
        if None in known:
            return None
        return max((each for each in known if each is not None), default=0.0)

    def value(self, row: Row) -> Value:
        """That of the branch that is taken; once, as tests ask for it and for whether it is one."""
        return row.once((self, "value"), lambda: self._value(row))

    def is_valid(self, row: Row) -> Flag:
        """Whether the branch that is taken has a value."""
        return row.once((self, "is valid"), lambda: self._is_valid(row))

    def _value(self, row: Row) -> Value:
        zero = constant(0.0 if self.exact is None else 0, self.type)
        value = zero if self.default is None else self.default.value_as(row, self.type)
        for condition, term in reversed(self.branches):
            holds = as_value(condition.outcome(row).is_true)
            value = holds.select(term.value_as(row, self.type), value)
        return value

    def _is_valid(self, row: Row) -> Flag:
        valid: Flag = self.default is not None and self.default.is_valid(row)
        for condition, term in reversed(self.branches):
            holds = condition.outcome(row).is_true
            valid = either(both(holds, term.is_valid(row)), both(negation(holds), valid))
        return valid


@dataclass(frozen=True)
class Half(Term):
    """The upper or the lower 32 bits of an exact value: it is 2^32 times the one plus the other."""

    term: Term
    is_upper: bool
    exact: Exact | None

    @property
    def type(self) -> Attribute:
        """64 bits, as sums have."""
        return i64

    @classmethod
    def of(cls, term: Term, *, is_upper: bool) -> Half:
        """A half of a term."""
        assert term.exact is not None
        low, high = term.exact.low >> 32, term.exact.high >> 32
        return cls(term, is_upper, Exact(low, high) if is_upper else Exact(0, (1 << 32) - 1))

    @property
    def is_nullable(self) -> bool:
        """As the whole."""
        return self.term.is_nullable

    def value(self, row: Row) -> Value:
        """The upper half with its sign, the lower one without any."""
        value = self.term.value_as(row, i64)
        return value.shrsi(32) if self.is_upper else value & ((1 << 32) - 1)

    def is_valid(self, row: Row) -> Flag:
        """As the whole."""
        return self.term.is_valid(row)
