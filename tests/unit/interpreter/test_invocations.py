"""Ids, barriers, and what the invocations of a workgroup do together."""

from collections.abc import Callable
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from support.interpreting import Array, outputs, parse

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import interpret

IDS = """
    vyre.program @p {{
      %out = vyre.buffer @out live_out : !vyre.buffer<{count}xi32, read_write>
      vyre.region "ids" invocations [{domain}] workgroup_size [{sizes}] {{
        %x = vyre.invocation_id x
        %y = vyre.invocation_id y
        %z = vyre.invocation_id z
        %id = vyre.{op}
        %width = arith.constant {width} : index
        %height = arith.constant {height} : index
        %layer = arith.muli %z, %height : index
        %row = arith.addi %layer, %y : index
        %rows = arith.muli %row, %width : index
        %i = arith.addi %rows, %x : index
        %word = arith.index_cast %id : index to i32
        vyre.store %word, %out[%i] : i32, !vyre.buffer<{count}xi32, read_write>
      }}
    }}"""
SIZES = (2, 3, 2)


def ids(op: str, domain: tuple[int, int, int], batch: int) -> list[int]:
    width, height, depth = domain
    text = IDS.format(
        count=width * height * depth,
        domain=", ".join(map(str, domain)),
        sizes=", ".join(map(str, SIZES)),
        op=op,
        width=width,
        height=height,
    )
    return outputs(text, batch=batch)["out"].tolist()


@pytest.mark.parametrize("batch", [1, 24, 1000])
@pytest.mark.parametrize("axis", range(3))
def test_ids_along_each_axis(axis: int, batch: int):
    domain = (4, 6, 4)
    places = [(x, y, z) for z, y, x in product(*map(range, reversed(domain)))]
    name = "xyz"[axis]
    assert ids(f"invocation_id {name}", domain, batch) == [p[axis] for p in places]
    assert ids(f"local_id {name}", domain, batch) == [p[axis] % SIZES[axis] for p in places]
    assert ids(f"workgroup_id {name}", domain, batch) == [p[axis] // SIZES[axis] for p in places]


@pytest.mark.parametrize("axis", range(3))
def test_a_data_parallel_domain_need_not_be_whole_workgroups(axis: int):
    domain = (5, 1, 3)
    places = [(x, y, z) for z, y, x in product(*map(range, reversed(domain)))]
    assert ids(f"invocation_id {'xyz'[axis]}", domain, 4) == [p[axis] for p in places]


SUBGROUPS = """
    vyre.program @p {{
      %in = vyre.buffer @in : !vyre.buffer<24xi{width}, read_only>
      %lanes = vyre.buffer @lanes : !vyre.buffer<24xi64, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<24xi{width}, read_write>
      vyre.region "subgroups" invocations [24] workgroup_size [12] subgroup_size 4 {{
        %i = vyre.invocation_id x
        %value = vyre.load %in[%i] : !vyre.buffer<24xi{width}, read_only> -> i{width}
        %position = vyre.load %lanes[%i] : !vyre.buffer<24xi64, read_only> -> i64
        %wanted = arith.index_cast %position : i64 to index
        {op}
        vyre.store %result, %out[%i] : i{width}, !vyre.buffer<24xi{width}, read_write>
      }}
    }}"""


def subgroup_outputs(op: str, values: Array, lanes: Array) -> Array:
    text = SUBGROUPS.format(op=op, width=8 * values.itemsize)
    return outputs(text, {"lanes": lanes, "in": values})["out"].view(values.dtype)


def test_shuffle_takes_the_value_of_a_lane_of_the_subgroup_or_zero():
    values = np.arange(100, 124, dtype=np.int16)
    lanes = np.array([3, 2, 1, 0, -1, 4, 0, 0, 1, 2, 2, 2] * 2, np.int64)
    op = "%result = vyre.subgroup_shuffle %value, %wanted : i16"
    expected = [
        values[i // 4 * 4 + lane] if 0 <= lane < 4 else 0 for i, lane in enumerate(lanes.tolist())
    ]
    assert subgroup_outputs(op, values, lanes).tolist() == expected


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("subgroup_lane", [i % 4 for i in range(24)]),
        ("subgroup_id", [i % 12 // 4 for i in range(24)]),
    ],
)
def test_ids_of_subgroups(op: str, expected: list[int]):
    text = f"%id = vyre.{op}\n %result = arith.index_cast %id : index to i32"
    result = subgroup_outputs(text, np.zeros(24, np.int32), np.zeros(24, np.int64))
    assert result.tolist() == expected


REDUCTIONS: dict[str, tuple[Any, Callable[[list[int]], int]]] = {
    "addi": (np.uint8, sum),
    "ori": (np.uint8, lambda v: reduce(lambda a, b: a | b, v)),
    "andi": (np.uint8, lambda v: reduce(lambda a, b: a & b, v)),
    "xori": (np.uint8, lambda v: reduce(lambda a, b: a ^ b, v)),
    "maxs": (np.int8, max),
    "mins": (np.int8, min),
    "maxu": (np.uint8, max),
    "minu": (np.uint8, min),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduce_combines_the_lanes_of_each_subgroup(kind: str):
    dtype, combine = REDUCTIONS[kind]
    values = np.random.default_rng(1).integers(0, 256, 24, np.uint8).view(dtype)
    op = f"%result = vyre.subgroup_reduce {kind} %value : i8"
    result = subgroup_outputs(op, values, np.zeros(24, np.int64))
    totals = [combine(values[i // 4 * 4 : i // 4 * 4 + 4].tolist()) for i in range(24)]
    assert result.view(np.uint8).tolist() == [total % 256 for total in totals]


EXCHANGE = """
    vyre.program @p {{
      %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
      %out = vyre.buffer @out live_out : !vyre.buffer<32xi32, read_write>
      vyre.region "exchange" invocations [32] workgroup_size [8] {{
        %i = vyre.invocation_id x
        %local = vyre.local_id x
        %group = vyre.workgroup_id x
        %one = arith.constant 1 : index
        %seven = arith.constant 7 : index
        %word = arith.index_cast %i : index to i32
        vyre.store %word, %tile[%local] : i32, !vyre.buffer<8xi32, read_write, workgroup>
        {barrier}
        %other = arith.subi %seven, %local : index
        %found = vyre.load %tile[%other] : !vyre.buffer<8xi32, read_write, workgroup> -> i32
        vyre.store %found, %out[%i] : i32, !vyre.buffer<32xi32, read_write>
      }}
    }}"""
EXCHANGED = [8 * (i // 8) + 7 - i % 8 for i in range(32)]


@pytest.mark.parametrize("batch", [1, 8, 20, 100])
def test_workgroup_memory_is_shared_across_a_barrier(batch: int):
    out = outputs(EXCHANGE.format(barrier="vyre.barrier"), batch=batch)["out"]
    assert out.tolist() == EXCHANGED


def test_a_barrier_that_some_workgroups_take():
    barrier = """
        %zero = arith.constant 0 : index
        %first = arith.cmpi eq, %group, %zero : index
        scf.if %first {
          vyre.barrier
        }"""
    assert outputs(EXCHANGE.format(barrier=barrier))["out"].tolist() == EXCHANGED


def test_a_barrier_that_a_part_of_a_workgroup_reaches_is_an_error():
    text = """
    vyre.program @p {
      vyre.region "part" invocations [8] workgroup_size [4] {
        %local = vyre.local_id x
        %one = arith.constant 1 : index
        %some = arith.cmpi sgt, %local, %one : index
        scf.if %some {
          vyre.barrier
        }
      }
    }"""
    message = (
        "'vyre.barrier' expected all 4 invocations of a workgroup, got 2 of workgroup 0 in arm"
    )
    with pytest.raises(VyreError, match=message):
        interpret(parse(text, verify=False), {})


COPY = """
    vyre.program @p {
      %in = vyre.buffer @in : !vyre.buffer<30xi16, read_only>
      %tile = vyre.buffer @tile : !vyre.buffer<6xi16, read_write, workgroup>
      %out = vyre.buffer @out live_out : !vyre.buffer<32xi16, read_write>
      vyre.region "copy" invocations [32] workgroup_size [8] {
        %i = vyre.invocation_id x
        %local = vyre.local_id x
        %group = vyre.workgroup_id x
        %zero = arith.constant 0 : index
        %eight = arith.constant 8 : index
        %begin = arith.muli %group, %eight : index
        %token = vyre.async_copy %in[%begin], %tile[%zero], %eight
          : !vyre.buffer<30xi16, read_only>, !vyre.buffer<6xi16, read_write, workgroup>
        vyre.async_wait %token
        %found = vyre.load %tile[%local] : !vyre.buffer<6xi16, read_write, workgroup> -> i16
        vyre.store %found, %out[%i] : i16, !vyre.buffer<32xi16, read_write>
      }
    }"""


def test_an_async_copy_respects_the_bounds_of_both_buffers():
    data = np.arange(1, 31, dtype=np.int16)
    text = COPY
    out = outputs(text, {"in": data})["out"]
    padded = np.concatenate((data, np.zeros(2, np.int16))).reshape(4, 8).copy()
    padded[:, 6:] = 0  # read beyond the tile
    assert out.tolist() == padded.ravel().tolist()


@pytest.mark.parametrize(
    ("count", "target", "expected"),
    [
        (2**63 - 1, 0, [1, 2, 3, 4, 5, 6]),
        (2**62, 2, [0, 0, 1, 2, 3, 4]),
        (2**63 - 1, -3, [4, 5, 6, 7, 8, 9]),
        (5, -3, [4, 5, 0, 0, 0, 0]),
        (2**63 - 1, -(2**63), [0] * 6),
        (8, 2**63 - 1, [0] * 6),
        (-1, 0, [0] * 6),
    ],
)
def test_an_async_copy_of_any_length_touches_what_is_there(
    count: int, target: int, expected: list[int]
):
    text = COPY.replace("%eight = arith.constant 8", f"%eight = arith.constant {count}")
    text = text.replace("%begin = arith.muli %group, %eight", "%begin = arith.constant 0")
    text = text.replace("%tile[%zero]", "%tile[%target]").replace(
        "%zero = arith.constant 0 : index",
        f"%none = arith.constant 0 : i16  %target = arith.constant {target} : index "
        "vyre.store %none, %tile[%local] : i16, !vyre.buffer<6xi16, read_write, workgroup> "
        "vyre.barrier",
    )
    data = np.arange(1, 31, dtype=np.int16)
    assert outputs(text, {"in": data})["out"][:6].tolist() == expected
