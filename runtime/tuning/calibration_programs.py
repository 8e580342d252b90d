"""
Programs by which the time of each kind of work is found out: small ones, made here, each of which
has much of one kind, or of several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, f32, i8, i32, i64

from vyre_dialect.builder import Buffer, Program, Value, constant, for_, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind, Initial
from vyre_dialect.ops.decode import Base64Op, DeltaOp, HexOp, XorOp
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.ops.packed import BitUnpackOp
from vyre_dialect.ops.scan import FilterOp, HistogramOp

Array: TypeAlias = NDArray[Any]
_SOURCE = "source"
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_HEX = b"0123456789abcdef"
_MULTIPLIER = 0x9E3779B1
"""An odd number of many bits, by which products are far from sums."""


@dataclass(frozen=True)
class CalibrationProgram:
    """A program with one input, `source`, of bytes."""

    name: str
    build: Callable[[Program, Buffer], None]
    """Builds it in a program with that input."""
    alphabet: bytes | None = None
    """The bytes that may be in the input; any where it does not say."""
    is_held_back: bool = False
    """Whether it says how good a fit is instead of taking part."""

    @property
    def module(self) -> ModuleOp:
        """The program."""
        with program(self.name, workgroup_size=[128]) as built:
            element = i32 if self.name.startswith("words") else i8
            self.build(built, built.buffer(_SOURCE, element, access=Access.READ_ONLY))
        return built.module

    def inputs(self, size: int) -> Mapping[str, Array]:
        """Input of `size` bytes, always the same."""
        return {_SOURCE: _drawn(size, self.alphabet)}


@lru_cache(maxsize=9)
def _drawn(size: int, alphabet: bytes | None) -> Array:
    """So many bytes, always the same."""
    drawn = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    return drawn if alphabet is None else np.frombuffer(alphabet, np.uint8)[drawn % len(alphabet)]


def _sum(p: Program, value: Callable[[Value], Value], count: Value) -> None:
    """An arm that sums up what it computes of each place."""
    total = p.buffer("total", i32, 1, live_out=True)
    with p.arm("sum", count) as i:
        total.atomic(AtomicKind.ADDI, value(i))


def _rounds(value: Value, count: int) -> Value:
    """So many times three operations, each on what the one before it gives."""
    for number in range(count):
        value = (value ^ (value >> 7 + number % 5)) * _MULTIPLIER
    return value


def _read(p: Program, source: Buffer) -> None:
    _sum(p, lambda i: source[i], source.length)


def _copy(p: Program, source: Buffer) -> None:
    copied = p.buffer("copied", source.type.element_type, source.length, live_out=True)
    with p.arm("copy", source.length) as i:
        copied[i] = source[i] + 1


def _count(p: Program, source: Buffer) -> None:
    _sum(p, lambda i: source[i].eq(10).to(i32), source.length)


def _mixed(count: int) -> Callable[[Program, Buffer], None]:
    return lambda p, source: _sum(p, lambda i: _rounds(source[i].to(i32), count), source.length)


def _mixed_wide(count: int) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        _sum(p, lambda i: _rounds(source[i].to(i64), count).to(i32), source.length)

    return build


def _floats(count: int) -> Callable[[Program, Buffer], None]:
    def value(source: Buffer, i: Value) -> Value:
        number = (source[i] & 0xFFFF).to(f32)
        for step in range(count):
            number = number * 0.75 + float(step)
        return number.to(i32)

    return lambda p, source: _sum(p, lambda i: value(source, i), source.length)


def _looked_up(size: int) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        contents = [7 * each & 0xFFFF for each in range(size)]
        table = p.buffer("table", i32, access=Access.READ_ONLY, contents=contents)

        def value(i: Value) -> Value:
            own = source[i].to(i32)
            return table[(own * _MULTIPLIER >> 8 & size - 1).to(index)]

        _sum(p, value, source.length)

    return build


def _binned(bins: int) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        counts = p.buffer("bins", i32, bins, live_out=True)
        with p.arm("bin", source.length) as i:
            counts.atomic(AtomicKind.ADDI, 1, (source[i].to(i32) & bins - 1).to(index))

    return build


def _scattered(p: Program, source: Buffer) -> None:
    seen = p.buffer("seen", i32, 1 << 20, live_out=True)
    with p.arm("scatter", source.length) as i:
        seen.atomic(AtomicKind.ADDI, 1, (source[i] & (1 << 20) - 1).to(index))


def _branching(limit: int, rounds: int) -> Callable[[Program, Buffer], None]:
    """One of 256 values out of `limit` takes a path of its own, by chance."""

    def build(p: Program, source: Buffer) -> None:
        total = p.buffer("total", i32, 1, live_out=True)
        with p.arm("branch", source.length) as i:
            own = source[i].to(i32)
            with if_((own & 255) < limit):
                total.atomic(AtomicKind.ADDI, _rounds(own, rounds))

    return build


def _windows(reach: int) -> Callable[[Program, Buffer], None]:
    """Each place looks at those behind it, in a loop."""

    def value(source: Buffer, i: Value) -> Value:
        with for_(0, reach, carry=[constant(0, i32)]) as loop:
            loop.yields(loop.carried[0] + source[i + loop.counter].to(i32))
        return loop.results[0]

    return lambda p, source: _sum(p, lambda i: value(source, i), source.length)


def _halo(reach: int) -> Callable[[Program, Buffer], None]:
    """Bytes are decoded into words, of which each takes several into account."""

    def build(p: Program, source: Buffer) -> None:
        words = p.buffer("words", i32, source.length, initial=Initial.UNDEFINED)
        with p.arm("widen", source.length) as i:
            words[i] = source[i].to(i32) * 3
        _windows(reach)(p, words)

    return build


def _divided(p: Program, source: Buffer) -> None:
    _sum(p, lambda i: 1_000_000_007 // ((source[i].to(i32) & 1023) + 3), source.length)


def _strided(step: int) -> Callable[[Program, Buffer], None]:
    def value(source: Buffer, i: Value) -> Value:
        own = source[i * step].to(i32)
        for each in range(1, step):
            own = own ^ (source[i * step + each].to(i32) << each)
        return own

    def build(p: Program, source: Buffer) -> None:
        _sum(p, lambda i: value(source, i), source.length // step)

    return build


def _spread(parts: int) -> Callable[[Program, Buffer], None]:
    """Each element is taken apart into several."""

    def build(p: Program, source: Buffer) -> None:
        spread = p.buffer("spread", i32, source.length * parts, live_out=True)
        with p.arm("spread", source.length) as i:
            own = source[i].to(i32)
            for part in range(parts):
                spread[i * parts + part] = own >> 2 * part & 3

    return build


def _keyed(p: Program, source: Buffer) -> None:
    """The place of each element is taken modulo a length."""
    length = source.length // 1000 + 1
    _sum(p, lambda i: source[i].to(i32) ^ source[i % length].to(i32), source.length)


def _quotients(divisor: int, bins: int) -> Callable[[Program, Buffer], None]:
    """Numbers of 64 bits are divided by a constant, and counted by what remains."""

    def build(p: Program, source: Buffer) -> None:
        counts = p.buffer("bins", i32, bins, live_out=True)
        with p.arm("divide", source.length) as i:
            quotient = source[i].to(i64) * 0x12345671 // divisor
            counts.atomic(AtomicKind.ADDI, 1, (quotient % bins).to(index))

    return build


def _grouped(groups: int, limit: int) -> Callable[[Program, Buffer], None]:
    """Where something holds, two sums of a group grow."""

    def build(p: Program, source: Buffer) -> None:
        counts = p.buffer("counts", i32, groups, live_out=True)
        sums = p.buffer("sums", i64, groups, live_out=True)
        with p.arm("group", source.length) as i:
            own = source[i].to(i32)
            group = (own >> 3 & groups - 1).to(index)
            with if_((own & 255) < limit):
                counts.atomic(AtomicKind.ADDI, 1, group)
                sums.atomic(AtomicKind.ADDI, (own & 127).to(i64) * own.to(i64), group)

    return build


def _pairs(p: Program, source: Buffer) -> None:
    """Neighbours are combined, and both stored."""
    paired = p.buffer("paired", i32, source.length, live_out=True)
    with p.arm("pair", source.length // 2) as i:
        left, right = source[i * 2].to(i32), source[i * 2 + 1].to(i32)
        paired[i * 2] = left + right
        paired[i * 2 + 1] = left - right


def _picture(width: int) -> Callable[[Program, Buffer], None]:
    """An arm of two axes, in which each place sees those around it."""

    def build(p: Program, source: Buffer) -> None:
        shades = p.buffer("shades", i8, source.length, live_out=True)
        with p.arm("shade", [width, source.length // width]) as (x, y):
            at = y * width + x
            around = source[at].to(i32) * 4
            for apart in (-width, -1, 1, width):
                around = around + source[at + apart].to(i32)
            shades[at] = (around >> 3).to(i8)

    return build


def _above(p: Program, source: Buffer) -> None:
    """How many floats are above a limit."""
    _sum(
        p,
        lambda i: ((source[i] & 4095).to(f32) * 0.0625).compare("ogt", 90.5).to(i32),
        source.length,
    )


def _crumbs(p: Program, source: Buffer) -> None:
    """Letters that parts of bytes stand for are compared with those behind them."""
    letters = p.buffer("letters", i8, access=Access.READ_ONLY, contents=list(b"ACGT"))
    text = p.buffer("text", i8, source.length * 2, initial=Initial.UNDEFINED)
    with p.arm("letters", source.length) as i:
        own = source[i].to(i32)
        for part in range(2):
            text[i * 2 + part] = letters[(own >> 2 * part & 3).to(index)]
    _sum(p, lambda i: text[i].eq(65).to(i32) * text[i + 1].to(i32), text.length)


def _blocks(size: int) -> Callable[[Program, Buffer], None]:
    """An invocation goes through a block, one value depending on the one before it."""

    def build(p: Program, source: Buffer) -> None:
        hashes = p.buffer("hashes", i32, source.length // size, live_out=True)
        with p.arm("hash", source.length // size) as i:
            with for_(0, size, carry=[constant(17, i32)]) as loop:
                own = source[i * size + loop.counter].to(i32)
                loop.yields((loop.carried[0] ^ own) * _MULTIPLIER)
            hashes[i] = loop.results[0]

    return build


def _decoded(p: Program, source: Buffer, type: Any = i8) -> Buffer:
    return p.buffer("decoded", type, initial=Initial.UNDEFINED)


def _xor(then: Callable[[Program, Buffer], None]) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        decoded = _decoded(p, source)
        XorOp(source, decoded, b"a key of 16 byte")
        then(p, decoded)

    return build


def _literal(p: Program, source: Buffer) -> None:
    LiteralOp(b"self", source, p.buffer("count", i32, 1, live_out=True))


def _histogram(p: Program, source: Buffer) -> None:
    HistogramOp(source, p.buffer("bins", i32, 256, live_out=True))


def _hex(then: Callable[[Program, Buffer], None]) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        decoded = _decoded(p, source)
        HexOp(source, decoded, p.buffer("errors", i32, 1, live_out=True, fill=-1))
        then(p, decoded)

    return build


def _base64(then: Callable[[Program, Buffer], None]) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        decoded = _decoded(p, source)
        Base64Op(source, decoded, p.buffer("errors", i32, 1, live_out=True, fill=-1))
        then(p, decoded)

    return build


def _filter(p: Program, source: Buffer) -> None:
    FilterOp(source, 1000, 70_000, p.buffer("count", i32, 1, live_out=True))


def _deltas(p: Program, source: Buffer) -> None:
    decoded = _decoded(p, source, i32)
    DeltaOp(source, decoded, 128)
    _filter(p, decoded)


def _unpacked(
    bits: int, then: Callable[[Program, Buffer], None]
) -> Callable[[Program, Buffer], None]:
    def build(p: Program, source: Buffer) -> None:
        decoded = _decoded(p, source, i32)
        BitUnpackOp(source, decoded, bits)
        then(p, decoded)

    return build


_Build: TypeAlias = Callable[[Program, Buffer], None]
_FITTED: Mapping[str, _Build] = {
    "bytes_read": _count,
    "words_read": _read,
    "words_copied": _copy,
    "bytes_copied": _copy,
    **{f"words_mixed_{n}": _mixed(n) for n in (4, 24, 80)},
    "bytes_mixed_8": _mixed(8),
    **{f"words_mixed_wide_{n}": _mixed_wide(n) for n in (4, 24)},
    "words_floats_24": _floats(24),
    **{f"words_looked_up_{n}": _looked_up(n) for n in (16, 1024)},
    "bytes_looked_up_256": _looked_up(256),
    **{f"words_binned_{n}": _binned(n) for n in (16, 2048)},
    "bytes_binned_256": _binned(256),
    "words_scattered": _scattered,
    **{f"words_branching_{n}": _branching(n, 12) for n in (4, 128)},
    "words_windows_8": _windows(8),
    "bytes_windows_32": _windows(32),
    "bytes_halo_3": _halo(3),
    "words_halo_12": _halo(12),
    "words_divided": _divided,
    **{f"bytes_strided_{n}": _strided(n) for n in (3, 8)},
    **{f"bytes_blocks_{n}": _blocks(n) for n in (16, 256, 4096)},
    "bytes_spread_4": _spread(4),
    "words_keyed": _keyed,
    "bytes_keyed": _keyed,
    "words_quotients": _quotients(3_600_000, 24),
    "words_grouped": _grouped(8, 200),
    "bytes_grouped": _grouped(4, 20),
    "words_pairs": _pairs,
    "bytes_pairs": _pairs,
    "bytes_picture": _picture(1024),
    "words_above": _above,
    "bytes_crumbs": _crumbs,
    "bytes_xor_literal": _xor(_literal),
    "bytes_xor_mixed": _xor(_mixed(4)),
    "bytes_base64_literal": _base64(_literal),
    "bytes_base64_binned": _base64(_binned(64)),
    "bytes_hex_count": _hex(_count),
    "words_deltas": _deltas,
    "bytes_unpacked_filter": _unpacked(11, _filter),
    "bytes_unpacked_binned": _unpacked(9, _binned(512)),
}
_HELD_BACK: Mapping[str, _Build] = {
    "words_mixed_12": _mixed(12),
    "bytes_mixed_wide_8": _mixed_wide(8),
    "words_looked_up_128": _looked_up(128),
    "bytes_binned_32": _binned(32),
    "bytes_branching_64": _branching(64, 6),
    "words_windows_5": _windows(5),
    "bytes_halo_7": _halo(7),
    "bytes_strided_5": _strided(5),
    "words_blocks_32": _blocks(32),
    "bytes_blocks_1024": _blocks(1024),
    "words_spread_3": _spread(3),
    "bytes_quotients": _quotients(1_000, 7),
    "bytes_grouped_16": _grouped(16, 128),
    "bytes_picture_512": _picture(512),
    "bytes_xor_count": _xor(_count),
    "bytes_hex_histogram": _hex(_histogram),
    "bytes_unpacked_mixed": _unpacked(13, _mixed(3)),
}


def _alphabet(name: str) -> bytes | None:
    return _BASE64 if "base64" in name else _HEX if "hex" in name else None


PROGRAMS = tuple(
    CalibrationProgram(name, build, _alphabet(name), is_held_back)
    for programs, is_held_back in ((_FITTED, False), (_HELD_BACK, True))
    for name, build in programs.items()
)
"""All of them, those that are held back at the end."""
