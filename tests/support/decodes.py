"""Build, expand and interpret programs of one decoder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32

from support.interpreting import interpreter
from vyre_dialect.builder import Buffer, constant, program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.decode import Alphabet, Base64Op, DeltaOp, HexOp, XorOp
from vyre_dialect.ops.packed import BitUnpackOp, Layout
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.runtime.errors import VyreError


@dataclass(frozen=True)
class Buffers:
    """What a decoder works on."""

    source: Buffer
    destination: Buffer
    errors: Buffer


def decoder(
    build: Callable[[Buffers], object],
    source_type: IntegerType = i8,
    destination_type: IntegerType = i8,
    *,
    source_count: int | None = None,
    destination_count: int | None = None,
    errors_type: IntegerType = i32,
) -> ModuleOp:
    """The module of a program with the decoder that `build` makes, expanded."""
    with program("decode") as p:
        source = p.buffer("encoded", source_type, source_count, access=Access.READ_ONLY)
        destination = p.buffer("decoded", destination_type, destination_count, live_out=True)
        errors = p.buffer("errors", errors_type, 1, fill=-1)
        build(Buffers(source, destination, errors))
    module = p.module
    ExpandPass().apply(Context(), module)
    module.verify()
    return module


def decoded(module: ModuleOp, encoded: bytes | npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
    """What the reference interpreter decodes `encoded` to, as unsigned integers."""
    data = np.frombuffer(encoded, np.uint8) if isinstance(encoded, bytes) else encoded
    result = interpreter(module).run({"encoded": data}).outputs["decoded"]
    return result.view(f"u{result.itemsize}")


def first_error(module: ModuleOp, encoded: bytes) -> int | None:
    """The offset that the decoder reports for `encoded`, if it does."""
    try:
        decoded(module, encoded)
    except VyreError as error:
        offset = re.search(r"(?:invalid|short).* at offset (\d+)$", str(error))
        if offset is None:
            raise
        return int(offset[1])
    return None


def base64_decoder(
    alphabet: Alphabet = Alphabet.STANDARD,
    *,
    unpadded: bool = False,
    skip_whitespace: bool = False,
    source_count: int | None = None,
    destination_count: int | None = None,
    errors_type: IntegerType = i32,
    lanes: int | None = None,
) -> ModuleOp:
    def build(b: Buffers) -> None:
        Base64Op(
            b.source,
            b.destination,
            b.errors,
            alphabet=alphabet,
            unpadded=unpadded,
            skip_whitespace=skip_whitespace,
            lanes=lanes,
        )

    return decoder(
        build,
        source_count=source_count,
        destination_count=destination_count,
        errors_type=errors_type,
    )


def hex_decoder(
    source_count: int | None = None,
    destination_count: int | None = None,
    *,
    skip_whitespace: bool = False,
    lanes: int | None = None,
) -> ModuleOp:
    def build(b: Buffers) -> None:
        HexOp(b.source, b.destination, b.errors, skip_whitespace=skip_whitespace, lanes=lanes)

    return decoder(
        build,
        source_count=source_count,
        destination_count=destination_count,
    )


def xor_decoder(key: bytes, *, lanes: int | None = None) -> ModuleOp:
    return decoder(lambda b: XorOp(b.source.ssa, b.destination.ssa, key, lanes=lanes))


def delta_decoder(
    block: int,
    source_type: IntegerType = i32,
    values: int | None = None,
    lanes: int | None = None,
    *,
    word: IntegerType = i32,
) -> ModuleOp:
    def build(b: Buffers) -> None:
        errors = b.errors.ssa if source_type == i8 else None
        DeltaOp(b.source.ssa, b.destination.ssa, block, errors, values=values, lanes=lanes)

    return decoder(build, source_type, word)


def based_delta_decoder(
    block: int,
    word: IntegerType,
    values: int | None = None,
    lanes: int | None = None,
    *,
    plain: bool = True,
) -> ModuleOp:
    """That of blocks whose first words are differences to the elements of `bases`."""
    with program("decode") as p:
        source = p.buffer("encoded", word, access=Access.READ_ONLY)
        bases = p.buffer("bases", word, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", word, live_out=True)
        DeltaOp(source, decoded, block, bases=bases, plain=plain, values=values, lanes=lanes)
    ExpandPass().apply(Context(), p.module)
    p.module.verify()
    return p.module


def bit_unpacker(
    bits: int,
    count: int | None = None,
    *,
    width: int = 32,
    layout: Layout = Layout.SEQUENTIAL,
    base: int | None = None,
    zigzag: bool = False,
    values: int | None = None,
    lanes: int | None = None,
) -> ModuleOp:
    def build(b: Buffers) -> None:
        BitUnpackOp(
            b.source,
            b.destination,
            bits,
            layout=layout,
            base=base,
            zigzag=zigzag,
            count=None if count is None else constant(count),
            errors=None if count is None else b.errors,
            values=values,
            lanes=lanes,
        )

    return decoder(build, i8, IntegerType(width))
