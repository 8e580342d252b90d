"""Which elements invocations touch, as plain data: formulas for Python's numbers and for values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from xdsl.dialects.arith import IndexCastOp
from xdsl.dialects.builtin import IntegerType, i1, i32, i64

from vyre_dialect.builder import Program, Value, index
from vyre_dialect.ir.types import Access

Number = TypeVar("Number", int, Value)
"""A formula is written once, for the numbers of Python and for the values of a program."""
HOST_VALUE = "parameter"
"""The name of the value that the host loads."""
CONVERTED = "converted"
"""The name of that value as an index."""


class Twist(Enum):
    """How invocations are permuted, or gathered, inside blocks; on average one step each."""

    NONE = auto()
    REVERSE = auto()
    ROTATE = auto()
    STRIDE = auto()
    GATHER = auto()
    MASK = auto()


@dataclass(frozen=True)
class Index:
    """The element that invocation `i` touches first, in a buffer of `length` elements."""

    step: int = 1
    offset: int = 0
    divide: int = 1
    """Invocations that share a step."""
    twist: Twist = Twist.NONE
    block: int = 4
    from_end: bool = False
    """Counted from the last element backwards."""
    hosts: int = 0
    """So many times the host's value further on; for programs only."""
    clamped: bool = False
    """At most the first element past the end; for programs only."""
    to_edges: bool = False
    """At least the first element and at most the last; for programs only."""
    bits: int = 0
    """Computed in so many bits, in which it wraps around, if any; for programs only."""

    @property
    def slope(self) -> Fraction:
        """The average step from an invocation to the next."""
        return Fraction(-self.step if self.from_end else self.step, self.divide)

    def of(self, i: Number, length: Number) -> Number:
        place = self._twisted(i)
        if self.divide > 1:
            place = place // self.divide
        place = place * self.step + self.offset
        return length - place - 1 if self.from_end else place

    def value(self, i: Value, length: Value, host: Value | None = None) -> Value:
        """The element in a program, in which the host has loaded `host`."""
        place = self.of(i, length)
        if self.hosts:
            assert host is not None
            place = place + host * self.hosts
        if self.bits:
            place = place.to(IntegerType(self.bits)).to(index)
        if self.to_edges:
            place = place.maxsi(0).minsi(length - 1)
        return place.min(length) if self.clamped else place

    def _twisted(self, i: Number) -> Number:
        block = self.block
        if self.twist == Twist.NONE:
            return i
        if self.twist == Twist.MASK:
            return (i & -block) + (i & 1)
        base, rest = i // block * block, i % block
        if self.twist == Twist.REVERSE:
            return base + (block - 1) - rest
        if self.twist == Twist.ROTATE:
            return base + (rest + 1) % block
        if self.twist == Twist.STRIDE:
            return base + rest * 3 % block
        return base


class Branches(Enum):
    """Where an access stands that a branch on data decides about."""

    NONE = auto()
    BOTH = auto()
    """In both branches, with another value in each if it stores."""
    ONE = auto()
    """In one of them only."""


@dataclass(frozen=True)
class Touch:
    """An access of each invocation: `width` elements from an index on, `count` times."""

    index: Index
    width: int = 1
    """Elements of one access: 1, 2 or 4."""
    count: int = 1
    """Accesses in a loop, `width` elements apart."""
    modulus: int = 1
    """Only invocations that are `remainder` modulo this."""
    remainder: int = 0
    limit: int | None = None
    """Only invocations below this."""
    unless_outside: bool = False
    """Only where the first element lies in the buffer."""
    otherwise: bool = False
    """Only where the conditions above do not hold: in the else branch of them."""
    below: int | None = None
    """Only invocations below so many times the host's value; for programs only."""
    marked: bool = False
    """What is stored depends on the invocation, too."""
    branches: Branches = Branches.NONE
    """Which branches of a condition on data it stands in; for programs only."""

    def holds(self, i: int, length: int) -> bool:
        """Whether invocation `i` does it."""
        return self._conditions_hold(i, length) != self.otherwise

    def _conditions_hold(self, i: int, length: int) -> bool:
        if self.modulus > 1 and i % self.modulus != self.remainder:
            return False
        if self.limit is not None and i >= self.limit:
            return False
        return not self.unless_outside or 0 <= self.index.of(i, length) < length

    def elements(self, i: int, length: int) -> list[int]:
        """The elements that invocation `i` touches, also outside the buffer."""
        if not self.holds(i, length):
            return []
        first = self.index.of(i, length)
        return list(range(first, first + self.width * self.count))

    def condition(self, i: Value, length: Value, host: Value | None = None) -> Value | None:
        """The i1 that says whether the conditions hold, or None when there are none."""
        parts = list[Value]()
        if self.modulus > 1:
            parts.append((i % self.modulus).eq(self.remainder))
        if self.limit is not None:
            parts.append(i < self.limit)
        if self.below is not None:
            assert host is not None
            parts.append(i < host * self.below)
        if self.unless_outside:
            first = self.index.value(i, length, host)
            parts.append((first >= 0) & (first < length))
        if not parts:
            return None
        total = parts[0]
        for part in parts[1:]:
            total = total & part
        return total


@dataclass(frozen=True)
class HostValue:
    """A number that the host loads from a buffer, for the arms to compute with."""

    number: int
    bits: int = 64
    signed: bool = False
    """Cast to an index at once, which extends the sign; otherwise zeros are put in front."""
    scale: int = 1
    """What the host multiplies it with."""

    @property
    def type(self) -> IntegerType:
        """The element type of its buffer."""
        return {1: i1, 32: i32, 64: i64}[self.bits]

    def contents(self) -> npt.NDArray[np.generic]:
        """Its buffer."""
        dtype = {1: np.uint8, 32: np.uint32, 64: np.uint64}[self.bits]
        return np.array([self.number % (1 << self.bits)], dtype)

    def declare(self, p: Program) -> Value:
        """Load it, on the host of a program."""
        loaded = p.buffer("parameters", self.type, 1, access=Access.READ_ONLY)[0]
        loaded = loaded.named(HOST_VALUE)
        cast = Value(IndexCastOp(loaded.ssa, index).result) if self.signed else loaded.to(index)
        return cast.named(CONVERTED) * self.scale


@dataclass(frozen=True)
class Size:
    """`(n * scale + offset) // divide`, rounded up, of the number of inputs; at least `least`."""

    scale: int = 1
    offset: int = 0
    divide: int = 1
    least: int = 0
    whole: int = 1
    """Rounded up to a multiple of this."""

    def of(self, n: int) -> int:
        count = max(-(-(n * self.scale + self.offset) // self.divide), self.least)
        return -(-count // self.whole) * self.whole

    def value(self, n: Value) -> Value:
        """The same on the host of a program."""
        count = (n * self.scale + self.offset).ceildiv(self.divide).max(self.least)
        return count if self.whole == 1 else count.ceildiv(self.whole) * self.whole
