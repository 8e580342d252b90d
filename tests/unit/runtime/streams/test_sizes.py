"""Sizes as people write them."""

from __future__ import annotations

import pytest

from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.streams.limits import parse_memory


@pytest.mark.parametrize(
    ("text", "size"),
    [("512MiB", 512 << 20), ("4GB", 4 * 10**9), ("1 gib", 1 << 30), ("65536", 65536), ("7B", 7)],
)
def test_a_size_has_a_unit_or_is_in_bytes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1MiB", "1.5GB", "3Q", "MiB", "1" * 40])
def test_what_is_no_size_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="expected a size as 512MiB or 4GB"):
        parse_memory(text)
