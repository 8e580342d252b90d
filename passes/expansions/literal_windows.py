"""
Which half-bytes of a text tell whether a literal may end there, and sets of what they may be.

An occurrence that ends in an aligned word of the text fixes bytes of that word and of the one in
front of it, wherever in the word it ends. The literals, once for each such place, are shared out
among as many groups as a word has bits, so that looking up each half-byte, a *window*, in a table
of 16 words, and combining the words by `and`, leaves a bit for each group of which an occurrence
may end here. That is the filter Teddy of G. Langdale, from Hyperscan (X. Wang et al., "Hyperscan:
a fast multi-pattern regex matcher for modern CPUs", NSDI 2019), over words in place of bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

WORD = 4
FRAME = 2 * WORD
"""The bytes that are looked at: those of a word in front, and of that in which literals end."""
VALUES = 16
"""What half a byte may be."""
WINDOWS = 2 * FRAME
GROUPS = 32
ANYTHING = (1 << VALUES) - 1
WEIGHED = 8
"""Windows that groups are chosen by: all of them would tell any two literals apart."""
MOST_COMPARED = 128
"""Groups of which each is compared with each."""
_BIT_COUNTS = np.array([bits.bit_count() for bits in range(1 << VALUES)], np.uint8)

Sets: TypeAlias = tuple[int, ...]
"""For each window, a bit for each of its values that some occurrence of a group has there."""
_Groups: TypeAlias = NDArray[np.uint16]
"""`Sets`, one per row."""


@dataclass(frozen=True)
class Windows:
    """The windows of some literals, the most telling ones first, and what groups have there."""

    order: tuple[int, ...]
    """Windows that tell something: half-byte `n % 2` of byte `n // 2` of two words."""
    groups: tuple[Sets, ...]

    def table(self, window: int) -> tuple[int, ...]:
        """For each value of a window, a bit for each group that has it there."""
        return tuple(
            sum(1 << bit for bit, sets in enumerate(self.groups) if sets[window] >> value & 1)
            for value in range(VALUES)
        )

    def pass_rate(self, count: int) -> float:
        """How many of random words pass the first `count` windows, at the most."""
        return sum(_pass_rate(sets, self.order[:count]) for sets in self.groups)


@lru_cache(maxsize=16)
def choose_windows(literals: tuple[bytes, ...]) -> Windows:
    """
    The windows of one or more literals of at least one byte each. Takes a tenth of a second at the
    most, and time linear in the total length of the literals beyond that.
    """
    occurrences = sorted({_sets(each, end) for each in literals for end in range(WORD, FRAME)})
    order = _order(occurrences)
    return Windows(order, _grouped(occurrences, order[:WEIGHED]))


def _sets(literal: bytes, end: int) -> Sets:
    """What the windows may be where `literal` ends with byte `end` of the frame."""
    frame = dict(zip(range(end, -1, -1), reversed(literal), strict=False))
    return tuple(
        1 << (frame[byte] >> shift & VALUES - 1) if byte in frame else ANYTHING
        for byte in range(FRAME)
        for shift in (0, 4)
    )


def _order(occurrences: Sequence[Sets]) -> tuple[int, ...]:
    """
    The windows in which something is fixed: each time that which lets the fewest random words
    pass. Of equal ones lower halves come first, as the upper halves of letters are much the same.
    """
    passing = [1.0] * len(occurrences)
    left = [*range(0, WINDOWS, 2), *range(1, WINDOWS, 2)]
    order = list[int]()
    while left:
        rates = {each: _weighed(passing, occurrences, each) for each in left}
        best = min(left, key=rates.__getitem__)
        if rates[best] == sum(passing):
            break
        left.remove(best)
        order.append(best)
        passing = [
            rate * _density(sets[best]) for rate, sets in zip(passing, occurrences, strict=True)
        ]
    return tuple(order)


def _weighed(passing: Sequence[float], occurrences: Sequence[Sets], window: int) -> float:
    return sum(
        rate * _density(sets[window]) for rate, sets in zip(passing, occurrences, strict=True)
    )


def _density(values: int) -> float:
    return values.bit_count() / VALUES


def _pass_rate(sets: Sets, windows: Iterable[int]) -> float:
    return prod(_density(sets[each]) for each in windows)


def _grouped(occurrences: Sequence[Sets], windows: Sequence[int]) -> tuple[Sets, ...]:
    """As many groups as there are bits, by joining, each time, the two that it costs least."""
    groups = np.array(_neighbours_joined(occurrences), np.uint16)
    costs = np.full((len(groups), len(groups)), np.inf)
    for other in range(len(groups)):
        costs[other, :other] = _costs(groups[other], groups[:other], windows)
    alive = list(range(len(groups)))
    while len(alive) > GROUPS:
        other, one = divmod(int(costs.argmin()), len(groups))
        groups[one] |= groups[other]
        alive.remove(other)
        costs[other, :] = costs[:, other] = np.inf
        before = [each for each in alive if each < one]
        after = [each for each in alive if each > one]
        costs[one, before] = _costs(groups[one], groups[before], windows)
        costs[after, one] = _costs(groups[one], groups[after], windows)
    return tuple(tuple(map(int, groups[each])) for each in alive)


def _costs(one: _Groups, others: _Groups, windows: Sequence[int]) -> NDArray[np.float64]:
    """How many more words would pass if a group were one with each of some others."""
    apart = _pass_rates(one[None], windows) + _pass_rates(others, windows)
    return _pass_rates(one | others, windows) - apart


def _pass_rates(groups: _Groups, windows: Sequence[int]) -> NDArray[np.float64]:
    """As `_pass_rate`, of each of some groups; exact, as few windows are weighed."""
    return (_BIT_COUNTS[groups[:, windows]] / VALUES).prod(axis=1)


def _neighbours_joined(occurrences: Sequence[Sets]) -> list[Sets]:
    """So few groups that each can be compared with each, of what is next to each other in order."""
    count = min(len(occurrences), MOST_COMPARED)
    ends = [len(occurrences) * number // count for number in range(count + 1)]
    groups = list[Sets]()
    for begin, end in pairwise(ends):
        group = occurrences[begin]
        for each in occurrences[begin + 1 : end]:
            group = _joined(group, each)
        groups.append(group)
    return groups


def _joined(one: Sets, other: Sets) -> Sets:
    return tuple(a | b for a, b in zip(one, other, strict=True))
