"""Sizes as people write them."""

from __future__ import annotations

import pytest

from examples.data import EXAMPLES
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.streams.limits import parse_memory
from vyre_dialect.runtime.streams.piece_executors import arms_of
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.streams.sizes import own_units


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


@pytest.mark.one_in(4)
@pytest.mark.parametrize("memory", [16 << 20, 64 << 20, 300 << 20, 4 << 30])
def test_those_who_share_memory_take_no_more_than_one(memory: int) -> None:
    """Also of less than what the process itself takes."""
    context = make_context()
    module = load_module(EXAMPLES / "hex_histogram.mlir", context)
    pieces = Pieces(arms_of(module, Passes(), context, None), context, "encoded")
    alone, shared = (own_units(pieces, 1, memory, memory, shares=each) for each in (1, 4))
    assert 4 * shared <= alone <= 4 * (shared + 4)
