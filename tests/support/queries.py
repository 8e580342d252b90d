"""NumPy's answers to queries, and what vyre answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vyre_dialect.ops.queries import AggregateKind

Array = npt.NDArray[np.generic]
BLOCK, LANES = 64, 256


def float_aggregate(kind: str, values: Array, neutral: float) -> np.generic:
    """
    What floats combine to in the order that docs/library.md names; `values` has one for each row,
    the neutral one for those that do not count.
    """
    combine = {
        AggregateKind.SUM: np.add,
        AggregateKind.MINIMUMF: np.minimum,
        AggregateKind.MAXIMUMF: np.maximum,
    }[AggregateKind(kind)]
    identity = values.dtype.type(neutral)

    def in_columns(parts: Array, height: int, width: int) -> Array:
        """Rows of parts, each combined from its first element on."""
        padded = np.full(height * width, identity, parts.dtype)
        padded[: len(parts)] = parts
        combined = np.full(height, identity, parts.dtype)
        for column in padded.reshape(height, width).T:
            combined = combine(combined, column)
        return combined

    for _ in range(2):
        values = in_columns(values, -(-len(values) // BLOCK), BLOCK)
    rounds = -(-len(values) // LANES)
    turned = np.full(rounds * LANES, identity, values.dtype)
    turned[: len(values)] = values
    lanes = np.full(LANES, identity, values.dtype)
    for row in turned.reshape(rounds, LANES):
        lanes = combine(lanes, row)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = combine(lanes[:half], lanes[half:])
    return combine(values.dtype.type(neutral), lanes[0])
