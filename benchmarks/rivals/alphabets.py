"""Tables from characters to what they stand for; characters that stand for nothing give 0."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np

from examples.encodings import Array

BASE64 = f"{ascii_uppercase}{ascii_lowercase}{digits}+/"
HEX = f"{digits}abcdef"


def values_of(alphabet: str) -> Array:
    """The value of each of the 256 characters."""
    values = np.zeros(256, np.uint8)
    values[[ord(character) for character in alphabet]] = range(len(alphabet))
    return values


def pair_values(alphabet: str, bits: int) -> Array:
    """
    The value of each pair of characters, read as one little-endian 16-bit number, where a
    character stands for so many bits, the first for the higher ones.
    """
    values = values_of(alphabet).astype(np.uint16)
    return ((values[np.newaxis, :] << bits) | values[:, np.newaxis]).ravel()
