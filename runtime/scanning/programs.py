"""The programs of a scan: one for each stage of decoding, and one that locates literals."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i8, i32

from vyre_dialect.builder import Buffer, Program, program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.decode import Alphabet, Base64Op, HexOp, XorOp
from vyre_dialect.ops.literals import LocateOp
from vyre_dialect.runtime.scanning.buffers import DECODED, ENCODED, POSITIONS, WHICH
from vyre_dialect.runtime.scanning.chain import BASE64_URL, HEX, Stage


def decoding(stage: Stage) -> Program:
    """
    Decodes `encoded` to `decoded`. It stands apart from what is looked for, so that it is compiled
    once for all literals.
    """
    with program("decode") as built:
        source = built.buffer(ENCODED, i8, access=Access.READ_ONLY)
        if stage.encoding is not None:
            destination = _destination(built, source, is_last=not stage.keys, is_sized=False)
            _decode_text(built, stage, source, destination)
            source = destination
        for number, key in enumerate(stage.keys, 1):
            is_last = number == len(stage.keys)
            destination = _destination(built, source, is_last=is_last, is_sized=True)
            XorOp(source, destination, key)
            source = destination
    return built


def _destination(built: Program, source: Buffer, *, is_last: bool, is_sized: bool) -> Buffer:
    name = DECODED if is_last else f"stage_{sum(1 for _ in built.op.buffers())}"
    count = source.length if is_sized else None
    return built.buffer(name, i8, count, live_out=is_last, initial=Initial.UNDEFINED)


def _decode_text(built: Program, stage: Stage, source: Buffer, destination: Buffer) -> None:
    errors = built.buffer("errors", i32, 1, fill=-1)
    if stage.encoding == HEX:
        HexOp(source, destination, errors)
        return
    alphabet = Alphabet.URL if stage.encoding == BASE64_URL else Alphabet.STANDARD
    # There is no padding left: files are filled up with digits for no bits.
    Base64Op(source, destination, errors, alphabet=alphabet, unpadded=True)


def locating(literals: Sequence[bytes]) -> Program:
    """Locates literals in `decoded`."""
    with program("locate") as built:
        text = built.buffer(DECODED, i8, access=Access.READ_ONLY)
        positions = built.buffer(POSITIONS, i32, live_out=True)
        which = built.buffer(WHICH, i32, live_out=True)
        # To look for single bytes first saves nothing, and takes Intel's compiler 40 s, not 2.
        prefilter = "none" if min(map(len, literals)) == 1 else None
        LocateOp(literals, text, positions, which, prefilter=prefilter)
    return built
