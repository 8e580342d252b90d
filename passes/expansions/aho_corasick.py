"""
The automaton that finds all occurrences of many byte strings in one pass over the text.

A. V. Aho and M. J. Corasick, "Efficient string matching: an aid to bibliographic search",
Communications of the ACM 18(6), 1975: algorithms 2 (goto and output), 3 (failure) and 4
(the deterministic automaton). Bytes that no pattern tells apart are merged into classes, and
output sets are linked lists that share their tails, which keeps everything linear.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

ROOT = 0
BYTE_VALUES = 256
NO_OUTPUT = -1


@dataclass(frozen=True)
class Automaton:
    """
    A deterministic automaton over byte classes, started in state 0.

    The states that accept have the highest numbers, so that one comparison tells them. The
    patterns that end where the automaton enters accepting state `first_accepting + a` are the
    first `output_counts[a]` of the list that starts at pattern `first_outputs[a]` and goes on
    from pattern `p` to pattern `next_outputs[p]`.
    """

    classes: tuple[int, ...]
    """The class of each of the 256 byte values; bytes that occur in no pattern share one."""
    class_count: int
    transitions: tuple[int, ...]
    """The next state of state `s` on class `c` is element `s * class_count + c`."""
    first_accepting: int
    first_outputs: tuple[int, ...]
    output_counts: tuple[int, ...]
    next_outputs: tuple[int, ...]
    """NO_OUTPUT at the end of a list."""

    @property
    def state_count(self) -> int:
        """How many states the automaton has."""
        return len(self.transitions) // self.class_count

    def outputs(self, state: int) -> Iterator[int]:
        """The patterns that end where the automaton enters `state`."""
        if state < self.first_accepting:
            return
        pattern = self.first_outputs[state - self.first_accepting]
        for _ in range(self.output_counts[state - self.first_accepting]):
            yield pattern
            pattern = self.next_outputs[pattern]

    def matches(self, text: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The offset of the last byte, and the number of the pattern, of each occurrence."""
        state = ROOT
        for offset, byte in enumerate(text):
            state = self.transitions[state * self.class_count + self.classes[byte]]
            for pattern in self.outputs(state):
                yield offset, pattern


def build_automaton(patterns: Sequence[bytes]) -> Automaton:
    """
    The automaton for one or more patterns of at least one byte each; equal ones stay apart.

    Takes time and space linear in the total length of the patterns, times the number of
    classes. Raises ValueError for an empty pattern or none at all.
    """
    if not patterns or not all(patterns):
        raise ValueError("expected one or more patterns of at least one byte each")
    classes, class_count = _byte_classes(patterns)
    trie = _Trie(len(patterns))
    for number, pattern in enumerate(patterns):
        trie.add(number, [classes[byte] for byte in pattern])
    rows = _complete(trie, class_count)
    return _numbered(trie, rows, classes, class_count)


def _byte_classes(patterns: Sequence[bytes]) -> tuple[tuple[int, ...], int]:
    used = sorted(set[int]().union(*patterns))
    # Class 0 is for the bytes in no pattern, if there are any.
    first = 1 if len(used) < BYTE_VALUES else 0
    number = {byte: position for position, byte in enumerate(used, first)}
    return tuple(number.get(byte, 0) for byte in range(BYTE_VALUES)), first + len(used)


class _Trie:
    """The trie of the patterns: the children and the list of outputs of each state."""

    def __init__(self, patterns: int):
        self.goto: list[dict[int, int]] = [{}]
        self.first_output = [NO_OUTPUT]
        self.output_count = [0]
        self.next_output = [NO_OUTPUT] * patterns
        self.last_output = [NO_OUTPUT]
        """The last of a state's own outputs, before those that it shares."""

    def add(self, pattern: int, symbols: Sequence[int]) -> None:
        state = ROOT
        for symbol in symbols:
            state = self._child(state, symbol)
        if self.first_output[state] == NO_OUTPUT:
            self.last_output[state] = pattern
        self.next_output[pattern] = self.first_output[state]
        self.first_output[state] = pattern
        self.output_count[state] += 1

    def _child(self, state: int, symbol: int) -> int:
        if symbol not in self.goto[state]:
            self.goto[state][symbol] = len(self.goto)
            self.goto.append({})
            self.first_output.append(NO_OUTPUT)
            self.last_output.append(NO_OUTPUT)
            self.output_count.append(0)
        return self.goto[state][symbol]

    def share_outputs(self, state: int, suffix: int) -> None:
        """Let the list of `state` go on with that of `suffix`, which is complete."""
        if self.first_output[state] == NO_OUTPUT:
            self.first_output[state] = self.first_output[suffix]
        else:
            self.next_output[self.last_output[state]] = self.first_output[suffix]
        self.output_count[state] += self.output_count[suffix]


def _complete(trie: _Trie, class_count: int) -> list[list[int]]:
    """The rows of the transition table of every state; completes the lists of outputs."""
    rows = [[ROOT] * class_count for _ in trie.goto]
    failure = [ROOT] * len(trie.goto)
    pending = deque([ROOT])
    while pending:
        state = pending.popleft()
        # The failure state lies nearer to the root, so its row and its outputs are complete.
        fallback = rows[failure[state]]
        rows[state] = list(fallback)
        if state != ROOT:
            trie.share_outputs(state, failure[state])
        for symbol, child in trie.goto[state].items():
            failure[child] = ROOT if state == ROOT else fallback[symbol]
            rows[state][symbol] = child
            pending.append(child)
    return rows


def _numbered(
    trie: _Trie, rows: Sequence[Sequence[int]], classes: tuple[int, ...], class_count: int
) -> Automaton:
    """Renumber the states so that those that accept come last; the root stays the first."""
    order = sorted(range(len(rows)), key=lambda state: trie.output_count[state] > 0)
    number = {state: position for position, state in enumerate(order)}
    accepting = [state for state in order if trie.output_count[state]]
    return Automaton(
        classes,
        class_count,
        transitions=tuple(number[target] for state in order for target in rows[state]),
        first_accepting=len(order) - len(accepting),
        first_outputs=tuple(trie.first_output[state] for state in accepting),
        output_counts=tuple(trie.output_count[state] for state in accepting),
        next_outputs=tuple(trie.next_output),
    )
