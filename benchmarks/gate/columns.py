"""Programs over columns of tables: packed, in dictionaries, filtered and summed up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    counts,
    from_lanes,
    one,
    packed_size,
    random_bytes,
    random_words,
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
    return _discounts([unpacked(packed[name], bits) for name, bits in Q6_BITS.items()])


def q6_interleaved(**packed: Array) -> Answers:
    """The same of columns that are packed in lanes; those of whole blocks alone."""
    return _discounts([from_lanes(packed[name], bits) for name, bits in Q6_BITS.items()])


def _q6_words(random: Random, rows: int) -> Inputs:
    return {
        name.removesuffix("_packed"): random.integers(0, 1 << bits, rows, np.int32)
        for name, bits in Q6_BITS.items()
    }


def q6_words(ship: Array, disc: Array, qty: Array, price: Array) -> Answers:
    """The same of columns that are not packed."""
    return _discounts([ship, disc, qty, price.astype(np.int64)])


def _discounts(columns: list[Array]) -> Answers:
    ship, discount, quantity, price = (resized(each, len(columns[0])) for each in columns)
    chosen = (ship >= 800) & (ship < 1393) & (discount >= 5) & (discount < 8) & (quantity < 24)
    return {"sum": one((price * discount)[chosen].sum(), np.int64)}


def q6_aggregate(**packed: Array) -> Answers:
    """The same of the rows that are in all columns."""
    return q6(**_rows_of_all(packed, Q6_BITS))


def _rows_of_all(packed: Inputs, bits: Mapping[str, int]) -> Inputs:
    """Columns of as many rows as the shortest has, of values of so many bits."""
    rows = min(8 * len(packed[name]) // width for name, width in bits.items())
    return {name: _first(packed[name], width, rows) for name, width in bits.items()}


def _first(packed: Array, bits: int, rows: int) -> Array:
    """The first numbers of so many bits, and nothing behind them."""
    return np.packbits(np.unpackbits(packed, bitorder="little")[: rows * bits], bitorder="little")


def _ten_bits(random: Random, rows: int) -> Inputs:
    return {"packed": random_bytes(random, packed_size(rows, 10))}


def packed_histogram(packed: Array) -> Answers:
    """How often each value of ten bits occurs."""
    return {"bins": counts(unpacked(packed, 10), 1024)}


Q1_BITS = {"groups_packed": 3, "ship_packed": 12, "quantity_packed": 6, "price_packed": 20}


def _q1_columns(random: Random, rows: int) -> Inputs:
    sizes = {name: packed_size(rows, bits) for name, bits in Q1_BITS.items()}
    return {name: random_bytes(random, size) for name, size in sizes.items()}


def q1(**packed: Array) -> Answers:
    """Rows, quantities and prices of each group, of what was shipped until a day."""
    columns = [unpacked(packed[name], bits) for name, bits in Q1_BITS.items()]
    group, ship, quantity, price = (resized(each, len(columns[-1])) for each in columns)
    is_shipped = ship <= 2500
    own = [is_shipped & (group == each) for each in range(8)]
    return {
        "rows": np.array([np.count_nonzero(rows) for rows in own], np.int32),
        "quantities": np.array([quantity[rows].sum() for rows in own]),
        "prices": np.array([(quantity * price)[rows].sum() for rows in own]),
    }


def q1_aggregate(**packed: Array) -> Answers:
    """The same of the rows that are in all columns."""
    return q1(**_rows_of_all(packed, Q1_BITS))


DEAR_BITS = {"quantity_packed": 6, "price_packed": 20}


def _dear_columns(random: Random, rows: int) -> Inputs:
    sizes = {name: packed_size(rows, bits) for name, bits in DEAR_BITS.items()}
    return {name: random_bytes(random, size) for name, size in sizes.items()}


def dear_rows(**packed: Array) -> Answers:
    """The rows in which fewer than four pieces are above a price, and their prices."""
    columns = [unpacked(packed[name], bits) for name, bits in DEAR_BITS.items()]
    rows = min(map(len, columns))
    quantity, price = (column[:rows] for column in columns)
    chosen = (quantity < 4) & (price > 900_000)
    return {
        "count": one(np.count_nonzero(chosen)),
        "bitmap": np.packbits(chosen, bitorder="little"),
        "positions": chosen.nonzero()[0].astype(np.int32),
        "prices": price[chosen].astype(np.int32),
    }


def _codes(random: Random, rows: int) -> Inputs:
    codes = random_bytes(random, packed_size(rows, 9))
    return {"codes_packed": codes, "dictionary": random.integers(-5000, 100_000, 500, np.int32)}


def dictionary_sum(codes_packed: Array, dictionary: Array) -> Answers:
    """The sum of the positive values that codes stand for; some codes stand for nothing."""
    values = resized(dictionary, 512)[unpacked(codes_packed, 9)]
    return {"sum": one(values[values > 0].sum(dtype=np.int64), np.int64)}


def _nullable(random: Random, rows: int) -> Inputs:
    values = random_bytes(random, packed_size(rows, 17))
    return {"validity": random_bytes(random, packed_size(rows, 1)), "packed": values}


def nullable_sum(validity: Array, packed: Array) -> Answers:
    """The number and the sum of the values whose bit is set."""
    values = unpacked(packed, 17)
    bits = resized(np.unpackbits(validity, bitorder="little"), len(values))
    valid = values[bits == 1]
    return {"count": one(len(valid)), "sum": one(valid.sum(), np.int64)}


def _frames(random: Random, rows: int) -> Inputs:
    return {
        "offsets": random_bytes(random, rows),
        "bases": random.integers(-10_000, 10_000, -(-rows // 64), np.int32),
        "range": np.array([-3000, 4000], np.int32),
    }


def frames_of_reference(offsets: Array, bases: Array, range: Array) -> Answers:  # noqa: A002
    """Whether each value, a byte above the base of its frame, is in a range."""
    values = resized(np.repeat(bases, 64), len(offsets)) + offsets
    return {"marks": ((values >= range[0]) & (values < range[1])).astype(np.uint8)}


def _lists(random: Random, rows: int) -> Inputs:
    lengths = random.integers(0, 24, rows // 12)
    begins = np.append(0, lengths.cumsum()).astype(np.int32)
    return {"packed": random_bytes(random, packed_size(rows, 18)), "begins": begins}


def list_sums(packed: Array, begins: Array) -> Answers:
    """The sum of each list; lists may be empty, and values that are not there are zeros."""
    values = resized(unpacked(packed, 18), begins.max(initial=0))
    up_to = np.append(0, values.cumsum())
    return {"sums": np.diff(up_to[begins])}


def _sixteen_bits(random: Random, rows: int) -> Inputs:
    return {"packed": random_bytes(random, 2 * rows)}


def zone_map(packed: Array) -> Answers:
    """The extremes of each 512 values, of which the last may be fewer."""
    values = packed[: len(packed) // 2 * 2].view(np.uint16).astype(np.int32)
    starts = np.arange(0, len(values), 512)
    if not len(starts):
        return {"least": starts.astype(np.int32), "most": starts.astype(np.int32)}
    extremes = (each.reduceat(values, starts) for each in (np.minimum, np.maximum))
    return dict(zip(("least", "most"), extremes, strict=True))


def _temperatures(random: Random, rows: int) -> Inputs:
    packed = random_bytes(random, packed_size(rows, 12))
    return {"packed": packed, "limit": np.array([200.5], np.float32)}


def sensor_alarms(packed: Array, limit: Array) -> Answers:
    """How many temperatures are above a limit, and the highest, without its fraction."""
    degrees = unpacked(packed, 12).astype(np.float32) * np.float32(0.0625) - np.float32(40)
    hottest = degrees.astype(np.int32).max(initial=-40)
    return {"alarms": one(np.count_nonzero(degrees > limit[0])), "hottest": one(hottest)}


def _codes_of_frames(random: Random, rows: int) -> Inputs:
    codes = random_bytes(random, packed_size(rows, 6))
    return {"codes_packed": codes, "dictionary": random.integers(0, 100_000, 67, np.int32)}


def dictionary_of_frames(codes_packed: Array, dictionary: Array) -> Answers:
    """How many prices, found by codes above a base, are in a range, and what they come to."""
    prices = dictionary[unpacked(codes_packed, 6) + 3]
    chosen = prices[(prices >= 1000) & (prices < 50_000)]
    return {"count": one(len(chosen)), "sum": one(chosen.sum(dtype=np.int64), np.int64)}


def _six_bits(random: Random, rows: int) -> Inputs:
    return {"packed": random_bytes(random, packed_size(rows, 6))}


def bits_in_range(packed: Array) -> Answers:
    """How many numbers of six bits are in a range, and what they come to."""
    return _in_range(unpacked(packed, 6))


def frames_in_range(packed: Array) -> Answers:
    """The same of numbers above a base."""
    return _in_range(unpacked(packed, 6) + 1000, 1000)


def _in_range(values: Array, base: int = 0) -> Answers:
    chosen = values[(values >= base + 10) & (values < base + 42)]
    return {"count": one(len(chosen)), "sum": one(chosen.sum(dtype=np.int64), np.int64)}


def _decimals(random: Random, rows: int) -> Inputs:
    packed = random_bytes(random, packed_size(rows, 13))
    return {"packed": packed, "limit": np.array([35.25], np.float32)}


def decimals_of_frames(packed: Array, limit: Array) -> Answers:
    """How many temperatures, which are hundredths above a base, are above a limit; the highest."""
    degrees = (unpacked(packed, 13) - 2000).astype(np.float32) * np.float32(0.01)
    hottest = degrees.astype(np.int32).max(initial=-100)
    return {"alarms": one(np.count_nonzero(degrees > limit[0])), "hottest": one(hottest)}


ORDER_BITS = {"days": 5, "cents": 18}
ORDERS_PER_BLOCK = 1024


def _orders(random: Random, rows: int) -> Inputs:
    """Whole blocks, whose days begin where those of the block before do, or later."""
    blocks = rows // ORDERS_PER_BLOCK
    bases = {
        "days": 8000 + np.arange(blocks) * 2000 // max(1, blocks),
        "cents": random.integers(-500, 500, blocks),
    }
    inputs: Inputs = {}
    for name, bits in ORDER_BITS.items():
        size = ORDERS_PER_BLOCK * bits
        fields = [np.arange(blocks) * size, np.full(blocks, bits), bases[name]]
        inputs[f"{name}_packed"] = random_bytes(random, blocks * size // 8)
        inputs[f"{name}_blocks"] = np.stack(fields, axis=1).astype(np.int64).ravel()
    return inputs


def month_of_orders(**inputs: Array) -> Answers:
    """How many orders are of 31 days, and what they come to; cents are modulo 2^32."""
    days, cents = (
        unpacked(inputs[f"{name}_packed"], bits)
        + np.repeat(inputs[f"{name}_blocks"].reshape(-1, 3)[:, 2], ORDERS_PER_BLOCK)
        for name, bits in ORDER_BITS.items()
    )
    chosen = (days >= 9000) & (days < 9031)
    return {
        "orders": one(np.count_nonzero(chosen)),
        "sum": one((cents % (1 << 32))[chosen].sum(), np.int64),
    }


DAY = 86_400_000
"""Milliseconds."""
SALE_BITS = {"codes_packed": 10, "cents_packed": 14}


def _sales(random: Random, rows: int) -> Inputs:
    packed = {
        name: random_bytes(random, packed_size(rows, bits)) for name, bits in SALE_BITS.items()
    }
    return packed | {"dictionary": random.integers(0, 40_000 * DAY, 1 << 10, np.int64)}


def weekend_sales(dictionary: Array, **packed: Array) -> Answers:
    """What is sold on Saturdays and Sundays; the first day was a Thursday."""
    columns = _rows_of_all(packed, SALE_BITS)
    codes, cents = (unpacked(columns[name], bits) for name, bits in SALE_BITS.items())
    rows = min(len(codes), len(cents))
    weekdays = (dictionary // DAY + 3) % 7
    return {"sum": one((cents[:rows] + 99)[weekdays[codes[:rows]] >= 5].sum(), np.int64)}


FARE_BITS = {"codes_packed": 6, "tenths_packed": 9}


def _fares(random: Random, rides: int) -> Inputs:
    blocks = -(-rides // 1024)
    packed = {name: random_bytes(random, 128 * bits * blocks) for name, bits in FARE_BITS.items()}
    fares = random.integers(250, 20_000, 64, np.int32)
    return packed | {"zones": random_bytes(random, rides), "fares": fares}


def fares_in_lanes(zones: Array, fares: Array, **packed: Array) -> Answers:
    """What long rides of each zone come to, and which ones are long."""
    codes, tenths = (
        from_lanes(packed[name], bits)[: len(zones)] for name, bits in FARE_BITS.items()
    )
    is_long = tenths > 300
    sums = np.zeros(256, np.int64)
    np.add.at(sums, zones[is_long], fares[codes[is_long]])
    return {"sums": sums, "long": is_long.astype(np.uint8)}


def _bitmaps(random: Random, count: int) -> Inputs:
    return {"turned": random_words(random, count), "other": random_words(random, count)}


def shared_rows(turned: Array, other: Array) -> Answers:
    """The bits that are set in one bitmap and not in the turned one."""
    both = ~turned & resized(other, len(turned))
    return {"rows": one(np.bitwise_count(both.view(np.uint32)).sum())}


PROGRAMS = (
    GateProgram(q6, _q6_columns, bits=sum(Q6_BITS.values())),
    GateProgram(q6_interleaved, _q6_columns, bits=sum(Q6_BITS.values())),
    GateProgram(q6_words, _q6_words, bits=128),
    GateProgram(packed_histogram, _ten_bits, bits=10),
    GateProgram(q6_aggregate, _q6_columns, bits=sum(Q6_BITS.values())),
    GateProgram(q1_aggregate, _q1_columns, bits=sum(Q1_BITS.values())),
    GateProgram(dear_rows, _dear_columns, bits=sum(DEAR_BITS.values())),
    GateProgram(q1, _q1_columns, bits=sum(Q1_BITS.values())),
    GateProgram(dictionary_sum, _codes, bits=9),
    GateProgram(nullable_sum, _nullable, bits=18),
    GateProgram(frames_of_reference, _frames, bits=8 + 32 / 64),
    GateProgram(list_sums, _lists, bits=18 + 32 / 12),
    GateProgram(zone_map, _sixteen_bits, bits=16),
    GateProgram(sensor_alarms, _temperatures, bits=12),
    GateProgram(bits_in_range, _six_bits, bits=6),
    GateProgram(frames_in_range, _six_bits, bits=6),
    GateProgram(dictionary_of_frames, _codes_of_frames, bits=6),
    GateProgram(decimals_of_frames, _decimals, bits=13),
    GateProgram(shared_rows, _bitmaps, bits=64),
    GateProgram(month_of_orders, _orders, bits=sum(ORDER_BITS.values()) + 2 * 3 * 64 / 1024),
    GateProgram(fares_in_lanes, _fares, bits=8 + sum(FARE_BITS.values())),
    GateProgram(weekend_sales, _sales, bits=sum(SALE_BITS.values())),
)
