"""Programs over texts: bytes that are decoded one by one, and what is counted in them."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    counts,
    one,
    random_bytes,
    shifted,
)
from benchmarks.workloads import standard_library
from examples.encodings import Array, as_bytes, base64_encoded, hex_encoded, xor_encoded

NEWLINE, RETURN = 10, 13


def text(size: int) -> Array:
    """`size` bytes of text."""
    return as_bytes(standard_library(size))


def _xored(random: Random, size: int) -> Inputs:
    return {"encoded": xor_encoded(text(size), b"\x0bz")}


def xor_newlines(encoded: Array) -> Answers:
    """The lines of a text under a key."""
    return {"lines": one(np.count_nonzero(xor_encoded(encoded, b"\x0bz") == NEWLINE))}


def _dumped(random: Random, size: int) -> Inputs:
    return {"dump": hex_encoded(random_bytes(random, size // 2))}


def hex_large_words(dump: Array) -> Answers:
    """The words of a hex dump with all of the highest four bits."""
    data = np.frombuffer(bytes.fromhex(dump.tobytes().decode()), np.uint8)
    words = data[: len(data) // 4 * 4].view(np.uint32)
    return {"large": one(np.count_nonzero(words >= 0xF0000000))}


def _in_base64(random: Random, size: int) -> Inputs:
    return {"encoded": base64_encoded(text(size // 4 * 3))}


def base64_capitals(encoded: Array) -> Answers:
    """The capitals of a text in base64."""
    import base64

    plain = as_bytes(base64.b64decode(encoded.tobytes()))
    return {"capitals": one(np.count_nonzero((plain >= ord("A")) & (plain <= ord("Z"))))}


def _plain(random: Random, size: int) -> Inputs:
    return {"text": text(size)}


def rot13_words(text: Array) -> Answers:
    """The letters of a text behind none; ROT13 turns letters into letters."""
    lower = text | 32
    is_letter = (lower >= ord("a")) & (lower <= ord("z"))
    return {"words": one(np.count_nonzero(is_letter & ~shifted(is_letter, -1)))}


def _substituted(random: Random, size: int) -> Inputs:
    lines = np.frombuffer(standard_library(size).replace(b"\n", b"\r\n")[:size], np.uint8)
    table = random.permutation(256).astype(np.uint8)
    return {"encoded": np.argsort(table).astype(np.uint8)[lines], "table": table}


def substitution_breaks(encoded: Array, table: Array) -> Answers:
    """The ends of lines of two bytes, in a text under a substitution."""
    plain = table[encoded]
    breaks = (plain == RETURN) & (shifted(plain, 1) == NEWLINE)
    return {"breaks": one(np.count_nonzero(breaks))}


def _packed(random: Random, size: int) -> Inputs:
    return {"packed": random_bytes(random, size)}


def nibble_histogram(packed: Array) -> Answers:
    """How often each half of a byte occurs."""
    return {"bins": counts(packed >> 4, 16) + counts(packed & 15, 16)}


PROGRAMS = (
    GateProgram(xor_newlines, _xored),
    GateProgram(hex_large_words, _dumped),
    GateProgram(base64_capitals, _in_base64),
    GateProgram(rot13_words, _plain),
    GateProgram(substitution_breaks, _substituted),
    GateProgram(nibble_histogram, _packed),
)
