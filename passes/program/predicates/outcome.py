"""What became of the tests of a scan, and why some stayed as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ops.library import LibraryOp


class Rule(StrEnum):
    """How a test moved; stable names that tests and tools match on."""

    FRAME_OF_REFERENCE = "frame-of-reference"
    """What is added to a packed integer is taken from the limits of the test."""
    ZIGZAG = "zigzag"
    """A test of signed integers is one of the unsigned ones that stand for them."""
    CODES = "dictionary-codes"
    """A test of values is a range or a mask of their codes, as the dictionary is constant."""
    ENTRIES = "dictionary-entries"
    """Each entry of a dictionary is tested once, and rows look up whether theirs passed."""
    BLOCKS = "block-bounds"
    """Blocks whose bounds rule a match out are not read."""


class Reason(StrEnum):
    """Why a test stays; stable names that tests and tools match on."""

    NOT_ENCODED = "not-encoded"
    """Nothing decodes the column."""
    NO_RULE = "no-rule"
    """No rule takes tests through the decoder."""
    SEVERAL_COLUMNS = "several-columns"
    """The test depends on more than one column."""
    SHARED = "shared"
    """Something else uses the decoded column, too, so that it has to be there."""
    UNKNOWN_LENGTH = "unknown-length"
    """The column may go on behind what is decoded."""
    NO_SET = "no-set"
    """What passes is not a set of integers that is known."""
    SCATTERED = "scattered"
    """What passes is not close together before it is decoded."""
    VALUE_NEEDED = "value-needed"
    """Rows that count need the decoded value, too, so that it is looked up in any case."""
    NOT_CHEAPER = "not-cheaper"
    """What would be looked up takes no less than the value itself."""
    NOT_READY = "not-ready"
    """What the test needs is computed after the column is decoded."""
    NOT_REQUIRED = "not-required"
    """Rows may count without it, so that no block is ruled out."""
    UNSELECTIVE = "unselective"
    """Hardly a block has nothing but values that fail."""
    SHORT_BLOCKS = "short-blocks"
    """Blocks hold so few values that looking at each costs more than it spares."""


class Moved(NamedTuple):
    """How the tests of a column moved."""

    rule: Rule
    detail: str


class Kept(NamedTuple):
    """Why the tests of a column stay as they are."""

    reason: Reason
    detail: str


@dataclass(frozen=True)
class Outcome:
    """What became of the tests of one column."""

    scan: LibraryOp
    """The query, or the filter, that asks them."""
    column: str
    """The name of the decoded buffer."""
    found: Rule | Reason
    detail: str

    @property
    def has_moved(self) -> bool:
        """Whether the tests are asked of what is encoded now."""
        return isinstance(self.found, Rule)

    @property
    def attribute(self) -> DictionaryAttr:
        """The reason, as an attribute."""
        return DictionaryAttr({"reason": StringAttr(self.found), "detail": StringAttr(self.detail)})
