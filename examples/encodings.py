"""What decoders decode: the inverse of each decoder, by other means than vyre's."""

from __future__ import annotations

import base64
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i8

from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.decode import Alphabet, Base64Op, DeltaOp, HexOp, XorOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.packed import BitUnpackOp

Array: TypeAlias = NDArray[Any]


def encode(decoder: DecodeOp, decoded: Array) -> Array:
    """
    What `decoder` decodes to `decoded`, in the elements of its source. Whole values only: what
    is encoded unpadded, or packed, may be followed by bits that decode to nothing.

    Raises NotImplementedError for a decoder of another library.
    """
    match decoder:
        case Base64Op():
            url, unpadded = decoder.alphabet.data == Alphabet.URL, decoder.unpadded is not None
            return base64_encoded(decoded, url=url, unpadded=unpadded)
        case HexOp():
            return hex_encoded(decoded)
        case XorOp():
            return xor_encoded(decoded, decoder.key_bytes)
        case DeltaOp():
            words = delta_encoded(decoded, decoder.block.value.data)
            return words.view(np.uint8) if _takes_bytes(decoder) else words
        case BitUnpackOp():
            return bits_packed(decoder, decoded)
        case _:
            raise NotImplementedError(
                f"expected a decoder that is known here, got '{decoder.name}'"
            )


def _takes_bytes(decoder: DecodeOp) -> bool:
    type = decoder.encoded.type
    return isinstance(type, BufferType) and type.element_type == i8


def as_bytes(data: bytes) -> Array:
    """Bytes as an array, without a copy."""
    return np.frombuffer(data, np.uint8)


def base64_encoded(data: Array, *, url: bool = False, unpadded: bool = False) -> Array:
    """Base64 of bytes, in one of the two alphabets of RFC 4648, with its padding or without."""
    text = base64.b64encode(data.tobytes(), b"-_" if url else None)
    return as_bytes(text.rstrip(b"=") if unpadded else text)


def hex_encoded(data: Array) -> Array:
    """Bytes as pairs of hexadecimal digits."""
    return as_bytes(data.tobytes().hex().encode())


def xor_encoded(data: Array, key: bytes) -> Array:
    """Bytes under a key that repeats."""
    return data ^ np.resize(as_bytes(key), data.shape)


def zigzag(numbers: Array) -> Array:
    """Signed 32-bit numbers 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4."""
    return (numbers << 1) ^ (numbers >> 31)


def delta_encoded(values: Array, block: int) -> Array:
    """The first 32-bit value of each block, and zigzag-coded differences."""
    encoded = zigzag(np.diff(values, prepend=np.int32(0)))
    encoded[::block] = values[::block]
    return encoded


def bits_packed(decoder: BitUnpackOp, values: Array) -> Array:
    """What `decoder` unpacks to these numbers, of which none needs more bits than it takes."""
    bits, width = decoder.bits.value.data, decoder.width
    base = 0 if decoder.base is None else decoder.base.value.data
    numbers = values.astype(f"i{width // 8}") - np.array(base).astype(f"i{width // 8}")
    if decoder.zigzag is not None:
        numbers = numbers << 1 ^ numbers >> width - 1
    return interleaved(numbers, bits, width) if decoder.is_interleaved else packed(numbers, bits)


def packed(values: Array, bits: int) -> Array:
    """Unsigned numbers of so many bits, one after the other from the low bit of a byte up."""
    return np.packbits(_each_bit(values, bits), bitorder="little")


def interleaved(values: Array, bits: int, width: int) -> Array:
    """Unsigned numbers of so many bits in lanes of words of `width` bits: blocks of 1024."""
    blocks = -(-len(values) // 1024)
    whole = np.zeros(blocks * 1024, values.dtype)
    whole[: len(values)] = values
    lanes = 1024 // width
    of_rows = _each_bit(whole, bits).reshape(blocks, width, lanes, bits)
    of_lanes = of_rows.transpose(0, 2, 1, 3).reshape(blocks, lanes, bits, width)
    return np.packbits(of_lanes.transpose(0, 2, 1, 3).ravel(), bitorder="little")


def _each_bit(values: Array, bits: int) -> Array:
    """The lowest bits of each number, in a row."""
    shifts = np.arange(bits, dtype=np.uint64)
    return (values.astype(np.uint64)[:, np.newaxis] >> shifts & np.uint64(1)).astype(np.uint8)
