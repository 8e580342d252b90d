"""Programs over columns of tables: packed, in dictionaries, filtered and summed up."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    counts,
    one,
    packed_size,
    random_bytes,
    resized,
    unpacked,
)
from examples.encodings import Array

Q6_BITS = {"ship_packed": 12, "disc_packed": 4, "qty_packed": 6, "price_packed": 24}


def _q6_columns(random: Random, rows: int) -> Inputs:
    sizes = {name: packed_size(rows, bits) for name, bits in Q6_BITS.items()}
    return {name: random_bytes(random, size) for name, size in sizes.items()}


def q6(**packed: Array) -> Answers:
    """The discounts on what was shipped in a year, at 5 to 7 %, in small quantities."""
    columns = [unpacked(packed[name], bits) for name, bits in Q6_BITS.items()]
    ship, discount, quantity, price = (resized(each, len(columns[0])) for each in columns)
    chosen = (ship >= 800) & (ship < 1393) & (discount >= 5) & (discount < 8) & (quantity < 24)
    return {"sum": one((price * discount)[chosen].sum(), np.int64)}


def _ten_bits(random: Random, rows: int) -> Inputs:
    return {"packed": random_bytes(random, packed_size(rows, 10))}


def packed_histogram(packed: Array) -> Answers:
    """How often each value of ten bits occurs."""
    return {"bins": counts(unpacked(packed, 10), 1024)}


PROGRAMS = (
    GateProgram(q6, _q6_columns, bits=sum(Q6_BITS.values())),
    GateProgram(packed_histogram, _ten_bits, bits=10),
)
