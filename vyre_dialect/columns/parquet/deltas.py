"""
Where the miniblocks of DELTA_BINARY_PACKED stand. See `Encodings.md` of apache/parquet-format.

The differences of a page are runs of packed integers: its first value, one of 0 bits with a base,
and miniblocks, each of its own width, with the least difference of their block as the base.
"""

from __future__ import annotations

import numpy as np

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.runs import Bytes, Runs
from vyre_dialect.columns.parquet.thrift import CompactReader

_BLOCK, _MINIBLOCK = 128, 32
"""What numbers of values are multiples of."""
_LARGEST_BLOCK, _MOST_MINIBLOCKS = 1 << 31, 1 << 16


def delta_runs(data: Bytes, width: int, count: int) -> Runs:
    """
    The first value and the differences of a page of `count` values of `width` bits.
    Raises ParquetError where the page does not have them.
    """
    reader = CompactReader(data, "a page of differences")
    miniblocks, per_miniblock = _shape(reader, count)
    first = reader.zigzag()
    if not count:
        return Runs.of([])
    # Of each block: the least difference, and where the widths of its parts stand.
    leasts, places = list[int](), list[int]()
    for _ in range(0, count - 1, miniblocks * per_miniblock):
        leasts.append(reader.zigzag())
        places.append(reader.position)
        widths = reader.take(miniblocks)
        reader.position += per_miniblock * sum(widths) >> 3
    parts = np.array(places, np.int64)[:, None] + np.arange(miniblocks)
    bits = np.frombuffer(data, np.uint8)[parts].astype(np.int64)
    sizes = per_miniblock * bits
    starts = 8 * (parts[:, :1] + miniblocks) + np.cumsum(sizes, axis=1) - sizes
    lengths = np.clip(count - 1 - per_miniblock * np.arange(bits.size), 0, per_miniblock)
    bases = np.repeat(np.array(leasts, np.int64), miniblocks)
    # What is behind the last value has no bytes, whatever its width says.
    runs = Runs(lengths, starts.ravel(), bits.ravel(), bases).where(lengths > 0)
    return Runs.joined([Runs.of([1, 0, 0, first]), _checked(runs, data, width)])


def _shape(reader: CompactReader, count: int) -> tuple[int, int]:
    """How many parts a block has, and how many values each of them."""
    block, miniblocks, total = reader.varint(), reader.varint(), reader.varint()
    if total != count:
        raise ParquetError(f"expected {count} values in a page of differences, got {total}")
    if not 0 < miniblocks <= _MOST_MINIBLOCKS:
        raise ParquetError(f"expected blocks of up to {_MOST_MINIBLOCKS} parts, got {miniblocks}")
    if not 0 < block <= _LARGEST_BLOCK or block % _BLOCK or block % miniblocks:
        raise ParquetError(f"expected blocks of {_BLOCK} values, got {block} in {miniblocks} parts")
    per_miniblock = block // miniblocks
    if per_miniblock % _MINIBLOCK:
        raise ParquetError(f"expected parts of {_MINIBLOCK} values, got {per_miniblock}")
    return miniblocks, per_miniblock


def _checked(runs: Runs, data: Bytes, width: int) -> Runs:
    """Runs, once they are in the page. Raises ParquetError for others."""
    ends = runs.starts + runs.lengths * runs.bits
    is_bad = (runs.bits > width) | (ends > 8 * len(data))
    if is_bad.any():
        bits = int(runs.bits[is_bad.argmax()])
        raise ParquetError(f"expected differences of {width} bits in a page, got {bits}")
    return runs
