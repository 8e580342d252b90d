"""How large pieces are: what a limit on memory leaves for them, and no more than helps."""

from __future__ import annotations

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.streams.pieces import Pieces

SLOTS = 3
"""Pieces in memory at once: one that is read, one that waits, one that is worked on."""
PIECE_BYTES = 32 << 20
"""Of a device of the host: larger pieces gain nothing, as kernels take longer than all else."""
SENT_BYTES = 256 << 20
"""Of another device, that is sent as many in 5 ms; less where that is more than its share."""
SENT_SHARE = 16
"""Of the memory of another device, a piece takes one part of so many at most."""
PROCESS_BYTES = 256 << 20
"""Of the limit, what the interpreter of Python, drivers and compilers take themselves."""
_LEAST_SHARE = 4
"""Of a limit, pieces have a part of this size at least, whatever the process takes."""


def own_units(
    pieces: Pieces,
    element_bytes: int,
    memory: int,
    most_bytes: int,
    slots: int = SLOTS,
    shares: int = 1,
) -> int:
    """
    The units that a piece has for its own, of `most_bytes`, so that all its buffers fit `memory`
    with `slots` pieces of the input, in each of as many `shares` of it as there are at once.

    Raises a VyreError where not even the smallest piece fits `memory`.
    """
    cutting = pieces.cutting
    unit = cutting.unit * element_bytes
    room = max(memory - PROCESS_BYTES, memory // _LEAST_SHARE) // shares
    units = room // (slots * unit + pieces.bytes_per_unit)
    halo = cutting.before + max(cutting.after, cutting.least - cutting.before, 1)
    if units < halo + cutting.least_own:
        least = (halo + cutting.least_own) * (slots * unit + pieces.bytes_per_unit)
        needed = least * shares * _LEAST_SHARE
        raise VyreError(
            f"'{pieces.name}' expected memory of {needed} bytes for its smallest "
            f"pieces, got {memory}: allow more with --memory"
        )
    return max(cutting.least_own, min(units - halo, -(-most_bytes // unit)))
