"""Programs that access buffers as every type that fits, at every kind of place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, VectorType, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    barrier,
    constant,
    for_,
    local_id,
    program,
)
from vyre_dialect.ir.types import (
    Access,
    BufferType,
    MemorySpace,
    accessed_elements,
    element_bytes,
    lane_count,
    scalar_type,
)
from vyre_dialect.runtime.interpreter.arrays import Array

INVOCATIONS = 32
PLACES = 8
"""Loads per invocation."""
SPACES = tuple(MemorySpace)
_VALUES: tuple[Attribute, ...] = (
    i16,
    i32,
    i64,
    f32,
    VectorType(i8, [4]),
    VectorType(i8, [16]),
    VectorType(i8, [3]),
    VectorType(i32, [3]),
    VectorType(i32, [4]),
    VectorType(i32, [8]),
    VectorType(i64, [2]),
    VectorType(i16, [8]),
    VectorType(i64, [16]),
)
_DTYPES = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def values_for(element: Attribute) -> list[Attribute]:
    """The types as which a buffer of `element` is accessed; floats only as themselves."""
    if lane_count(element) == 3 or scalar_type(element) == f32:
        return [element]
    buffer = BufferType(4, element)
    fitting = [value for value in _VALUES if accessed_elements(buffer, value)]
    # Of arbitrary bits, some are floats that are no numbers, and those do not compare.
    return [element, *(value for value in fitting if value not in (element, f32))]


def source_count(element: Attribute) -> int:
    size = element_bytes(element)
    assert size is not None
    return 2048 // size + 3


def element_numbers(element: Attribute) -> Array:
    """Contents of the source buffer."""
    random = np.random.default_rng(1)
    lane = scalar_type(element)
    count = source_count(element) * lane_count(element)
    if lane == f32:
        return random.integers(-100, 100, count).astype(np.float32)
    assert isinstance(lane, IntegerType)
    dtype = _DTYPES[lane.width.data]
    numbers = random.integers(0, 2**lane.width.data, count, dtype=np.uint64).astype(dtype)
    return numbers.reshape(-1, lane_count(element)) if lane_count(element) > 1 else numbers


def access_program(element: Attribute, values: Sequence[Attribute], space: MemorySpace) -> ModuleOp:
    """
    An arm for each of `values`, which loads and stores it in `space`: in global memory at every
    kind of place, elsewhere what it loads there.
    """
    with program("accesses") as p:
        source = p.buffer("source", element, access=Access.READ_ONLY)
        for number, value in enumerate(values):
            _arm(p, source, number, value, space)
    return p.module


def _arm(p: Program, source: Buffer, number: int, value: Attribute, space: MemorySpace) -> None:
    element = source.type.element_type
    run = accessed_elements(source.type, value)
    assert run is not None
    places = PLACES if space == MemorySpace.GLOBAL else 1
    out = p.buffer(f"out{number}", value, INVOCATIONS * places, live_out=True)
    count = constant(INVOCATIONS * run + 1)
    stored = p.buffer(f"stored{number}", element, count, live_out=True)
    tile = None
    if space != MemorySpace.GLOBAL:
        tile = p.buffer(f"tile{number}", element, INVOCATIONS * run + 5, memory_space=space)
    with p.arm(f"arm{number}", INVOCATIONS, workgroup_size=[INVOCATIONS]) as i:
        loaded = source.load(i * run, value)
        stored.store(loaded, i * run - 2)
        if tile is not None:
            out[i] = _through(tile, source, loaded, i, run)
            return
        for place, position in enumerate(_positions(i, run, source_count(element))):
            out[i * PLACES + place] = source.load(position, value)


def _positions(i: Value, run: int, count: int) -> list[Value]:
    """Aligned ones, others, and those across the ends."""
    return [
        i * run,
        i * run - 3,
        i * run + 1,
        i * run + (count - INVOCATIONS * run // 2),
        i * (2 * run),
        i + (count - 20),
        i * (4 * run),
        i - 5,
    ]


def _through(tile: Buffer, source: Buffer, loaded: Value, i: Value, run: int) -> Value:
    """What comes back from the tile after a store; every element is written before it is read."""
    count = INVOCATIONS * run + 5
    if tile.type.space == MemorySpace.PRIVATE:
        with for_(0, count) as k:
            tile[k.counter] = source[k.counter % 50]
        tile.store(loaded, i % 5 - 2)
        return tile.load(i % 9 - 3, loaded.type)
    with for_(local_id(), count, INVOCATIONS) as k:
        tile[k.counter] = source[k.counter % 50]
    barrier()
    tile.store(loaded, i * run + 2)
    barrier()
    return tile.load((i * run + max(run, 7)) % (INVOCATIONS * run), loaded.type)


__all__ = [
    "SPACES",
    "access_program",
    "element_numbers",
    "i1",
    "values_for",
]
