"""
What `--decode` says: the encodings of files, the outermost first. A chain is cut into stages, each
of which one program decodes: a decoder of text, whose line breaks and padding the host takes away
before, and the keys of the exclusive ors behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm

from vyre_dialect.runtime.errors import UsageError, did_you_mean
from vyre_dialect.runtime.scanning.arrays import Offsets

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True)
class TextEncoding:
    """Bytes as text: groups of `group` digits stand for `group_bytes` bytes."""

    name: str
    digits: bytes
    group: int
    group_bytes: int
    is_padded: bool = False
    """Whether a last group that is not whole may be filled up with `=`."""
    is_open: bool = False
    """Whether it may also be left as it is."""

    @property
    def zero(self) -> int:
        """The digit for no bits, which fills up groups."""
        return self.digits[0]


BASE64 = TextEncoding("base64", _LETTERS + b"+/", 4, 3, is_padded=True)
BASE64_URL = TextEncoding("base64url", _LETTERS + b"-_", 4, 3, is_padded=True, is_open=True)
HEX = TextEncoding("hex", b"0123456789abcdefABCDEF", 2, 1)
TEXT_ENCODINGS = {each.name: each for each in (BASE64, BASE64_URL, HEX)}
KEYED = {"xor": "KEY", "xor-hex": "DIGITS"}
"""What takes a key, as text or in pairs of hexadecimal digits."""


@dataclass(frozen=True)
class Stage:
    """What one program decodes."""

    encoding: TextEncoding | None
    """The text, or None for bytes as they are."""
    keys: tuple[bytes, ...] = ()
    """Of exclusive ors, in the order in which they are undone."""

    @cached_property
    def granule(self) -> int:
        """
        Files that are decoded together begin at multiples of so many digits: with a whole group,
        and with the first byte of each key.
        """
        period = lcm(*map(len, self.keys))
        if self.encoding is None:
            return period
        return self.encoding.group * (lcm(period, self.encoding.group_bytes) // self._group_bytes)

    @property
    def zero(self) -> int:
        """What fills the space between files."""
        return 0 if self.encoding is None else self.encoding.zero

    @property
    def _group(self) -> int:
        return 1 if self.encoding is None else self.encoding.group

    @property
    def _group_bytes(self) -> int:
        return 1 if self.encoding is None else self.encoding.group_bytes

    def decoded_length(self, digits: int) -> int:
        """How many whole bytes so many digits stand for."""
        return digits * self._group_bytes // self._group

    def first_digits(self, places: Offsets) -> Offsets:
        """The numbers of the digits that have the first bit of decoded bytes."""
        return places * self._group // self._group_bytes


def parse_chain(text: str) -> tuple[Stage, ...]:
    """
    The stages of encodings separated by commas, as `base64,xor:KEY`; none of an empty text.

    Raises a UsageError for an unknown encoding, or for a key that is missing or makes no sense.
    """
    stages = list[Stage]()
    for encoding in text.split(",") if text else ():
        name, _, key = encoding.partition(":")
        if name in KEYED:
            last = stages.pop() if stages else Stage(None)
            stages.append(Stage(last.encoding, (*last.keys, _key(name, key))))
        else:
            stages.append(Stage(_text_encoding(encoding)))
    return tuple(stages)


def _text_encoding(name: str) -> TextEncoding:
    known = TEXT_ENCODINGS.get(name)
    if known is None:
        names = [*TEXT_ENCODINGS, *(f"{each}:{key}" for each, key in KEYED.items())]
        hint = did_you_mean(name, names, f"expected {', '.join(names)}")
        raise UsageError(f"argument --decode: unknown encoding '{name}': {hint}")
    return known


def _key(name: str, text: str) -> bytes:
    try:
        key = text.encode(errors="surrogateescape") if name == "xor" else bytes.fromhex(text)
    except ValueError as error:
        raise UsageError(f"argument --decode: {name}:{text}: expected pairs of digits") from error
    if not key:
        usage = f"{name}:{KEYED[name]}"
        raise UsageError(f"argument --decode: '{name}' expected a key, as '{usage}', got none")
    return key
