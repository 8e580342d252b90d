"""
numba: one loop nest for each workload, over chunks in parallel, each in the caches of a core.

A chunk is decoded into a scratch of its thread and scanned there, with as much of the next one as
a match may reach into. Inner loops run over slices, of which LLVM makes vectors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.rivals import Answers, Rival
from benchmarks.workloads import DELTA_BLOCK, Workload, patterns, xor_key
from examples.encodings import as_bytes
from vyre_dialect.passes.expansions.aho_corasick import build_automaton

numba: Any = import_module("numba")
numba.config.THREADING_LAYER = "workqueue"  # its threads do not spin beside other rivals

WHY_NOT = "no form of it"
GROUPS = 4096
"""Groups of four characters in a chunk: 16 KiB of text, 12 KiB decoded."""
CHUNK = 3 * GROUPS
RUN = 240
"""Places whose matches fit a byte."""
HALO = 64
"""Bytes that a scratch has room for beyond a chunk."""
COPIES = 4
"""Histograms of a thread, so that equal bytes or states in a row do not wait for one another."""


@numba.njit
def _sextets(text: Any, values: Any) -> None:
    """What characters of base64 stand for, by comparisons, which vectors can do."""
    for at in range(len(text)):
        character = text[at]
        shift = np.int8(-65)
        if character >= 97:
            shift = np.int8(-71)
        if character < 58:
            shift = np.int8(4)
        if character == 43:
            shift = np.int8(19)
        if character == 47:
            shift = np.int8(16)
        values[at] = np.uint8(character + shift)


@numba.njit
def _decode_apart(text: Any, values: Any, first: Any, second: Any, third: Any) -> None:
    """The first, second and third bytes of all groups, each to an array of its own."""
    _sextets(text, values)
    for group in range(len(text) // 4):
        a, b = values[4 * group], values[4 * group + 1]
        c, d = values[4 * group + 2], values[4 * group + 3]
        first[group] = (a << np.uint8(2)) | (b >> np.uint8(4))
        second[group] = (b << np.uint8(4)) | (c >> np.uint8(2))
        third[group] = (c << np.uint8(6)) | d


@numba.njit
def _decode(text: Any, values: Any, decoded: Any) -> None:
    """The bytes of all groups, one after another."""
    _sextets(text, values)
    for group in range(len(text) // 4):
        a, b = values[4 * group], values[4 * group + 1]
        c, d = values[4 * group + 2], values[4 * group + 3]
        decoded[3 * group] = (a << np.uint8(2)) | (b >> np.uint8(4))
        decoded[3 * group + 1] = (b << np.uint8(4)) | (c >> np.uint8(2))
        decoded[3 * group + 2] = (c << np.uint8(6)) | d


@numba.njit
def _count(planes: Any, phase: int, places: int, literal: Any, found: Any) -> Any:
    """
    How often a literal begins at the first `places` elements of plane `phase`, where byte `i` of
    the text is element `i // len(planes)` of plane `i % len(planes)`.
    """
    total = 0
    for begin in range(0, places, RUN):
        matches = found[: min(RUN, places - begin)]
        matches[:] = 1
        for offset in range(len(literal)):
            skipped, plane = divmod(phase + offset, len(planes))
            data = planes[plane, begin + skipped : begin + skipped + len(matches)]
            wanted = literal[offset]
            for at in range(len(matches)):
                matches[at] &= data[at] == wanted
        sum_ = np.uint8(0)
        for at in range(len(matches)):
            sum_ = np.uint8(sum_ + matches[at])
        total += sum_
    return total


@numba.njit(parallel=True)
def _base64_literal(text: Any, literal: Any, values: Any, planes: Any, found: Any) -> int:
    total, groups = 0, len(text) // 4
    for chunk in numba.prange((groups + GROUPS - 1) // GROUPS):
        thread, begin = numba.get_thread_id(), chunk * GROUPS
        end = min(begin + GROUPS + (len(literal) + 1) // 3, groups)
        decoded = planes[thread]
        _decode_apart(text[4 * begin : 4 * end], values[thread], decoded[0], decoded[1], decoded[2])
        for phase in range(3):
            last = 3 * (end - begin) - len(literal)  # the last place from which the literal fits
            places = min(GROUPS, (last - phase) // 3 + 1)
            total += _count(decoded, phase, places, literal, found[thread])
    return total


def _make_base64_literal(workload: Workload) -> Rival:
    literal, threads = as_bytes(workload.literal), numba.get_num_threads()
    values = np.zeros((threads, 4 * (GROUPS + HALO)), np.uint8)
    planes = np.zeros((threads, 3, GROUPS + HALO), np.uint8)
    found = np.zeros((threads, RUN), np.uint8)

    def run() -> Answers:
        count = _base64_literal(workload.encoded, literal, values, planes, found)
        return {"count": np.array([count], np.int32)}

    return run


@numba.njit(parallel=True)
def _xor_literal(encoded: Any, keys: Any, literal: Any, scratch: Any, found: Any) -> int:
    total = 0
    for chunk in numba.prange((len(encoded) + CHUNK - 1) // CHUNK):
        thread, begin = numba.get_thread_id(), chunk * CHUNK
        source = encoded[begin : begin + CHUNK + len(literal) - 1]
        decoded = scratch[thread]
        for at in range(len(source)):
            decoded[0, at] = source[at] ^ keys[at]
        places = min(CHUNK, len(source) - len(literal) + 1)
        total += _count(decoded, 0, places, literal, found[thread])
    return total


def _make_xor_literal(workload: Workload) -> Rival:
    literal, threads, key = as_bytes(workload.literal), numba.get_num_threads(), xor_key()
    assert CHUNK % len(key) == 0, "each chunk begins with the key"
    keys = np.resize(as_bytes(key), CHUNK + HALO)
    scratch = np.zeros((threads, 1, CHUNK + HALO), np.uint8)
    found = np.zeros((threads, RUN), np.uint8)

    def run() -> Answers:
        count = _xor_literal(workload.encoded, keys, literal, scratch, found)
        return {"count": np.array([count], np.int32)}

    return run


@numba.njit
def _walk(text: Any, skipped: int, classes: Any, rows: Any, shift: Any, visits: Any) -> None:
    """
    Count how often each state is entered after the first `skipped` bytes of four parts of the
    text that overlap by these; all at once, to hide how long a step takes. A state is the place
    of its row, of `1 << shift` classes.
    """
    part = (len(text) - skipped) // 4
    t0, t1 = text[: part + skipped], text[part : 2 * part + skipped]
    t2, t3 = text[2 * part : 3 * part + skipped], text[3 * part :]
    v0, v1, v2, v3 = visits[0], visits[1], visits[2], visits[3]
    s0 = s1 = s2 = s3 = np.uint64(0)
    for at in range(skipped):
        s0 = np.uint64(rows[s0 + classes[t0[at]]])
        s1 = np.uint64(rows[s1 + classes[t1[at]]])
        s2 = np.uint64(rows[s2 + classes[t2[at]]])
        s3 = np.uint64(rows[s3 + classes[t3[at]]])
    for at in range(skipped, part + skipped):
        s0 = np.uint64(rows[s0 + classes[t0[at]]])
        s1 = np.uint64(rows[s1 + classes[t1[at]]])
        s2 = np.uint64(rows[s2 + classes[t2[at]]])
        s3 = np.uint64(rows[s3 + classes[t3[at]]])
        v0[s0 >> shift] += 1
        v1[s1 >> shift] += 1
        v2[s2 >> shift] += 1
        v3[s3 >> shift] += 1
    for at in range(part + skipped, len(t3)):
        s3 = np.uint64(rows[s3 + classes[t3[at]]])
        v3[s3 >> shift] += 1


@numba.njit(parallel=True)
def _base64_patterns(
    text: Any, halo: int, classes: Any, rows: Any, shift: Any, scratch: Any, visits: Any
) -> None:
    groups = len(text) // 4
    visits[:] = 0
    for chunk in numba.prange((groups + GROUPS - 1) // GROUPS):
        thread, begin = numba.get_thread_id(), chunk * GROUPS
        end = min(begin + GROUPS, groups)
        start, values, decoded = max(begin - halo, 0), scratch[thread, 0], scratch[thread, 1]
        size = 3 * (halo + end - begin)
        decoded[: 3 * halo] = 0  # before the text
        _decode(text[4 * start : 4 * end], values, decoded[size - 3 * (end - start) : size])
        _walk(decoded[:size], 3 * halo, classes, rows, shift, visits[thread])


def _make_base64_patterns(workload: Workload) -> Rival:
    automaton, threads = build_automaton(patterns()), numba.get_num_threads()
    assert not any(0 in pattern for pattern in patterns()), "zeros stand before the text"
    classes, states = np.array(automaton.classes, np.uint8), automaton.state_count
    shift = (automaton.class_count - 1).bit_length()
    assert states << shift <= 1 << 16, "the place of a row is a number of 16 bits"
    rows = np.zeros((states, 1 << shift), np.uint16)
    table = np.array(automaton.transitions).reshape(states, -1)
    rows[:, : automaton.class_count] = table << shift
    halo = (max(map(len, patterns())) + 1) // 3
    scratch = np.zeros((threads, 2, 4 * (GROUPS + HALO)), np.uint8)
    visits = np.zeros((threads, COPIES, states), np.int32)
    ends = np.zeros((states, len(patterns())), np.int32)
    for state in range(states):
        ends[state, list(automaton.outputs(state))] = 1

    def run() -> Answers:
        _base64_patterns(
            workload.encoded, halo, classes, rows.ravel(), np.uint64(shift), scratch, visits
        )
        return {"matches": visits.sum(axis=(0, 1), dtype=np.int32) @ ends}

    return run


@numba.njit
def _add_bytes(digits: Any, scratch: Any, bins: Any) -> None:
    """Add the bytes of a chunk to COPIES histograms, by turns; digits below `a` are below `A`."""
    decoded = scratch[: len(digits) // 2]
    for at in range(len(decoded)):
        high, low = digits[2 * at], digits[2 * at + 1]
        high = np.uint8((high & 15) + (9 if high >= 97 else 0))
        low = np.uint8((low & 15) + (9 if low >= 97 else 0))
        decoded[at] = np.uint8(high << 4) | low
    whole = len(decoded) // COPIES
    b0, b1, b2, b3 = bins[0], bins[1], bins[2], bins[3]
    d0, d1, d2, d3 = decoded[0::4], decoded[1::4], decoded[2::4], decoded[3::4]
    for at in range(whole):
        b0[d0[at]] += 1
        b1[d1[at]] += 1
        b2[d2[at]] += 1
        b3[d3[at]] += 1
    for byte in decoded[whole * COPIES :]:
        b0[byte] += 1


@numba.njit(parallel=True)
def _hex_histogram(digits: Any, scratch: Any, bins: Any) -> None:
    bins[:] = 0
    for chunk in numba.prange((len(digits) + 2 * CHUNK - 1) // (2 * CHUNK)):
        thread, begin = numba.get_thread_id(), chunk * 2 * CHUNK
        _add_bytes(digits[begin : begin + 2 * CHUNK], scratch[thread], bins[thread])


def _make_hex_histogram(workload: Workload) -> Rival:
    threads = numba.get_num_threads()
    scratch = np.zeros((threads, CHUNK), np.uint8)
    bins = np.zeros((threads, COPIES, 256), np.int32)

    def run() -> Answers:
        _hex_histogram(workload.encoded, scratch, bins)
        return {"bins": bins.sum(axis=(0, 1), dtype=np.int32)}

    return run


@numba.njit
def _filter(words: Any, decoded: Any) -> tuple[Any, Any]:
    """The count and the sum of what the filter lets through of a block."""
    for at in range(len(words)):
        decoded[at] = np.int32(words[at] >> np.uint32(1)) ^ -np.int32(words[at] & np.uint32(1))
    value = np.int32(0)
    decoded[0] = words[0]
    for at in range(len(words)):
        value = np.int32(value + decoded[at])
        decoded[at] = value
    count = sum_ = np.int32(0)
    for at in range(len(words)):
        inside = (decoded[at] >= -1000) & (decoded[at] < 1000)
        count = np.int32(count + inside)
        sum_ = np.int32(sum_ + (decoded[at] if inside else np.int32(0)))
    return count, sum_


@numba.njit(parallel=True)
def _delta_filter(encoded: Any, scratch: Any) -> tuple[int, int]:
    count = total = 0
    for block in numba.prange((len(encoded) + DELTA_BLOCK - 1) // DELTA_BLOCK):
        words = encoded[block * DELTA_BLOCK : (block + 1) * DELTA_BLOCK]
        inside, sum_ = _filter(words, scratch[numba.get_thread_id()])
        count += inside
        total += sum_
    return count, total


def _make_delta_filter(workload: Workload) -> Rival:
    words = workload.encoded.view(np.uint32)
    scratch = np.zeros((numba.get_num_threads(), DELTA_BLOCK), np.int32)

    def run() -> Answers:
        count, total = _delta_filter(words, scratch)
        return {"count": np.array([count], np.int32), "sum": np.array([total], np.int64)}

    return run


FORMS = {
    "base64_literal": _make_base64_literal,
    "base64_patterns": _make_base64_patterns,
    "hex_histogram": _make_hex_histogram,
    "xor_literal": _make_xor_literal,
    "delta_filter": _make_delta_filter,
}
