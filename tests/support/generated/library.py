"""Drawn programs of the decode and scan libraries: decoders in a chain, and scanners of its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32, i64

from examples.encodings import Array, encode
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import Buffer, Program, program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.decode import Alphabet, Base64Op, DecodeOp, DeltaOp, HexOp, XorOp
from vyre_dialect.ops.literals import COMPARED_BYTES, LiteralOp, LiteralsOp, LocateOp
from vyre_dialect.ops.packed import BitUnpackOp
from vyre_dialect.ops.scan import FilterOp, HistogramOp, PrefixSumOp
from vyre_dialect.passes.program.expand import ExpandPass

LITERALS = (b"aa", b"a", b"ab", b"ba", b"aab", b"\x00a")
"""What scanners look for in texts of few letters, so that they find some of it."""
Decode: TypeAlias = Callable[[Buffer, Buffer, Buffer], DecodeOp]
"""Builds a decoder of a source, to a destination, with errors."""
Scan: TypeAlias = Callable[[Program, Buffer, str], object]
"""Builds a scanner of a source, with results that have a name."""


@dataclass(frozen=True)
class Decoder:
    """A decoder, which reads bytes."""

    build: Decode
    gives_words: bool = False
    value_bits: int = 8
    """Of what it decodes to."""


@dataclass(frozen=True)
class Library:
    """A chain of decoders of `n` elements at its end, and scanners of that."""

    decoders: tuple[Decoder, ...]
    scanners: tuple[Scan, ...]
    n: int
    workgroup: int
    spoilt: int | None = None
    """Where a byte of the input is not what the first decoder expects, if anywhere."""

    def module(self, name: str = "library") -> ModuleOp:
        """The program, expanded to arms."""
        module, _ = self._build(name)
        ExpandPass().apply(Context(), module)
        module.verify()
        return module

    def inputs(self, seed: int = 0) -> dict[str, Array]:
        """What decodes to few letters or small numbers."""
        random, (_, ops) = np.random.default_rng(seed), self._build("library")
        data: Array
        if self.decoders[-1].gives_words:
            values = random.integers(0, 1 << self.decoders[-1].value_bits, self.n)
            data = values.astype(np.uint32).view(np.int32)
        else:
            data = random.choice(np.frombuffer(b"aaab\x00", np.uint8), self.n)
        for op in reversed(ops):
            data = encode(op, data)
        if self.spoilt is not None and data.size:
            data = data.copy()
            data[self.spoilt % data.size] ^= 0x80
        return {"text": data}

    def _build(self, name: str) -> tuple[ModuleOp, list[DecodeOp]]:
        ops = list[DecodeOp]()
        with program(name, workgroup_size=[self.workgroup]) as p:
            source = p.buffer("text", i8, access=Access.READ_ONLY)
            errors = p.buffer("errors", i32, 1, live_out=True, fill=-1)
            for number, decoder in enumerate(self.decoders):
                type: IntegerType = i32 if decoder.gives_words else i8
                target = p.buffer(f"decoded{number}", type, initial=Initial.UNDEFINED)
                ops.append(decoder.build(source, target, errors))
                source = target
            for number, scan in enumerate(self.scanners):
                scan(p, source, f"result{number}")
        return p.module, ops


@st.composite
def libraries(draw: st.DrawFn) -> Library:
    """One to four decoders, the last one to words at times, and one to three scanners."""
    count = draw(any_of(1, 1, 2, 2, 3, 4))
    decoders = [draw(_byte_decoders()) for _ in range(count)]
    if draw(sometimes(30)):
        decoders[-1] = draw(_word_decoders())
    scanners = _word_scanners() if decoders[-1].gives_words else _byte_scanners()
    workgroup = draw(any_of(32, 16, 64, 48))
    return Library(
        tuple(decoders),
        tuple(draw(st.lists(scanners, min_size=1, max_size=3))),
        draw(any_of(0, 1, 3, workgroup - 1, workgroup, 2 * workgroup + 3, 5 * workgroup)),
        workgroup,
        draw(st.integers(0, 300)) if draw(sometimes(10)) else None,
    )


@st.composite
def _byte_decoders(draw: st.DrawFn) -> Decoder:
    kind = draw(any_of("xor", "hex", "base64"))
    if kind == "hex":
        return Decoder(lambda s, d, e: HexOp(s.ssa, d.ssa, e.ssa))
    if kind == "xor":
        key = draw(st.binary(min_size=1, max_size=9))
        return Decoder(lambda s, d, e: XorOp(s.ssa, d.ssa, key))
    alphabet, unpadded = draw(any_of(*Alphabet)), draw(st.booleans())
    return Decoder(
        lambda s, d, e: Base64Op(s.ssa, d.ssa, e.ssa, alphabet=alphabet, unpadded=unpadded)
    )


@st.composite
def _word_decoders(draw: st.DrawFn) -> Decoder:
    if draw(st.booleans()):
        bits = draw(any_of(32, 8, 1, 7, 13))
        values, base, zigzag = draw(any_of(32, 4, 8)), draw(any_of(None, -7)), draw(st.booleans())
        frame: dict[str, Any] = {"values": values, "base": base, "zigzag": zigzag}
        return Decoder(lambda s, d, e: BitUnpackOp(s.ssa, d.ssa, bits, **frame), True, bits)
    block, values = draw(any_of((4, 4), (16, 16), (32, 32), (5, 5), (16, 4), (32, 8), (32, 16)))
    return Decoder(lambda s, d, e: DeltaOp(s.ssa, d.ssa, block, e.ssa, values=values), True)


@st.composite
def _byte_scanners(draw: st.DrawFn) -> Scan:
    kind = draw(any_of("literal", "histogram", "literals", "locate"))
    if kind == "histogram":
        return lambda p, s, name: HistogramOp(s.ssa, _result(p, name, i32, 256))
    if kind == "literal":
        literal = draw(st.sampled_from(LITERALS))
        may_count_places = len(literal) <= COMPARED_BYTES and literal[-1] != 0
        counting = draw(any_of(None, "places" if may_count_places else None))
        return lambda p, s, name: LiteralOp(
            literal, s.ssa, _result(p, name, i32, 1), counting=counting
        )
    found = tuple(draw(st.lists(st.sampled_from(LITERALS), min_size=1, max_size=3)))
    chunk, streams = draw(any_of((None, None), (16, 1), (32, 1), (16, 2)))
    has_pairs = all(len(literal) > 1 for literal in found)
    prefilter = draw(any_of(None, "windows", "pairs" if has_pairs else None))
    if kind == "locate":
        return lambda p, s, name: LocateOp(
            found,
            s.ssa,
            p.buffer(name, i32, live_out=True),
            p.buffer(f"{name}_which", i32, live_out=True),
            chunk=chunk,
            prefilter=prefilter,
        )
    counters = draw(any_of("literal", "state", "visit"))
    return lambda p, s, name: LiteralsOp(
        found,
        s.ssa,
        _result(p, name, i32, len(found)),
        chunk=chunk,
        streams=streams,
        counters=counters,
        prefilter=prefilter,
    )


@st.composite
def _word_scanners(draw: st.DrawFn) -> Scan:
    if draw(sometimes(20)):
        return _prefix_sum
    low = draw(any_of(0, -50, 7))
    high = low + draw(any_of(100, 1, 1 << 20))
    values = draw(any_of(16, 4, 8))
    return lambda p, s, name: FilterOp(
        s.ssa, low, high, _result(p, name, i32, 1), _result(p, f"{name}_sum", i64, 1), values=values
    )


def _prefix_sum(p: Program, source: Buffer, name: str) -> object:
    sums = p.buffer(name, i64, source.length, access=Access.WRITE_ONLY, live_out=True)
    return PrefixSumOp(source.ssa, sums.ssa)


def _result(p: Program, name: str, type: IntegerType, count: int):
    return p.buffer(name, type, count, live_out=True).ssa
