"""Atomic updates happen one after the other, in some order; here in that of the invocations."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import outputs

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.interpreter import TrapError

CELLS = 4


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


KINDS: dict[AtomicKind, Callable[[int, int, int], int]] = {
    AtomicKind.ADDI: lambda old, value, _: old + value,
    AtomicKind.ANDI: lambda old, value, _: old & value,
    AtomicKind.ORI: lambda old, value, _: old | value,
    AtomicKind.XORI: lambda old, value, _: old ^ value,
    AtomicKind.MAXS: lambda old, value, width: max(old, value, key=lambda v: signed(v, width)),
    AtomicKind.MINS: lambda old, value, width: min(old, value, key=lambda v: signed(v, width)),
    AtomicKind.MAXU: lambda old, value, _: max(old, value),
    AtomicKind.MINU: lambda old, value, _: min(old, value),
    AtomicKind.ASSIGN: lambda old, value, _: value,
}


def program(update: str, width: int, count: int, space: str = "global") -> str:
    """Each invocation loads its cell and its value, and does `update`, which may make `%old`."""
    cells = f"!vyre.buffer<{CELLS}xi{width}, read_write>"
    values = f"!vyre.buffer<{count}xi{width}, read_only>"
    return f"""
    vyre.program @p {{
      %cells = vyre.buffer @cells live_out : {cells}
      %values = vyre.buffer @values : {values}
      %at = vyre.buffer @at : !vyre.buffer<{count}xi64, read_only>
      %olds = vyre.buffer @olds live_out : !vyre.buffer<{count}xi{width}, read_write>
      vyre.region "update" invocations [{count}] {{
        %i = vyre.invocation_id x
        %value = vyre.load %values[%i] : {values} -> i{width}
        %cell = vyre.load %at[%i] : !vyre.buffer<{count}xi64, read_only> -> i64
        %index = arith.index_cast %cell : i64 to index
        {update.format(type=f"i{width}, {cells}")}
      }}
    }}"""


def keeping_old(count: int, width: int) -> str:
    return f"vyre.store %old, %olds[%i] : i{width}, !vyre.buffer<{count}xi{width}, read_write>"


@st.composite
def updates(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], list[int]]:
    width = draw(st.sampled_from([32, 64]))
    top = 1 << (width - 1)
    value = st.sampled_from([0, 1, top - 1, top, 2 * top - 1]) | st.integers(0, 2 * top - 1)
    cell = st.integers(-1, CELLS)
    pairs = draw(st.lists(st.tuples(cell, value), min_size=1, max_size=20))
    return width, pairs, draw(st.lists(value, min_size=CELLS, max_size=CELLS))


def arrays(width: int, pairs: list[tuple[int, int]], cells: list[int]) -> dict[str, np.ndarray]:
    dtype = f"u{width // 8}"
    return {
        "at": np.array([cell for cell, _ in pairs], np.int64),
        "values": np.array([value for _, value in pairs], dtype),
        "cells": np.array(cells, dtype),
    }


@pytest.mark.parametrize("batch", [1, 1 << 14])
@pytest.mark.parametrize("uses_old", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@given(case=updates())
def test_atomic_rmw(
    kind: AtomicKind,
    uses_old: bool,
    batch: int,
    case: tuple[int, list[tuple[int, int]], list[int]],
):
    width, pairs, cells = case
    update = f"%old = vyre.atomic_rmw {kind} %value, %cells[%index] : {{type}}\n"
    if uses_old:
        update += keeping_old(len(pairs), width)
    text = program(update, width, len(pairs))
    result = outputs(text, arrays(width, pairs, cells), batch=batch)

    expected, olds = list(cells), list[int]()
    for cell, value in pairs:
        inside = 0 <= cell < CELLS
        olds.append(expected[cell] if inside else 0)
        if inside:
            expected[cell] = KINDS[kind](expected[cell], value, width) % (1 << width)
    assert result["cells"].view(f"u{width // 8}").tolist() == expected
    if uses_old:
        assert result["olds"].view(f"u{width // 8}").tolist() == olds


@given(case=updates(), expected_value=st.sampled_from([0, 1]))
def test_atomic_cas(case: tuple[int, list[tuple[int, int]], list[int]], expected_value: int):
    width, pairs, cells = case
    pairs = [(cell, value % 3) for cell, value in pairs]
    cells = [cell % 2 for cell in cells]
    update = f"""
        %expected = arith.constant {expected_value} : i{width}
        %old = vyre.atomic_cas %expected, %value, %cells[%index] : {{type}}
        {keeping_old(len(pairs), width)}"""
    result = outputs(program(update, width, len(pairs)), arrays(width, pairs, cells))

    expected, olds = list(cells), list[int]()
    for cell, value in pairs:
        inside = 0 <= cell < CELLS
        olds.append(expected[cell] if inside else 0)
        if inside and expected[cell] == expected_value:
            expected[cell] = value
    assert result["cells"].tolist() == expected
    assert result["olds"].tolist() == olds


def test_an_update_that_all_invocations_share_happens_once_for_each():
    text = """
    vyre.program @p {
      %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
      vyre.region "count" invocations [1000] {
        %zero = arith.constant 0 : index
        %two = arith.constant 2 : i32
        %old = vyre.atomic_rmw addi %two, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
      }
    }"""
    assert outputs(text)["count"].tolist() == [2000]


def test_atomics_on_workgroup_memory_stay_in_the_workgroup():
    text = """
    vyre.program @p {
      %local = vyre.buffer @local : !vyre.buffer<1xi32, read_write, workgroup>
      %out = vyre.buffer @out live_out : !vyre.buffer<12xi32, read_write>
      vyre.region "count" invocations [12] workgroup_size [4] {
        %i = vyre.invocation_id x
        %zero = arith.constant 0 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        vyre.store %none, %local[%zero] : i32, !vyre.buffer<1xi32, read_write, workgroup>
        vyre.barrier
        %old = vyre.atomic_rmw addi %one, %local[%zero]
          : i32, !vyre.buffer<1xi32, read_write, workgroup>
        vyre.store %old, %out[%i] : i32, !vyre.buffer<12xi32, read_write>
      }
    }"""
    assert outputs(text)["out"].tolist() == [0, 1, 2, 3] * 3


TRAP = """
    vyre.program @reader {{
      %in = vyre.buffer @in : !vyre.buffer<8xi8, read_only>
      %errors = vyre.buffer @errors fill -1 : !vyre.buffer<1xi{width}, read_write>
      vyre.region "read" invocations [8] {{
        %i = vyre.invocation_id x
        %byte = vyre.load %in[%i] : !vyre.buffer<8xi8, read_only> -> i8
        %zero = arith.constant 0 : i8
        %bad = arith.cmpi ne, %byte, %zero : i8
        scf.if %bad {{
          vyre.trap "expected a zero" at %i, %errors : !vyre.buffer<1xi{width}, read_write>
        }}
      }}
    }}"""


@pytest.mark.parametrize("width", [32, 64])
def test_the_smallest_offset_trapped_is_reported(width: int):
    text = TRAP.format(width=width).replace("fill -1", f"fill -1 : i{width}")
    with pytest.raises(TrapError, match=r"^'reader': expected a zero at offset 3$"):
        outputs(text, {"in": np.array([0, 0, 0, 1, 0, 7, 0, 0], np.uint8)}, batch=2)


@pytest.mark.parametrize(
    ("width", "offset", "reported"),
    [
        (32, 2**32 - 3, "4294967293"),
        (32, 2**32 - 2, "4294967294 or later"),
        (32, 2**32 - 1, "4294967294 or later"),
        (32, 2**33 - 1, "4294967294 or later"),
        (32, 2**32 + 5, "4294967294 or later"),
        (64, 2**32 - 2, "4294967294"),
        (64, 2**33 - 1, "8589934591"),
    ],
)
def test_offsets_beyond_32_bits_are_errors_too(width: int, offset: int, reported: str):
    far = f"%far = arith.constant {offset} : index\n vyre.trap"
    text = TRAP.format(width=width).replace("vyre.trap", far).replace("at %i", "at %far")
    with pytest.raises(TrapError, match=f"^'reader': expected a zero at offset {reported}$"):
        outputs(
            text.replace("fill -1", f"fill -1 : i{width}"), {"in": np.arange(8, dtype=np.uint8)}
        )


def test_nothing_is_reported_where_nothing_traps():
    text = TRAP.format(width=32).replace("fill -1", "fill -1 : i32")
    outputs(text, {"in": np.zeros(8, np.uint8)})
