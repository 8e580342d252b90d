"""Decodes files together and locates literals in them; no match spans two files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from vyre_dialect.runtime.errors import OutOfMemoryError, first_line
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.scanning.arrays import Bytes, Offsets, Places
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.device_programs import Runs, Text
from vyre_dialect.runtime.scanning.digits import Digits, digits_of, verify_digits
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.packing import Packed, Packer

NO_STAGE = Stage(None)
"""Of files that are scanned as they are."""


@dataclass(frozen=True)
class Matches:
    """What was found in a file, in the order in which it begins."""

    text: bytes
    """What was decoded; nothing where nothing was found."""
    decoded: Offsets
    """Where each occurrence begins in it."""
    encoded: Offsets
    """Where the first digit of each stands in the file."""
    which: Offsets
    """The number of the literal."""


Found: TypeAlias = Matches | FileError

_NOTHING = np.zeros(0, np.int64)
NO_MATCHES = Matches(b"", _NOTHING, _NOTHING, _NOTHING)


@dataclass(frozen=True)
class _Piece:
    """A file on its way through the stages."""

    number: int
    data: Bytes
    places: Places


def _as_it_is(offsets: Offsets) -> Offsets:
    """The places of bytes that are not decoded yet."""
    return offsets


class _Decoded(NamedTuple):
    """What a stage gives."""

    text: Text
    packed: Packed
    pieces: Sequence[_Piece]


class Scanner:
    """Scans files by programs of one device, whose memory they share one after the other."""

    def __init__(self, chain: Sequence[Stage], runs: Runs):
        self.runs = runs
        self._chain = chain
        self._packers = [Packer() for _ in chain or [NO_STAGE]]
        self._lengths = np.array([len(each) for each in runs.literals], np.int64)

    def scan(self, files: Sequence[Bytes]) -> list[Found]:
        """
        What is in each of `files`, whose bytes may change afterwards. Those that do not fit the
        memory together, or with all that is found in them, are scanned one by one.

        Raises a DeviceError where the device fails.
        """
        try:
            return self._scan_together(files)
        except (OutOfMemoryError, MemoryError) as error:
            if len(files) == 1:
                return [FileError(f"does not fit the memory: {first_line(error)}")]
        return [found for file in files for found in self.scan([file])]

    def _scan_together(self, files: Sequence[Bytes]) -> list[Found]:
        found: list[Found] = [NO_MATCHES] * len(files)
        if not files:
            return found
        pieces = [_Piece(number, data, _as_it_is) for number, data in enumerate(files)]
        if not self._chain:
            packed = self._packers[0].pack(NO_STAGE, files)
            self._locate(_Decoded(packed.buffer, packed, pieces), found)
            return found
        for stage, packer in zip(self._chain, self._packers, strict=True):
            decoded = self._decode(stage, packer, pieces, found)
            if decoded is None:
                return found
            if packer is self._packers[-1]:
                self._locate(decoded, found)
            else:
                pieces = _cut(self.runs.fetch(decoded.text), decoded)
        return found

    def _decode(
        self, stage: Stage, packer: Packer, pieces: Sequence[_Piece], found: list[Found]
    ) -> _Decoded | None:
        """What the pieces are decoded to, side by side, but for those that cannot be."""
        for thorough in (False, True):
            ready = list(_ready(stage, pieces, found, thorough=thorough))
            if not ready:
                return None
            packed = packer.pack(stage, [digits.digits for _, digits in ready])
            try:
                text = self.runs.decode(stage, packed.buffer)
            except TrapError:
                if thorough:
                    raise
                continue  # some digit is none: those of each file are looked at
            return _Decoded(text, packed, [_behind(stage, *each) for each in ready])
        raise AssertionError("the second run ends the loop")

    def _locate(self, decoded: _Decoded, found: list[Found]) -> None:
        """Note what is found in each piece."""
        starts, which = self.runs.locate(decoded.text)
        if not starts.size:
            return
        packed, pieces = decoded.packed, decoded.pieces
        number = np.searchsorted(packed.begins, starts, side="right") - 1
        inside = starts + self._lengths[which] <= packed.ends[number]
        starts, which, number = starts[inside], which[inside], number[inside]
        order = np.lexsort((which, starts))
        starts, which, number = starts[order], which[order], number[order]
        bounds = np.searchsorted(number, np.arange(len(pieces) + 1))
        text = self.runs.fetch(decoded.text)
        present: list[int] = np.unique(number).tolist()
        for place in present:
            part, piece = slice(bounds[place], bounds[place + 1]), pieces[place]
            begin, end = packed.begins[place], packed.ends[place]
            offsets = starts[part] - begin
            data = text[begin:end].tobytes()
            found[piece.number] = Matches(data, offsets, piece.places(offsets), which[part])


def _ready(
    stage: Stage, pieces: Sequence[_Piece], found: list[Found], *, thorough: bool
) -> Iterator[tuple[_Piece, Digits]]:
    """The pieces that a stage can decode, with their digits; of others, the error is noted."""
    for piece in pieces:
        try:
            digits = digits_of(piece.data, stage, thorough=thorough)
            if thorough and stage.encoding is not None:
                verify_digits(digits, stage.encoding)
        except FileError as error:
            found[piece.number] = _in_file(error, piece)
        else:
            yield piece, digits


def _in_file(error: FileError, piece: _Piece) -> FileError:
    """An error of a stage, with the offset in the file that the place of it comes from."""
    assert error.offset is not None
    return FileError(error.message, int(piece.places(np.array([error.offset]))[0]))


def _behind(stage: Stage, piece: _Piece, digits: Digits) -> _Piece:
    """A piece behind a stage, whose bytes know where they come from."""

    def places(offsets: Offsets) -> Offsets:
        return piece.places(digits.places(stage.first_digits(offsets)))

    return _Piece(piece.number, digits.digits, places)


def _cut(text: Bytes, decoded: _Decoded) -> list[_Piece]:
    bounds = zip(decoded.packed.begins, decoded.packed.ends, strict=True)
    return [
        _Piece(piece.number, text[begin:end], piece.places)
        for piece, (begin, end) in zip(decoded.pieces, bounds, strict=True)
    ]
