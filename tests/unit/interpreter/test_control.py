"""Control flow, with invocations that go different ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import Array, int_array, outputs

LISTS = st.lists(st.integers(0, 12), min_size=1, max_size=10)


def mapped(body: str, values: list[int], *, batch: int = 1 << 14) -> list[int]:
    """What `body` makes of each of `values`: it computes an i32 `%result` from an i32 `%value`."""
    count = len(values)
    text = f"""
    vyre.program @p {{
      %values = vyre.buffer @values : !vyre.buffer<{count}xi32, read_only>
      %log = vyre.buffer @log live_out : !vyre.buffer<4xi32, read_write>
      %out = vyre.buffer @out live_out : !vyre.buffer<{count}xi32, read_write>
      vyre.region "map" invocations [{count}] {{
        %i = vyre.invocation_id x
        %value = vyre.load %values[%i] : !vyre.buffer<{count}xi32, read_only> -> i32
        %n = arith.index_cast %value : i32 to index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %two = arith.constant 2 : i32
        {body}
        vyre.store %result, %out[%i] : i32, !vyre.buffer<{count}xi32, read_write>
      }}
    }}"""
    return outputs(text, {"values": np.array(values, np.int32)}, batch=batch)["out"].tolist()


@given(LISTS)
def test_if_with_results(values: list[int]):
    body = """
        %odd = arith.andi %value, %one : i32
        %is_odd = arith.cmpi ne, %odd, %zero : i32
        %result = scf.if %is_odd -> (i32) {
          %tripled = arith.addi %value, %two : i32
          scf.yield %tripled : i32
        } else {
          %squared = arith.muli %value, %value : i32
          scf.yield %squared : i32
        }"""
    assert mapped(body, values) == [v + 2 if v % 2 else v * v for v in values]


@given(LISTS)
def test_nested_ifs_see_values_from_every_level(values: list[int]):
    body = """
        %six = arith.constant 6 : i32
        %doubled = arith.muli %value, %two : i32
        %large = arith.cmpi sgt, %value, %six : i32
        %result = scf.if %large -> (i32) {
          %shifted = arith.subi %value, %six : i32
          %odd = arith.trunci %shifted : i32 to i1
          %inner = scf.if %odd -> (i32) {
            %sum = arith.addi %doubled, %shifted : i32
            scf.yield %sum : i32
          } else {
            scf.yield %shifted : i32
          }
          scf.yield %inner : i32
        } else {
          scf.yield %doubled : i32
        }"""
    expected = [2 * v if v <= 6 else (2 * v + v - 6 if (v - 6) % 2 else v - 6) for v in values]
    assert mapped(body, values) == expected


@given(LISTS)
def test_for_with_bounds_that_differ(values: list[int]):
    body = """
        %result = scf.for %k = %c1 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
          %square = arith.muli %k, %k : index
          %term = arith.index_cast %square : index to i32
          %next = arith.addi %sum, %term : i32
          scf.yield %next : i32
        }"""
    assert mapped(body, values) == [sum(k * k for k in range(1, v)) for v in values]


@given(LISTS)
def test_for_with_a_step_that_differs(values: list[int]):
    body = """
        %step = arith.addi %n, %c1 : index
        %end = arith.constant 40 : index
        %result = scf.for %k = %n to %end step %step iter_args(%count = %zero) -> (i32) {
          %next = arith.addi %count, %one : i32
          scf.yield %next : i32
        }"""
    assert mapped(body, values) == [len(range(v, 40, v + 1)) for v in values]


@given(LISTS)
def test_a_loop_around_a_branch_around_a_loop(values: list[int]):
    body = """
        %result = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
          %word = arith.index_cast %k : index to i32
          %odd = arith.trunci %word : i32 to i1
          %next = scf.if %odd -> (i32) {
            %inner = scf.for %j = %c0 to %k step %c1 iter_args(%s = %sum) -> (i32) {
              %more = arith.addi %s, %value : i32
              scf.yield %more : i32
            }
            scf.yield %inner : i32
          } else {
            scf.yield %sum : i32
          }
          scf.yield %next : i32
        }"""
    expected = [sum(v * k for k in range(v) if k % 2) for v in values]
    assert mapped(body, values) == expected


@given(st.lists(st.integers(1, 60), min_size=1, max_size=10))
def test_while_runs_until_the_last_invocation_is_done(values: list[int]):
    body = """
        %result, %last = scf.while (%steps = %zero, %x = %value) : (i32, i32) -> (i32, i32) {
          %more = arith.cmpi ne, %x, %one : i32
          scf.condition(%more) %steps, %x : i32, i32
        } do {
        ^bb0(%steps: i32, %x: i32):
          %odd = arith.trunci %x : i32 to i1
          %three = arith.constant 3 : i32
          %half = arith.divui %x, %two : i32
          %thrice = arith.muli %x, %three : i32
          %up = arith.addi %thrice, %one : i32
          %next = arith.select %odd, %up, %half : i32
          %count = arith.addi %steps, %one : i32
          scf.yield %count, %next : i32, i32
        }"""
    assert mapped(body, values) == [collatz_steps(v) for v in values]


def collatz_steps(value: int) -> int:
    steps = 0
    while value != 1:
        value = 3 * value + 1 if value % 2 else value // 2
        steps += 1
    return steps


@given(LISTS)
def test_index_switch(values: list[int]):
    body = """
        %result = scf.index_switch %n -> i32
        case 2 {
          %ten = arith.constant 10 : i32
          scf.yield %ten : i32
        }
        case 5 {
          %twice = arith.addi %value, %value : i32
          scf.yield %twice : i32
        }
        default {
          scf.yield %value : i32
        }"""
    assert mapped(body, values) == [{2: 10, 5: 10}.get(v, v) for v in values]


def test_index_switch_that_all_invocations_take_alike():
    body = """
        %result = scf.index_switch %c1 -> i32
        case 1 {
          scf.yield %two : i32
        }
        default {
          scf.yield %value : i32
        }"""
    assert mapped(body, [5, 6, 7]) == [2, 2, 2]


def test_execute_region():
    body = """
        %result = scf.execute_region -> (i32) {
          %sum = arith.addi %value, %two : i32
          scf.yield %sum : i32
        }"""
    assert mapped(body, [5, 6, 7]) == [7, 8, 9]


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_batches_do_not_change_results(batch: int):
    body = """
        %result = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %value) -> (i32) {
          %old = vyre.atomic_rmw addi %one, %log[%c0] : i32, !vyre.buffer<4xi32, read_write>
          %next = arith.addi %sum, %sum : i32
          scf.yield %next : i32
        }"""
    values = [3, 0, 7, 1, 1, 12, 5]
    assert mapped(body, values, batch=batch) == [v << v for v in values]


def test_only_invocations_that_are_there_touch_memory():
    text = """
    vyre.program @p {
      %out = vyre.buffer @out live_out : !vyre.buffer<8xi32, read_write>
      vyre.region "odd" invocations [8] {
        %i = vyre.invocation_id x
        %word = arith.index_cast %i : index to i32
        %odd = arith.trunci %word : i32 to i1
        scf.if %odd {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1 : i32
          %old = vyre.atomic_rmw addi %one, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
          vyre.store %word, %out[%i] : i32, !vyre.buffer<8xi32, read_write>
        }
      }
    }"""
    assert outputs(text)["out"].tolist() == [4, 1, 0, 3, 0, 5, 0, 7]


LOOP_OF_TYPE = """
    vyre.program @p {{
      %bounds = vyre.buffer @bounds : !vyre.buffer<3x{type}, read_only>
      %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
      %last = vyre.buffer @last live_out : !vyre.buffer<1x{type}, read_write>
      vyre.region "count" invocations [1] {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %one = arith.constant 1 : i32
        %from = vyre.load %bounds[%c0] : !vyre.buffer<3x{type}, read_only> -> {type}
        %to = vyre.load %bounds[%c1] : !vyre.buffer<3x{type}, read_only> -> {type}
        %by = vyre.load %bounds[%c2] : !vyre.buffer<3x{type}, read_only> -> {type}
        scf.for %k = %from to %to step %by : {type} {{
          %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
          vyre.store %k, %last[%c0] : {type}, !vyre.buffer<1x{type}, read_write>
        }}
      }}
    }}"""


def counted(bounds: Array, type: str) -> tuple[int, int]:
    result = outputs(LOOP_OF_TYPE.format(type=type), {"bounds": bounds})
    return int(result["count"][0]), int(result["last"].view(bounds.dtype)[0])


def test_bounds_of_a_narrow_type_do_not_wrap():
    assert counted(int_array(-100, 100, 50, dtype=np.int8), "i8") == (4, 50)
    assert counted(int_array(-2, 3, 1, dtype=np.int32), "i32") == (5, 2)


def test_a_counter_does_not_wrap_past_its_bound():
    assert counted(int_array(0, 127, 2, dtype=np.int8), "i8") == (64, 126)
    assert counted(int_array(-128, 127, 100, dtype=np.int8), "i8") == (3, 72)
    assert counted(int_array(-(2**63), 2**63 - 1, 2**62, dtype=np.int64), "i64") == (4, 2**62)


@pytest.mark.parametrize("step", [0, -1, -(2**31)])
def test_a_step_that_is_not_positive_runs_zero_times(step: int):
    assert counted(int_array(0, 4, step), "i32") == (0, 0)
