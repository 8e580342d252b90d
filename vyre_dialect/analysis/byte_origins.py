"""
Where each byte of a word comes from, through what only moves bytes or clears them.

Forwards, in one walk; `SelectionDAG::CalculateByteProvider` of LLVM asks the same backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IntegerType, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.meaning import Facet
from vyre_dialect.ir.types import lane_count, scalar_type
from vyre_dialect.ops.words import BYTE_BITS, WORD_BYTES, PermuteBytesOp

MAX_SHUFFLES = 8
"""That a lane is followed through, so that long chains take linear time."""


class Word(NamedTuple):
    """A value, one lane of it, or a vector of some of its lanes."""

    value: SSAValue
    lanes: int | tuple[int, ...] | None = None

    def lane(self, position: int) -> Word:
        """One lane of the vector that this is."""
        return Word(self.value, self._lane_of_value(position))

    def shuffled(self, mask: Sequence[int]) -> Word:
        """Some lanes of the vector that this is."""
        return Word(self.value, tuple(map(self._lane_of_value, mask)))

    def _lane_of_value(self, position: int) -> int:
        if self.lanes is None:
            return position
        assert isinstance(self.lanes, tuple)
        return self.lanes[position]


class Byte(NamedTuple):
    """Byte `place` of a word, the lowest being byte 0; of vectors, of the words of all lanes."""

    word: Word
    place: int


Bytes: TypeAlias = tuple[Byte | None, ...]
"""The four bytes of a word; None for one that is zero."""


def bytes_of(word: Word) -> Bytes:
    """The bytes of a word as they are."""
    return tuple(Byte(word, place) for place in range(WORD_BYTES))


@dataclass
class ByteOrigins:
    """What is known of the bytes of values; `learn` has to meet ops before those that use them."""

    _known: dict[SSAValue, Bytes] = field(default_factory=dict[SSAValue, Bytes])

    def of(self, value: SSAValue) -> Bytes:
        """Where the bytes of a word come from: the value itself, if nothing else is known."""
        return self._known.get(value) or bytes_of(Word(value))

    def learn(self, op: Operation) -> None:
        """Follow the bytes through one op."""
        transfer = BYTES.of(type(op))
        if transfer is not None and _is_word(op.results[0].type):
            self._known[op.results[0]] = _settled(transfer(op, self), op.results[0])


BYTES = Facet[Callable[[Any, ByteOrigins], Bytes]]("bytes")
"""Where the bytes of results come from; those of an op that does not say it are its own."""


def _is_word(type: Attribute) -> bool:
    """Whether a value is a word, or a vector of words."""
    if isinstance(type, VectorType):
        return type.element_type == i32 and len(type.shape) == 1
    return type == i32


def _settled(data: Bytes, value: SSAValue) -> Bytes:
    """Of a word that computes one of its bytes, no byte comes from elsewhere: it is one source."""
    own = bytes_of(Word(value))
    if not any(byte in own for byte in data):
        return data
    return tuple(byte and own[place] for place, byte in enumerate(data))


def _number_of(value: SSAValue) -> int | None:
    """The number that a constant is in each of its lanes, as unsigned; None for other values."""
    number = integer_in_lanes(value)
    return None if number is None else number % (1 << WORD_BYTES * BYTE_BITS)


def constant(op: arith.ConstantOp, _: ByteOrigins) -> Bytes:
    """Bytes that are zero, and others of its own."""
    own, number = bytes_of(Word(op.result)), _number_of(op.result)
    if number is None:
        return own
    return tuple(
        own[place] if number >> BYTE_BITS * place & 0xFF else None for place in range(len(own))
    )


def masked(op: arith.AndIOp, origins: ByteOrigins) -> Bytes:
    """The bytes that a constant mask keeps."""
    own, mask = bytes_of(Word(op.result)), _number_of(op.rhs)
    if mask is None:
        return own
    kept = origins.of(op.lhs)

    def byte(place: int) -> Byte | None:
        bits = mask >> BYTE_BITS * place & 0xFF
        if not bits or kept[place] is None:
            return None
        return kept[place] if bits == 0xFF else own[place]

    return tuple(map(byte, range(WORD_BYTES)))


def joined(op: arith.OrIOp | arith.XOrIOp | arith.AddiOp, origins: ByteOrigins) -> Bytes:
    """Bytes of either operand where the other one has zeros."""
    own = bytes_of(Word(op.result))
    pairs = list(zip(origins.of(op.lhs), origins.of(op.rhs), strict=True))

    def byte(place: int) -> Byte | None:
        left, right = pairs[place]
        if left is None or right is None:
            return left or right
        if left != right or isinstance(op, arith.AddiOp):
            return own[place]
        return left if isinstance(op, arith.OrIOp) else None

    data = tuple(map(byte, range(WORD_BYTES)))
    carries = isinstance(op, arith.AddiOp) and any(each in own for each in data)
    return own if carries else data


def shifted(op: arith.ShLIOp | arith.ShRUIOp, origins: ByteOrigins) -> Bytes:
    """The bytes, moved by whole ones."""
    own, amount = bytes_of(Word(op.result)), _number_of(op.rhs)
    if amount is None or amount >= WORD_BYTES * BYTE_BITS:
        return own
    nothing: Bytes = (None,) * (WORD_BYTES + 1)
    around = nothing + origins.of(op.lhs) + nothing
    whole, rest = divmod(amount, BYTE_BITS)
    step = 1 if isinstance(op, arith.ShRUIOp) else -1

    def byte(place: int) -> Byte | None:
        first = len(nothing) + place + step * whole
        if not rest:
            return around[first]
        return own[place] if around[first] or around[first + step] else None

    return tuple(map(byte, range(WORD_BYTES)))


def extended(op: arith.ExtUIOp, _: ByteOrigins) -> Bytes:
    """The bytes of a narrower number, and zeros."""
    type, own = scalar_type(op.input.type), bytes_of(Word(op.result))
    assert isinstance(type, IntegerType)
    filled = -(-type.width.data // BYTE_BITS)
    return own[:filled] + (None,) * (WORD_BYTES - filled)


def lane(op: vector.ExtractOp, origins: ByteOrigins) -> Bytes:
    """The bytes of one lane."""
    position = op.get_mixed_position()
    if not _is_word(op.vector.type) or isinstance(position[0], SSAValue):
        return bytes_of(Word(op.result))
    source, number = _unshuffled(op.vector, position[0])
    return _of_lanes(origins.of(source), lambda word: word.lane(number))


def _of_lanes(data: Bytes, chosen: Callable[[Word], Word]) -> Bytes:
    """The bytes of lanes that are chosen of a vector."""
    return tuple(byte and Byte(chosen(byte.word), byte.place) for byte in data)


def _unshuffled(source: SSAValue, lane: int) -> tuple[SSAValue, int]:
    """The vector that some shuffles have taken a lane from, and which lane of that it is."""
    for _ in range(MAX_SHUFFLES):
        if not isinstance(op := source.owner, vector.ShuffleOp):
            break
        lane = max(op.mask.get_values()[lane], 0)
        of_first = lane_count(op.v1.type)
        source, lane = (op.v1, lane) if lane < of_first else (op.v2, lane - of_first)
    return source, lane


def shuffled(op: vector.ShuffleOp, origins: ByteOrigins) -> Bytes:
    """The bytes of lanes, as the lanes are chosen."""
    mask, of_first = [max(lane, 0) for lane in op.mask.get_values()], lane_count(op.v1.type)
    if all(lane < of_first for lane in mask):
        source = op.v1
    elif all(lane >= of_first for lane in mask):
        source, mask = op.v2, [lane - of_first for lane in mask]
    else:
        return bytes_of(Word(op.result))
    return _of_lanes(origins.of(source), lambda word: word.shuffled(mask))


def permuted(op: PermuteBytesOp, origins: ByteOrigins) -> Bytes:
    """Bytes of both operands, as they are chosen."""
    both = origins.of(op.first) + origins.of(op.second)
    return tuple(both[position] for position in op.positions.get_values())
