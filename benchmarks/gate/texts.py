"""Programs over texts: bytes that are decoded one by one, and what is counted in them."""

from __future__ import annotations

import base64
from zlib import crc32

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


def _rolled(random: Random, size: int) -> Inputs:
    return {"encoded": text(size) + _rolling_key(size)}


def _rolling_key(size: int) -> Array:
    return (np.arange(size) * 7).astype(np.uint8)


def text_report(encoded: Array) -> Answers:
    """The lines, the bytes and the largest digit of a text under a rolling key."""
    plain = encoded - _rolling_key(len(encoded))
    digits = plain[(plain >= ord("0")) & (plain <= ord("9"))] - ord("0")
    return {
        "lines": one(np.count_nonzero(plain == NEWLINE)),
        "bins": counts(plain, 256),
        "digit": one(digits.max(initial=0)),
    }


def _noise(random: Random, size: int) -> Inputs:
    return {"encoded": random_bytes(random, size)}


def two_keys(encoded: Array) -> Answers:
    """Where turning bits by three places gives what a key gives."""
    turned = encoded << 3 | encoded >> 5
    return {"same": one(np.count_nonzero(turned == xor_encoded(encoded, b"abc")))}


def _keyed(random: Random, size: int) -> Inputs:
    return {"encoded": random_bytes(random, size), "key": random_bytes(random, 37)}


def run_time_key(encoded: Array, key: Array) -> Answers:
    """The sum of the bytes under a key, which may be empty, and how many are zero."""
    plain = xor_encoded(encoded, key.tobytes() or b"\0")
    zeros = np.count_nonzero(plain == 0)
    return {"sum": one(plain.sum(dtype=np.int64), np.int64), "zeros": one(zeros)}


def _digits(random: Random, size: int) -> Inputs:
    letters = np.frombuffer("aßz…€𝄞\n".encode() * (size // 16 + 1), np.uint8)[: size // 2]
    upper = np.frombuffer(hex_encoded(letters).tobytes().upper(), np.uint8)
    return {"digits": np.where(np.arange(len(upper)) % 3 == 0, upper, hex_encoded(letters))}


def utf8_points(digits: Array) -> Answers:
    """The bytes of a hex dump in either case that do not go on with a character."""
    data = np.frombuffer(bytes.fromhex(digits.tobytes().decode()), np.uint8)
    return {"points": one(np.count_nonzero(data & 0xC0 != 0x80))}


def dna_motif(packed: Array) -> Answers:
    """How often GATC occurs in bases of two bits, and how many are G or C."""
    codes = (packed[:, np.newaxis] >> np.arange(0, 8, 2, dtype=np.uint8)) & 3
    bases = np.frombuffer(b"ACGT", np.uint8)[codes.ravel()].tobytes()
    strong = bases.count(b"G") + bases.count(b"C")
    return {"motifs": one(bases.count(b"GATC")), "strong": one(strong)}


def _records(random: Random, size: int) -> Inputs:
    return {"encoded": random_bytes(random, size), "table": crc_table()}


def crc_table() -> Array:
    """What each byte does to a CRC-32."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(0xEDB88320), table >> 1)
    return table.view(np.int32)


def record_checksums(encoded: Array, table: Array) -> Answers:
    """The CRC-32 of each record of 64 bytes."""
    plain = xor_encoded(encoded, b"sum").tobytes()
    starts = range(0, len(plain) - 63, 64)
    return {"checksums": np.array([crc32(plain[at : at + 64]) for at in starts], np.uint32)}


def _numbers(random: Random, size: int) -> Inputs:
    return {"text": random.integers(ord("0"), ord("9") + 1, size // 8 * 8, np.uint8)}


def decimal_fields(text: Array) -> Answers:
    """The sum and the extremes of numbers of eight digits; there may be none."""
    powers = 10 ** np.arange(7, -1, -1)
    numbers = (text[: len(text) // 8 * 8].reshape(-1, 8) - np.int64(ord("0"))) @ powers
    least, most = numbers.min(initial=0xFFFFFFFF), numbers.max(initial=0)
    return {"sum": one(numbers.sum(), np.int64), "least": one(least), "most": one(most)}


def _slots(random: Random, size: int) -> Inputs:
    slots = random.integers(ord(" "), 127, (size // 16, 16), np.uint8)
    slots[:, 0] = random.integers(0, 16, size // 16)
    return {"slots": slots.ravel()}


def string_hashes(slots: Array) -> Answers:
    """FNV-1a of each string in lower case, as long as its slot says."""
    rows = slots[: len(slots) // 16 * 16].reshape(-1, 16)
    is_capital = (rows >= ord("A")) & (rows <= ord("Z"))
    lower = np.where(is_capital, rows + 32, rows)
    hashes = np.full(len(rows), 0x811C9DC5, np.uint32)
    for place in range(1, 16):
        mixed = (hashes ^ lower[:, place]) * np.uint32(0x01000193)
        hashes = np.where(place <= rows[:, 0], mixed, hashes)
    return {"hashes": hashes}


def _in_url_base64(random: Random, size: int) -> Inputs:
    return {"encoded": base64_encoded(text(size // 4 * 3), url=True, unpadded=True)}


def letter_pairs(encoded: Array) -> Answers:
    """How often each pair of five bits occurs in neighbours; a zero follows the last byte."""
    plain = as_bytes(base64.urlsafe_b64decode(encoded.tobytes() + b"=" * (-len(encoded) % 4)))
    low = plain.astype(np.int32) & 31
    return {"pairs": counts(low << 5 | shifted(low, 1), 1024)}


def _mixed_dump(random: Random, size: int) -> Inputs:
    return {"dump": hex_encoded(xor_encoded(text(size // 2), b"open sesame"))}


def folded_word(dump: Array) -> Answers:
    """How often a word occurs, in either case, below a key and hex."""
    keyed = np.frombuffer(bytes.fromhex(dump.tobytes().decode()), np.uint8)
    return {"count": one((xor_encoded(keyed, b"open sesame") | 32).tobytes().count(b"error"))}


def _units(random: Random, size: int) -> Inputs:
    units = random.integers(32, 160, size // 2, np.uint16)
    return {"wide": units.astype("<u2").view(np.uint8)}


def ascii_only(wide: Array) -> Answers:
    """Characters of two bytes as ASCII, and how many have none."""
    units = wide[: len(wide) // 2 * 2].view("<u2")
    text = np.where(units < 128, units, ord("?")).astype(np.uint8)
    return {"text": text, "others": one(np.count_nonzero(units >= 128))}


def _quoted(random: Random, size: int) -> Inputs:
    text = random.choice(np.frombuffer(b'abc ,"\\\n', np.uint8), size)
    return {"encoded": (text + np.uint8(1)) ^ np.uint8(0x5A)}


def escaped_quotes(encoded: Array) -> Answers:
    """The quotes that are not behind a backslash, and where the first newline is."""
    text = (encoded ^ np.uint8(0x5A)) - np.uint8(1)
    quotes = (text == ord('"')) & (shifted(text, -1) != ord("\\"))
    lines = np.flatnonzero(text == ord("\n"))
    return {"quotes": one(np.count_nonzero(quotes)), "first": one(lines[0] if len(lines) else -1)}


def _cards(random: Random, size: int) -> Inputs:
    return {"text": random.integers(48, 58, size, np.uint8)}


def card_numbers(text: Array) -> Answers:
    """Which numbers of sixteen digits have a sum by Luhn that ends in 0, and how many."""
    digits = text[: len(text) // 16 * 16].reshape(-1, 16).astype(np.int32) - 48
    doubled = 2 * digits[:, ::2]
    sums = digits[:, 1::2].sum(axis=1) + np.where(doubled > 9, doubled - 9, doubled).sum(axis=1)
    valid = sums % 10 == 0
    return {"valid": valid.astype(np.uint8), "count": one(np.count_nonzero(valid))}


PROGRAMS = (
    GateProgram(xor_newlines, _xored),
    GateProgram(hex_large_words, _dumped),
    GateProgram(base64_capitals, _in_base64),
    GateProgram(rot13_words, _plain),
    GateProgram(substitution_breaks, _substituted),
    GateProgram(nibble_histogram, _packed),
    GateProgram(text_report, _rolled),
    GateProgram(two_keys, _noise),
    GateProgram(run_time_key, _keyed),
    GateProgram(utf8_points, _digits),
    GateProgram(dna_motif, _packed),
    GateProgram(record_checksums, _records),
    GateProgram(decimal_fields, _numbers),
    GateProgram(string_hashes, _slots),
    GateProgram(letter_pairs, _in_url_base64),
    GateProgram(folded_word, _mixed_dump),
    GateProgram(ascii_only, _units),
    GateProgram(escaped_quotes, _quoted),
    GateProgram(card_numbers, _cards),
)
