"""Loads and stores: runs of elements, their bytes, and what lies outside a buffer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import int_array, outputs

from vyre_dialect.runtime.errors import VyreError

COUNT = 23
INDICES = st.integers(-20, COUNT + 20) | st.sampled_from([-(2**63), 2**63 - 1, 2**32, -(2**32)])
INDEX_LISTS = st.lists(INDICES, min_size=1, max_size=9)
RUNS = [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("vector<4xi32>", 16), ("vector<3xi8>", 3)]


def read_run(data: bytes, index: int, length: int) -> bytes:
    """Byte by byte; 0 outside."""
    inside = range(len(data))
    return bytes(data[index + k] if index + k in inside else 0 for k in range(length))


def load_program(type: str, indices: int) -> str:
    return f"""
    vyre.program @p {{
      %data = vyre.buffer @data : !vyre.buffer<?xi8, read_only>
      %at = vyre.buffer @at : !vyre.buffer<{indices}xi64, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<{indices}x{type}, read_write>
      vyre.region "load" invocations [{indices}] {{
        %i = vyre.invocation_id x
        %position = vyre.load %at[%i] : !vyre.buffer<{indices}xi64, read_only> -> i64
        %index = arith.index_cast %position : i64 to index
        %value = vyre.load %data[%index] : !vyre.buffer<?xi8, read_only> -> {type}
        vyre.store %value, %out[%i] : {type}, !vyre.buffer<{indices}x{type}, read_write>
      }}
    }}"""


@pytest.mark.parametrize(("type", "length"), RUNS)
@given(
    indices=st.lists(INDICES, min_size=1, max_size=9), count=st.sampled_from([0, 1, 2, 7, COUNT])
)
def test_load_reads_each_byte_or_zero(type: str, length: int, indices: list[int], count: int):
    data = np.arange(1, count + 1, dtype=np.uint8)
    at = np.array(indices, dtype=np.int64)
    out = outputs(load_program(type, len(indices)), {"data": data, "at": at})["out"]
    expected = [read_run(data.tobytes(), index, length) for index in indices]
    assert out.tobytes() == b"".join(expected)


def store_program(type: str, indices: int) -> str:
    return f"""
    vyre.program @p {{
      %values = vyre.buffer @values : !vyre.buffer<{indices}x{type}, read_only>
      %at = vyre.buffer @at : !vyre.buffer<{indices}xi64, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<{COUNT}xi8, read_write>
      vyre.region "store" invocations [{indices}] {{
        %i = vyre.invocation_id x
        %position = vyre.load %at[%i] : !vyre.buffer<{indices}xi64, read_only> -> i64
        %index = arith.index_cast %position : i64 to index
        %value = vyre.load %values[%i] : !vyre.buffer<{indices}x{type}, read_only> -> {type}
        vyre.store %value, %out[%index] : {type}, !vyre.buffer<{COUNT}xi8, read_write>
      }}
    }}"""


@pytest.mark.parametrize(("type", "length"), RUNS)
@given(indices=INDEX_LISTS)
def test_store_writes_each_byte_inside_and_drops_the_rest(
    type: str, length: int, indices: list[int]
):
    values = np.arange(1, len(indices) * length + 1, dtype=np.uint8)
    at = np.array(indices, dtype=np.int64)
    lane = 4 if type == "vector<4xi32>" else 1 if type == "vector<3xi8>" else length
    inputs = {"values": values.view(f"u{lane}"), "at": at}
    out = outputs(store_program(type, len(indices)), inputs)["out"]
    expected = bytearray(COUNT)
    for number, index in enumerate(indices):
        for k in range(length):
            if 0 <= index + k < COUNT:
                expected[index + k] = values[number * length + k]
    assert out.tobytes() == bytes(expected)


def test_of_several_invocations_that_write_one_element_the_last_wins():
    text = """
    vyre.program @p {
      %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, read_write>
      vyre.region "write" invocations [100] {
        %i = vyre.invocation_id x
        %zero = arith.constant 0 : index
        %word = arith.index_cast %i : index to i32
        vyre.store %word, %out[%zero] : i32, !vyre.buffer<1xi32, read_write>
      }
    }"""
    assert outputs(text)["out"].tolist() == [99]


def test_a_run_may_cover_wider_elements():
    out = outputs(
        """
        vyre.program @p {
          %in = vyre.buffer @in : !vyre.buffer<4xi16, read_only>
          %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
          vyre.region "pairs" invocations [4] {
            %i = vyre.invocation_id x
            %pair = vyre.load %in[%i] : !vyre.buffer<4xi16, read_only> -> i32
            vyre.store %pair, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
          }
        }""",
        {"in": int_array(1, 2, 3, 4, dtype=np.int16)},
    )["out"]
    assert out.tolist() == [0x20001, 0x30002, 0x40003, 0x00004]


def test_a_vector_element_is_read_and_written_whole():
    values = np.arange(8, dtype=np.int32).reshape(4, 2)
    out = outputs(
        """
        vyre.program @p {
          %in = vyre.buffer @in : !vyre.buffer<4xvector<2xi32>, read_only>
          %out = vyre.buffer @out live_out : !vyre.buffer<4xvector<2xi32>, read_write>
          vyre.region "reverse" invocations [4] {
            %i = vyre.invocation_id x
            %last = arith.constant 3 : index
            %j = arith.subi %last, %i : index
            %v = vyre.load %in[%j] : !vyre.buffer<4xvector<2xi32>, read_only> -> vector<2xi32>
            vyre.store %v, %out[%i] : vector<2xi32>, !vyre.buffer<4xvector<2xi32>, read_write>
          }
        }""",
        {"in": values},
    )["out"]
    assert out.tolist() == values[::-1].tolist()


@pytest.mark.parametrize("type", ["i1", "f16", "f32", "f64"])
def test_element_types_survive_a_round_trip_through_memory(type: str):
    out = outputs(
        f"""
        vyre.program @p {{
          %in = vyre.buffer @in : !vyre.buffer<8xi8, read_only>
          %kept = vyre.buffer @kept : !vyre.buffer<8x{type}, read_write, private>
          %out = vyre.buffer @out live_out : !vyre.buffer<8xi32, read_write>
          vyre.region "keep" invocations [8] {{
            %i = vyre.invocation_id x
            %byte = vyre.load %in[%i] : !vyre.buffer<8xi8, read_only> -> i8
            {KEEP[type]}
            vyre.store %value, %kept[%i] : {type}, !vyre.buffer<8x{type}, read_write, private>
            %again = vyre.load %kept[%i] : !vyre.buffer<8x{type}, read_write, private> -> {type}
            {GIVE[type]}
            vyre.store %word, %out[%i] : i32, !vyre.buffer<8xi32, read_write>
          }}
        }}""",
        {"in": np.array([0, 1, 2, 5, 16, 31, 0, 1], np.uint8)},
    )["out"]
    whole = [0, 1, 2, 5, 16, 31, 0, 1]
    assert out.tolist() == ([value % 2 for value in whole] if type == "i1" else whole)


def _keep(type: str) -> str:
    if type.startswith("f"):
        return f"%value = arith.uitofp %byte : i8 to {type}"
    return f"%value = arith.trunci %byte : i8 to {type}"


def _give(type: str) -> str:
    op = "fptoui" if type.startswith("f") else "extui"
    return f"%word = arith.{op} %again : {type} to i32"


KEEP = {type: _keep(type) for type in ("i1", "f16", "f32", "f64")}
GIVE = {type: _give(type) for type in KEEP}


@pytest.mark.parametrize("space", ["workgroup", "private"])
@given(index=st.integers(-9, 9))
def test_local_buffers_have_bounds_of_their_own(space: str, index: int):
    out = outputs(
        f"""
        vyre.program @p {{
          %local = vyre.buffer @local : !vyre.buffer<5xi8, read_write, {space}>
          %out = vyre.buffer @out live_out : !vyre.buffer<12xi32, read_write>
          vyre.region "local" invocations [12] workgroup_size [4] {{
            %i = vyre.invocation_id x
            %group = vyre.workgroup_id x
            %zero = arith.constant 0 : index
            %one = arith.constant 1 : index
            %five = arith.constant 5 : index
            scf.for %k = %zero to %five step %one {{
              %ten = arith.constant 10 : index
              %scaled = arith.muli %group, %ten : index
              %sum = arith.addi %scaled, %k : index
              %number = arith.addi %sum, %one : index
              %word = arith.index_cast %number : index to i32
              %byte = arith.trunci %word : i32 to i8
              vyre.store %byte, %local[%k] : i8, !vyre.buffer<5xi8, read_write, {space}>
            }}
            vyre.barrier
            %at = arith.constant {index} : index
            %run = vyre.load %local[%at] : !vyre.buffer<5xi8, read_write, {space}> -> i32
            vyre.store %run, %out[%i] : i32, !vyre.buffer<12xi32, read_write>
          }}
        }}"""
    )["out"]
    expected = [
        read_run(bytes(10 * (i // 4) + k + 1 for k in range(5)), index, 4) for i in range(12)
    ]
    assert out.tobytes() == b"".join(expected)


def test_a_local_buffer_starts_as_garbage_in_every_arm():
    out = outputs(
        """
        vyre.program @p {
          %local = vyre.buffer @local : !vyre.buffer<1xi32, read_write, private>
          %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, read_write>
          vyre.region "write" invocations [1] {
            %zero = arith.constant 0 : index
            %seven = arith.constant 7 : i32
            vyre.store %seven, %local[%zero] : i32, !vyre.buffer<1xi32, read_write, private>
          }
          vyre.region "read" invocations [1] {
            %zero = arith.constant 0 : index
            %v = vyre.load %local[%zero] : !vyre.buffer<1xi32, read_write, private> -> i32
            vyre.store %v, %out[%zero] : i32, !vyre.buffer<1xi32, read_write>
          }
        }"""
    )["out"]
    assert out.view(np.uint32).tolist() == [0xCDCDCDCD]


FACTS = """
    vyre.program @p {{
      %in = vyre.buffer @in : !vyre.buffer<8xi8, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<8xi16, read_write>
      vyre.region "facts" invocations [{invocations}] {{
        %i = vyre.invocation_id x
        %v = vyre.load %in[%i] {fact} : !vyre.buffer<8xi8, read_only> -> i16
        vyre.store %v, %out[%i] : i16, !vyre.buffer<8xi16, read_write>
      }}
    }}"""


def test_facts_that_hold_change_nothing():
    data = np.arange(8, dtype=np.uint8)
    plain = outputs(FACTS.format(fact="", invocations=7), {"in": data})["out"]
    proven = outputs(FACTS.format(fact="in_bounds aligned 1", invocations=7), {"in": data})["out"]
    assert plain.tolist() == proven.tolist()


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("in_bounds", "'vyre.load' of 2 elements is marked in_bounds, but accesses element 7"),
        ("aligned 2", "'vyre.load' is marked aligned 2, but accesses byte 1"),
    ],
)
def test_a_fact_that_does_not_hold_is_an_error(fact: str, message: str):
    with pytest.raises(VyreError, match=message):
        outputs(FACTS.format(fact=fact, invocations=8), {"in": np.arange(8, dtype=np.uint8)})
