"""
Halide: a decoder computed at the tiles of its scanner, both vectorized, and tiles in parallel.

A pipeline runs on whole tiles, in place, and then on a copy of what is left, which is filled up to
two tiles by what no scanner counts, or is taken off.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.rivals import Answers, Rival
from benchmarks.workloads import DELTA_BLOCK, Workload, xor_key
from examples.encodings import Array, as_bytes

os.environ.setdefault("HL_NUM_THREADS", str(len(os.sched_getaffinity(0))))
hl: Any = import_module("halide")

WHY_NOT = "no automaton: its stages carry no state from byte to byte"
LANES = 64
ROWS = 80
"""Rows of lanes in a tile: a lane counts the matches of three planes in a byte."""
COPIES = 4
"""Histograms of a part, so that equal bytes in a row do not wait for one another."""
TILE, PART = 1 << 12, 1 << 18
"""Decoded bytes of a tile, and of a part, which has histograms of its own."""
BLOCKS = 32
"""Blocks of deltas of a tile."""
WORDS = 16
"""Words of a vector."""
WITHIN = 1000


class Tiled:
    """A pipeline whose answer `t`, by the last axis of its result, is that of its tile `t`."""

    def __init__(self, source: Any, result: Any, tile: int, halo: int = 0):
        """A tile is so many elements of `source`; its answer depends on `halo` more."""
        self._source, self._result, self._tile, self._halo = source, result, tile, halo
        result.compile_jit()

    def bind(
        self, encoded: Array, filling: Array, answers: Sequence[Array]
    ) -> tuple[Callable[[], None], list[Array]]:
        """
        What computes the answers for `encoded`, and where it writes them: to arrays like
        `answers` for each tile. `filling` repeats after the end.
        """
        whole = max(0, len(encoded) - self._halo) // self._tile
        outputs = [np.zeros((whole + 2, *each.shape), each.dtype) for each in answers]
        rest = np.resize(filling, 2 * self._tile + self._halo)
        rest[: len(encoded) - whole * self._tile] = encoded[whole * self._tile :]
        sources = [(rest, slice(whole, None))]
        if whole:
            sources.append((np.array(encoded), slice(whole)))  # Halide takes no read-only arrays
        runs = [
            (hl.Buffer(source), [hl.Buffer(each[tiles]) for each in outputs])
            for source, tiles in sources
        ]

        def run() -> None:
            for source, results in runs:
                self._source.set(source)
                self._result.realize(results if len(results) > 1 else results[0])

        return run, outputs


def _matches(planes: Sequence[Any], literal: bytes, stages: Sequence[Any]) -> Any:
    """
    How often a literal begins in each tile of LANES * ROWS elements of each of the planes; byte
    `i` of the text is element `i // len(planes)` of plane `i % len(planes)`. `stages` are what
    the planes are computed from.
    """
    lane, tile, at = hl.Var("lane"), hl.Var("tile"), hl.Var("at")
    row, lanes = hl.RDom([(0, ROWS)]), hl.RDom([(0, LANES)])
    counts, result = hl.Func("counts"), hl.Func("result")
    counts[lane, tile] = hl.u8(0)
    begin = (tile * ROWS + row.x) * LANES + lane
    for phase in range(len(planes)):
        counts[lane, tile] += _begins(planes, phase, begin, literal)
    result[tile] = hl.i32(0)
    result[tile] += hl.i32(counts[lanes.x, tile])

    result.compute_root().parallel(tile)
    result.update().parallel(tile)
    counts.compute_at(result, tile).vectorize(lane, LANES)
    for phase in range(len(planes)):
        counts.update(phase).vectorize(lane, LANES)
    for stage in stages:
        stage.compute_at(result, tile).vectorize(at, LANES)
    return result


def _begins(planes: Sequence[Any], phase: int, begin: Any, literal: bytes) -> Any:
    """1 where a literal begins at element `begin` of the plane `phase`, else 0."""
    places = [divmod(phase + offset, len(planes)) for offset in range(len(literal))]
    equal = [
        planes[plane][begin + skipped] == hl.u8(byte)
        for (skipped, plane), byte in zip(places, literal, strict=True)
    ]
    found = equal[0]
    for each in equal[1:]:
        found = found & each
    return hl.u8(found)


def _make_base64_literal(workload: Workload) -> Rival:
    text, at = hl.ImageParam(hl.UInt(8), 1), hl.Var("at")
    sextets, planes = hl.Func("sextets"), [hl.Func(f"plane{n}") for n in range(3)]
    sextets[at] = _sextet(text[at])
    a, b, c, d = (sextets[4 * at + n] for n in range(4))
    planes[0][at] = (a << hl.u8(2)) | (b >> hl.u8(4))
    planes[1][at] = (b << hl.u8(4)) | (c >> hl.u8(2))
    planes[2][at] = (c << hl.u8(6)) | d
    result = _matches(planes, workload.literal, [*planes, sextets])
    halo = 4 * ((len(workload.literal) + 1) // 3)
    return _counted(Tiled(text, result, 4 * LANES * ROWS, halo), workload, as_bytes(b"A"))


def _sextet(character: Any) -> Any:
    """What a character of base64 stands for."""
    shift = hl.select(
        character == 47, hl.u8(16), character == 43, hl.u8(19), character < 58, hl.u8(4),
        character < 97, hl.u8(256 - 65), hl.u8(256 - 71),
    )  # fmt: skip
    return character + shift


def _make_xor_literal(workload: Workload) -> Rival:
    encoded, at, key = hl.ImageParam(hl.UInt(8), 1), hl.Var("at"), xor_key()
    assert LANES % len(key) == 0, "each vector begins with the key"
    keys = hl.Buffer(np.resize(as_bytes(key), LANES))
    decoded = hl.Func("decoded")
    decoded[at] = encoded[at] ^ keys[at % LANES]
    result = _matches([decoded], workload.literal, [])
    outer, inner, tile = hl.Var("outer"), hl.Var("inner"), hl.Var("tile")
    decoded.compute_at(result, tile).align_bounds(at, LANES)
    decoded.split(at, outer, inner, LANES).vectorize(inner)
    halo = len(workload.literal) - 1 + LANES  # whole vectors are computed
    return _counted(Tiled(encoded, result, LANES * ROWS, halo), workload, as_bytes(key))


def _counted(tiled: Tiled, workload: Workload, filling: Array) -> Rival:
    run_tiles, (counts,) = tiled.bind(workload.encoded, filling, [np.zeros((), np.int32)])

    def run() -> Answers:
        run_tiles()
        return {"count": counts.sum(dtype=np.int32, keepdims=True)}

    return run


def _make_hex_histogram(workload: Workload) -> Rival:
    text, at = hl.ImageParam(hl.UInt(8), 1), hl.Var("at")
    decoded = hl.Func("decoded")
    decoded[at] = (_digit(text[2 * at]) << hl.u8(4)) | _digit(text[2 * at + 1])
    tiled = Tiled(text, _histogram(decoded), 2 * PART)
    run_tiles, (bins,) = tiled.bind(workload.encoded, as_bytes(b"0"), [np.zeros(256, np.int32)])
    filled = len(bins) * PART - len(workload.encoded) // 2

    def run() -> Answers:
        run_tiles()
        sums = bins.sum(axis=0, dtype=np.int32)
        sums[0] -= filled
        return {"bins": sums}

    return run


def _digit(character: Any) -> Any:
    """What a hexadecimal digit stands for."""
    return (character & hl.u8(15)) + hl.select(character >= 97, hl.u8(9), hl.u8(0))


def _histogram(decoded: Any) -> Any:
    """How often each byte occurs in each part."""
    byte, copy, part = hl.Var("byte"), hl.Var("copy"), hl.Var("part")
    places = hl.RDom([(0, COPIES), (0, TILE // COPIES), (0, PART // TILE)])
    copies = hl.RDom([(0, COPIES)])
    counts, result = hl.Func("counts"), hl.Func("result")
    value = decoded[part * PART + places.z * TILE + places.y * COPIES + places.x]
    counts[byte, copy, part] = hl.i32(0)
    counts[hl.i32(value), places.x, part] += 1
    result[byte, part] = hl.i32(0)
    result[byte, part] += counts[byte, copies.x, part]

    result.compute_root().parallel(part).vectorize(byte, WORDS)
    result.update().parallel(part).vectorize(byte, WORDS)
    counts.compute_at(result, part).vectorize(byte, WORDS)
    counts.update().unroll(places.x)
    decoded.compute_at(counts, places.z).vectorize(hl.Var("at"), LANES)
    return result


def _make_delta_filter(workload: Workload) -> Rival:
    words = workload.encoded.view(np.uint32)
    assert len(words) % DELTA_BLOCK == 0, "whole blocks are filled up with whole blocks"
    filling = np.zeros(DELTA_BLOCK, np.uint32)
    filling[0] = WITHIN  # the filter lets none of it through
    tiled = Tiled(*_filtered(), BLOCKS * DELTA_BLOCK)
    answers = [np.zeros((), np.int32), np.zeros((), np.int64)]
    run_tiles, (counts, sums) = tiled.bind(words, filling, answers)

    def run() -> Answers:
        run_tiles()
        return {
            "count": counts.sum(dtype=np.int32, keepdims=True),
            "sum": sums.sum(keepdims=True),
        }

    return run


def _filtered() -> tuple[Any, Any]:
    """The words, and the count and the sum of what the filter lets through in each tile."""
    words, at, block = hl.ImageParam(hl.UInt(32), 1), hl.Var("at"), hl.Var("block")
    lane, tile = hl.Var("lane"), hl.Var("tile")
    word = words[block * DELTA_BLOCK + at]
    step = (word >> hl.u32(1)) ^ (hl.u32(0) - (word & hl.u32(1)))
    decoded, sums, result = hl.Func("decoded"), hl.Func("sums"), hl.Func("result")
    later = hl.RDom([(1, DELTA_BLOCK - 1)])
    decoded[at, block] = hl.i32(hl.select(at == 0, word, step))
    decoded[later.x, block] += decoded[later.x - 1, block]

    place, lanes = hl.RDom([(0, DELTA_BLOCK // WORDS), (0, BLOCKS)]), hl.RDom([(0, WORDS)])
    value = decoded[place.x * WORDS + lane, tile * BLOCKS + place.y]
    inside = (value >= -WITHIN) & (value < WITHIN)
    sums[lane, tile] = (hl.i32(0), hl.i32(0))
    sums[lane, tile] = (
        sums[lane, tile][0] + hl.i32(inside),
        sums[lane, tile][1] + hl.select(inside, value, 0),
    )
    result[tile] = (hl.i32(0), hl.i64(0))
    result[tile] = (
        result[tile][0] + sums[lanes.x, tile][0],
        result[tile][1] + hl.i64(sums[lanes.x, tile][1]),
    )

    result.compute_root()
    result.update().parallel(tile)
    sums.compute_at(result, tile).vectorize(lane, WORDS)
    sums.update().reorder(lane, place.x, place.y).vectorize(lane, WORDS)
    decoded.compute_at(sums, place.y).vectorize(at, WORDS)
    decoded.update().unroll(later.x)
    return words, result


FORMS = {
    "base64_literal": _make_base64_literal,
    "hex_histogram": _make_hex_histogram,
    "xor_literal": _make_xor_literal,
    "delta_filter": _make_delta_filter,
}
