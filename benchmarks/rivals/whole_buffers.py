"""NumPy: whole buffers, one operation after another, each into memory that was there before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.rivals import Answers, Rival
from benchmarks.rivals.alphabets import BASE64, HEX, pair_values
from benchmarks.workloads import DELTA_BLOCK, Workload, patterns, xor_key
from examples.encodings import Array, as_bytes

WHY_NOT = "no form of it"
WORD = 4
"""Bytes of a literal that are compared at once."""
ROW = 1 << 12
"""Bytes of repeated key."""
BLOCK = 1 << 16
"""What is looked up or counted at once: NumPy makes numbers of 64 bits of it first."""


def _look_up(values: Array, keys: Array, found: Array) -> None:
    """The value of each key."""
    for begin in range(0, len(keys), BLOCK):
        block = slice(begin, begin + BLOCK)
        np.take(values, keys[block], out=found[block], mode="clip")


class Finder:
    """Counts literals in a buffer that stays: first their first bytes, at the four alignments."""

    def __init__(self, text: Array, literals: Sequence[bytes]):
        self._text, self._literals = text, literals
        starts = (len(text) - offset for offset in range(WORD))
        self._words = [
            text[offset : offset + size // WORD * WORD].view(np.uint32)
            for offset, size in enumerate(starts)
        ]
        self._found = np.zeros(len(text) // WORD + 1, np.bool_)

    def counts(self) -> Array:
        """How often each literal occurs."""
        return np.array([self._count(literal) for literal in self._literals], np.int32)

    def _count(self, literal: bytes) -> int:
        (head,) = np.frombuffer(literal[:WORD], np.uint32)
        total = 0
        for offset, words in enumerate(self._words):
            found = np.equal(words, head, out=self._found[: len(words)])
            if len(literal) == WORD:
                total += int(np.count_nonzero(found))
            else:
                total += self._whole(np.flatnonzero(found) * WORD + offset, literal)
        return total

    def _whole(self, places: Array, literal: bytes) -> int:
        """At how many of the places the bytes after the first ones are right, too."""
        places = places[places <= len(self._text) - len(literal)]
        for offset in range(WORD, len(literal)):
            places = places[self._text[places + offset] == literal[offset]]
        return len(places)


class Base64:
    """Decodes into a buffer that stays, two characters at a time."""

    def __init__(self, encoded: Array):
        self._pairs = encoded.view(np.uint16)
        self._values = pair_values(BASE64, 6).astype(np.uint32)
        self._halves = np.zeros(len(self._pairs), np.uint32)
        self._groups = np.zeros(len(self._pairs) // 2, np.uint32)
        self.decoded = np.zeros(len(encoded) // 4 * 3, np.uint8)

    def run(self) -> None:
        """Decode all groups of four characters."""
        _look_up(self._values, self._pairs, self._halves)
        np.left_shift(self._halves[0::2], 12, out=self._groups)
        np.bitwise_or(self._groups, self._halves[1::2], out=self._groups)
        data = self._groups.view(np.uint8)
        for number in range(3):
            self.decoded[number::3] = data[2 - number :: 4]


def _make_base64_literal(workload: Workload) -> Rival:
    decoder = Base64(workload.encoded)
    finder = Finder(decoder.decoded, [workload.literal])

    def run() -> Answers:
        decoder.run()
        return {"count": finder.counts()}

    return run


def _make_base64_patterns(workload: Workload) -> Rival:
    decoder = Base64(workload.encoded)
    finder = Finder(decoder.decoded, patterns())

    def run() -> Answers:
        decoder.run()
        return {"matches": finder.counts()}

    return run


def _make_xor_literal(workload: Workload) -> Rival:
    encoded, key = workload.encoded, np.resize(as_bytes(xor_key()), ROW)
    assert ROW % len(xor_key()) == 0, "each row begins with the key"
    decoded, whole = np.zeros_like(encoded), len(encoded) // ROW * ROW
    rows = encoded[:whole].reshape(-1, ROW), decoded[:whole].reshape(-1, ROW)
    rest, finder = encoded[whole:], Finder(decoded, [workload.literal])

    def run() -> Answers:
        np.bitwise_xor(rows[0], key, out=rows[1])
        np.bitwise_xor(rest, key[: len(rest)], out=decoded[whole:])
        return {"count": finder.counts()}

    return run


def _make_hex_histogram(workload: Workload) -> Rival:
    pairs, values = workload.encoded.view(np.uint16), pair_values(HEX, 4).astype(np.uint8)
    decoded = np.zeros(len(pairs), np.uint8)

    def run() -> Answers:
        _look_up(values, pairs, decoded)
        bins = np.zeros(256, np.int64)
        for begin in range(0, len(decoded), BLOCK):
            bins += np.bincount(decoded[begin : begin + BLOCK], minlength=256)
        return {"bins": bins.astype(np.int32)}

    return run


def _make_delta_filter(workload: Workload) -> Rival:
    words = workload.encoded.view(np.uint32)
    whole = len(words) // DELTA_BLOCK * DELTA_BLOCK
    steps, decoded = np.zeros_like(words), np.zeros(len(words), np.int32)
    signs, inside = np.zeros_like(words), np.zeros(len(words), np.bool_)
    parts = [
        (steps.view(np.int32)[:whole].reshape(-1, DELTA_BLOCK), decoded[:whole]),
        (steps.view(np.int32)[whole:].reshape(1, -1), decoded[whole:]),
    ]

    def run() -> Answers:
        np.negative(np.bitwise_and(words, 1, out=signs), out=signs)
        np.bitwise_xor(np.right_shift(words, 1, out=steps), signs, out=steps)
        steps[::DELTA_BLOCK] = words[::DELTA_BLOCK]
        for blocks, values in parts:
            np.cumsum(blocks, axis=1, dtype=np.int32, out=values.reshape(blocks.shape))
        # One comparison of unsigned numbers in place of two.
        np.add(decoded.view(np.uint32), 1000, out=steps)
        np.less(steps, 2000, out=inside)
        np.multiply(decoded, inside, out=decoded)
        return {
            "count": np.array([np.count_nonzero(inside)], np.int32),
            "sum": decoded.sum(dtype=np.int64, keepdims=True),
        }

    return run


FORMS = {
    "base64_literal": _make_base64_literal,
    "base64_patterns": _make_base64_patterns,
    "hex_histogram": _make_hex_histogram,
    "xor_literal": _make_xor_literal,
    "delta_filter": _make_delta_filter,
}
