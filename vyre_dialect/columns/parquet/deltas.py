"""
Where the miniblocks of DELTA_BINARY_PACKED stand. See `Encodings.md` of apache/parquet-format.

The differences of a page are runs of packed integers: its first value, one of 0 bits with a base,
and miniblocks, each of its own width, with the least difference of their block as the base.
"""

from __future__ import annotations

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.runs import Bytes, Runs
from vyre_dialect.columns.parquet.thrift import CompactReader

_BLOCK, _MINIBLOCK = 128, 32
"""What numbers of values are multiples of."""
_MOST_MINIBLOCKS = 1 << 16


def delta_runs(data: Bytes, width: int, count: int) -> Runs:
    """
    The first value and the differences of a page of `count` values of `width` bits.
    Raises ParquetError where the page does not have them.
    """
    reader = CompactReader(data, "a page of differences")
    block, miniblocks, total = reader.varint(), reader.varint(), reader.varint()
    if total != count:
        raise ParquetError(f"expected {count} values in a page of differences, got {total}")
    if not 0 < miniblocks <= _MOST_MINIBLOCKS or block % _BLOCK or block % miniblocks:
        raise ParquetError(f"expected blocks of {_BLOCK} values, got {block} in {miniblocks} parts")
    per_miniblock = block // miniblocks
    if not per_miniblock or per_miniblock % _MINIBLOCK:
        raise ParquetError(f"expected parts of {_MINIBLOCK} values, got {per_miniblock}")
    first = reader.zigzag()
    if not count:
        return Runs.of([])
    numbers, left = [1, 0, 0, first], count - 1
    while left:
        taken = _block(reader, (miniblocks, per_miniblock, width), left, numbers)
        left -= taken
    return Runs.of(numbers)


def _block(
    reader: CompactReader, shape: tuple[int, int, int], left: int, numbers: list[int]
) -> int:
    """Add the runs of the next block of at most `left` values; gives how many it has."""
    miniblocks, per_miniblock, width = shape
    least, widths = reader.zigzag(), reader.take(miniblocks)
    place, before = reader.position, left
    for bits in widths:
        if not left:
            break  # what is left over has no bytes, whatever its width says
        taken = min(per_miniblock, left)
        if bits > width or place + (taken * bits + 7 >> 3) > len(reader.data):
            raise ParquetError(f"expected differences of {width} bits in a page, got {bits}")
        numbers += taken, 8 * place, bits, least
        place += per_miniblock * bits >> 3
        left -= taken
    reader.position = place
    return before - left
