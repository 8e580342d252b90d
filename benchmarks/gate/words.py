"""Programs over words and samples: what they hold, and what their neighbours do."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    counts,
    one,
    packed_size,
    random_bytes,
    random_words,
    shifted,
    unpacked,
)
from examples.encodings import Array, zigzag

DELTA_BLOCK = 128


def _words(random: Random, count: int) -> Inputs:
    return {"encoded": random_words(random, count)}


def big_endian_extremes(encoded: Array) -> Answers:
    """The extremes of words that have the highest byte first; there may be none."""
    words = encoded.view(">i4")
    least = words.min(initial=np.iinfo(np.int32).max)
    return {"least": one(least), "most": one(words.max(initial=np.iinfo(np.int32).min))}


def _steps(random: Random, count: int) -> Inputs:
    return {"encoded": zigzag(random.integers(-100, 101, count, np.int32))}


def from_zigzag(codes: Array) -> Array:
    """Signed numbers of 0, 1, 2, 3, 4 for 0, -1, 1, -2, 2."""
    return np.where(codes & 1, -1 - (codes.view(np.uint32) >> 1).view(np.int32), codes >> 1)


def undelta(encoded: Array, block: int) -> Array:
    """Values of which each block begins with one, and goes on with differences."""
    steps = from_zigzag(encoded)
    steps[::block] = encoded[::block]
    padded = np.zeros((-(-len(steps) // block), block), np.int32)
    padded.ravel()[: len(steps)] = steps
    return padded.cumsum(axis=1, dtype=np.int32).ravel()[: len(steps)]


def delta_peaks(encoded: Array) -> Answers:
    """The values above both neighbours; outside there are zeros."""
    values = undelta(encoded, DELTA_BLOCK)
    peaks = (values > shifted(values, -1)) & (values > shifted(values, 1))
    return {"peaks": one(np.count_nonzero(peaks))}


def moving_sums(encoded: Array) -> Answers:
    """The sums of sixteen values, from each on, that pass a limit."""
    values = from_zigzag(encoded)
    sums = sum((shifted(values, k) for k in range(16)), np.zeros_like(values))
    return {"over": one(np.count_nonzero(sums > 500))}


def _stream(random: Random, count: int) -> Inputs:
    return {"stream": random_bytes(random, count)}


def stereo_levels(stream: Array) -> Answers:
    """The loudest middle of frames of two samples, and how many are silent."""
    frames = stream[: len(stream) // 4 * 4].view(">i2").reshape(-1, 2).astype(np.int32)
    levels = np.abs(frames.sum(axis=1) >> 1)
    loudest = levels.max(initial=0)
    return {"loudest": one(loudest), "silent": one(np.count_nonzero(levels < 200))}


def sensor_channels(stream: Array) -> Answers:
    """The sum of each of 16 channels, and its peak."""
    frames = stream[: len(stream) // 16 * 16].view(np.uint8).reshape(-1, 16).astype(np.int32) - 128
    return {
        "sums": frames.sum(axis=0).astype(np.int32),
        "peaks": np.abs(frames).max(axis=0, initial=0),
    }


def local_maxima(stream: Array) -> Answers:
    """The samples of three bytes that none within eight places exceeds; outside there are zeros."""
    low, middle, high = stream[: len(stream) // 3 * 3].reshape(-1, 3).astype(np.int32).T
    samples = low | middle << 8 | (high ^ 128) - 128 << 16
    highest = samples
    for distance in range(1, 9):
        for by in (-distance, distance):
            highest = np.maximum(highest, shifted(samples, by))
    return {"maxima": one(np.count_nonzero(highest == samples))}


def _samples(random: Random, count: int) -> Inputs:
    return {"samples": random.integers(-(1 << 15), 1 << 15, count, np.int16)}


def smoothed_samples(samples: Array) -> Answers:
    """The mean of four samples from each on, in single precision."""
    levels = samples.astype(np.float32) * np.float32(2**-15)
    sums = np.zeros_like(levels)
    for by in range(4):
        sums += shifted(levels, by)
    return {"smooth": sums * np.float32(0.25)}


def _split(random: Random, count: int) -> Inputs:
    numbers = random.uniform(-1, 3, count).astype(np.float32)
    bits = random_words(random, count).view(np.float32)
    mixed = np.where(random.random(count) < 0.5, numbers, bits)
    return {"streams": np.ascontiguousarray(mixed.view(np.uint8).reshape(-1, 4).T).ravel()}


def split_floats(streams: Array) -> Answers:
    """The floats from 0 up to 1, and the sum of their whole thousandths."""
    numbers = (
        np.ascontiguousarray(streams[: len(streams) // 4 * 4].reshape(4, -1).T)
        .view(np.float32)
        .ravel()
    )
    inside = numbers[(numbers >= 0) & (numbers < 1)]
    thousandths = (inside * np.float32(1000)).astype(np.int64)
    return {"inside": one(len(inside)), "sum": one(thousandths.sum(), np.int64)}


def _halves(random: Random, count: int) -> Inputs:
    return {"halves": random.integers(-(1 << 15), 1 << 15, count, np.int16)}


def brain_floats(halves: Array) -> Answers:
    """The numbers above 1, and those that are none, by their sixteen highest bits."""
    numbers = (halves.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    none = np.count_nonzero(np.isnan(numbers))
    return {"large": one(np.count_nonzero(numbers > 1)), "none": one(none)}


TIME_MASK = 0x0123456789ABCDEF


def _times(random: Random, count: int) -> Inputs:
    times = random.integers(0, 1_000_000, count, np.int64).cumsum()
    return {"encoded": times ^ TIME_MASK}


def time_gaps(encoded: Array) -> Answers:
    """The longest time from one to the next, and how many are longer than a limit."""
    gaps = np.diff(encoded ^ TIME_MASK)
    longest = one(gaps.max(initial=0), np.int64)
    return {"longest": longest, "long": one(np.count_nonzero(gaps > 950_000))}


def _moments(random: Random, count: int) -> Inputs:
    return {"steps": random_words(random, count), "start": np.array([1_700_000_000_123])}


def hours(steps: Array, start: Array) -> Answers:
    """How many of the times, in milliseconds, fall into each hour of a day."""
    times = start[0] + steps.view(np.uint32).astype(np.int64)
    return {"bins": counts(times // 3_600_000 % 24, 24)}


def _long_words(random: Random, count: int) -> Inputs:
    words = random.integers(-(1 << 63), (1 << 63) - 1, count, np.int64)
    return {"encoded": words, "mask": np.array([0x7FFF_0F0F_3333_FFFE])}


def set_bits(encoded: Array, mask: Array) -> Answers:
    """How many bits are set under a mask."""
    return {"bits": one(np.bitwise_count((encoded & mask).view(np.uint64)).sum(), np.int64)}


def _pattern(random: Random, count: int) -> Inputs:
    pattern = random.integers(-30, 31, 24, np.int32)
    return {"encoded": random_bytes(random, count), "pattern": pattern}


def matched_filter(encoded: Array, pattern: Array) -> Answers:
    """The places from which on the sum of products with a pattern passes a limit."""
    values = encoded.astype(np.int32) - 128
    sums = np.zeros_like(values)
    for place, weight in enumerate(pattern):
        sums += shifted(values, place) * weight
    return {"matches": one(np.count_nonzero(sums > 9000))}


def _changes(random: Random, count: int) -> Inputs:
    steps = zigzag(random.integers(-9000, 9001, count, np.int32))
    return {"encoded": steps.view(np.uint8)}


def change_histogram(encoded: Array) -> Answers:
    """The values in 64 bins of a thousand, those beyond in the bins at the ends."""
    thousands = undelta(encoded.view(np.int32), 32) // 1000 + 32
    return {"bins": counts(thousands.clip(0, 63), 64)}


def running_balance(encoded: Array) -> Answers:
    """How often a sum of bookings is below zero."""
    return {"below": one(np.count_nonzero(from_zigzag(encoded).cumsum(dtype=np.int64) < 0))}


def _bookings(random: Random, count: int) -> Inputs:
    return {name: random.integers(-999, 1000, count, np.int32) for name in ("own", "other")}


def two_accounts(own: Array, other: Array) -> Answers:
    """How often the sum of the first account is below that of the second."""
    balances = (each.view(np.int32).cumsum(dtype=np.int64) for each in (own, other))
    return {"less": one(np.count_nonzero(np.less(*balances)))}


def _addresses(random: Random, count: int) -> Inputs:
    private = 10 + 256 * random.integers(0, 1 << 20, count, np.int32)
    return {"words": np.where(random.random(count) < 0.5, random_words(random, count), private)}


def subnets(words: Array) -> Answers:
    """How many addresses are in 10/8, 172.16/12, 192.168/16 or in none, and their first bytes."""
    addresses = words.byteswap().view(np.uint32)
    tests = (addresses >> 24 == 10, addresses >> 20 == 0xAC1, addresses >> 16 == 0xC0A8)
    inside = [np.count_nonzero(test) for test in tests]
    nets = np.array([*inside, len(addresses) - sum(inside)], np.int32)
    return {"nets": nets, "bins": counts((addresses >> 24).astype(np.int64), 256)}


def _levels(random: Random, count: int) -> Inputs:
    return {"packed": random_bytes(random, packed_size(count, 10))}


def loudness(packed: Array) -> Answers:
    """Sums of two squared levels of ten bits in 32 bins, and the largest, without fractions."""
    powers = (unpacked(packed, 10).astype(np.float32) * np.float32(2**-10)) ** 2
    levels = ((powers + shifted(powers, 1)) * np.float32(16)).astype(np.int32)
    return {"bins": counts(levels.clip(0, 31), 32), "loudest": one(levels.max(initial=0))}


PROGRAMS = (
    GateProgram(big_endian_extremes, _words, bits=32),
    GateProgram(delta_peaks, _steps, bits=32),
    GateProgram(moving_sums, _steps, bits=32),
    GateProgram(stereo_levels, _stream),
    GateProgram(sensor_channels, _stream),
    GateProgram(local_maxima, _stream),
    GateProgram(smoothed_samples, _samples, bits=16),
    GateProgram(split_floats, _split, bits=32),
    GateProgram(brain_floats, _halves, bits=16),
    GateProgram(time_gaps, _times, bits=64),
    GateProgram(hours, _moments, bits=32),
    GateProgram(set_bits, _long_words, bits=64),
    GateProgram(matched_filter, _pattern),
    GateProgram(change_histogram, _changes, bits=32),
    GateProgram(running_balance, _steps, bits=32),
    GateProgram(two_accounts, _bookings, bits=64),
    GateProgram(subnets, _addresses, bits=32),
    GateProgram(loudness, _levels, bits=10),
)
