"""Several runs at once, data that stays on the device, and memory that runs give back."""

import gc
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.counting import function_calls
from support.dynamic_counts import counted

from vyre_dialect.runtime.errors import DeviceError, UsageError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.buffer_pool import BufferPool
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import MOST_RECORDINGS, Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

# Two arms and a handoff, each a buffer that a second run must not overwrite.
TWICE_AND_ONE = """
vyre.program @twice_and_one {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
  %twice = vyre.buffer @twice[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "double" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %twice[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "add one" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %v = vyre.load %twice[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %d = arith.addi %v, %one : i32
    vyre.store %d, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""

# As many ids as the values add up to, which the host reads in the middle of the run.
COUNTED = counted()

# Writes to what the host supplies.
NEGATE = """
vyre.program @negate {
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "negate" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i32
    %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %d = arith.subi %zero, %v : i32
    vyre.store %d, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""

# Adds a table to what the host supplies, and gives back all three.
ADD_TABLE = """
vyre.program @add_table {
  %values = vyre.buffer @values live_out : !vyre.buffer<3xi32, read_only>
  %table = vyre.buffer @table live_out contents dense<[3, -1, 4]> : vector<3xi32>
      : !vyre.buffer<3xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<3xi32, read_write>
  vyre.region "add" invocations [3] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<3xi32, read_only> -> i32
    %t = vyre.load %table[%i] : !vyre.buffer<3xi32, read_only> -> i32
    %sum = arith.addi %v, %t : i32
    vyre.store %sum, %sums[%i] : i32, !vyre.buffer<3xi32, read_write>
  }
}
"""

TRAP = """
vyre.program @trap {
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi8, read_only>
  vyre.region "check" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %c0 = arith.constant 0 : i8
    %bad = arith.cmpi ne, %v, %c0 : i8
    scf.if %bad {
      vyre.trap "not zero" at %i, %errors : !vyre.buffer<1xi64, read_write>
    }
  }
}
"""


@pytest.fixture
def session(device: Device) -> Session:
    return Session(device)


def executor(text: str, session: Session) -> Executor:
    context = make_context()
    module = parse_module(text, context)
    compiled = compile_module(module, pipeline=UNFUSED, context=context, device=session.device.info)
    return Executor(compiled, session)


def numbers(count: int, first: int = 0) -> Array:
    return np.arange(first, first + count, dtype=np.int32)


class Copies:
    """Counts the copies between host and device, and those inside the device."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        import pyopencl as cl

        self.to_or_from_host = 0
        self.on_device = 0
        copy = cl.enqueue_copy

        def counted(queue: object, dest: object, src: object, **arguments: object) -> object:
            if isinstance(dest, cl.Buffer) and isinstance(src, cl.Buffer):
                self.on_device += 1
            else:
                self.to_or_from_host += 1
            return copy(queue, dest, src, **arguments)  # pyright: ignore

        monkeypatch.setattr(cl, "enqueue_copy", counted)


# Runs in flight.


@pytest.mark.parametrize("size", [1, 64, 50_000])
def test_interleaved_runs_have_results_of_their_own(session: Session, size: int) -> None:
    twice = executor(TWICE_AND_ONE, session)
    runs = [twice.start({"values": numbers(size, 1000 * i)}) for i in range(5)]
    for i in (3, 0, 4, 2, 1):
        out = runs[i].result().outputs["out"]
        np.testing.assert_array_equal(out, 2 * numbers(size, 1000 * i) + 1)


def test_interleaved_runs_of_different_sizes(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)
    runs = {size: twice.start({"values": numbers(size)}) for size in (100, 7, 0, 100_000, 8)}
    for size, run in runs.items():
        np.testing.assert_array_equal(run.result().outputs["out"], 2 * numbers(size) + 1)


def test_interleaved_runs_whose_host_reads_counts(session: Session) -> None:
    counted = executor(COUNTED, session)
    runs = {total: counted.start({"values": np.full(3, total, np.int32)}) for total in (5, 0, 9)}
    for total, run in runs.items():
        assert run.result().outputs["ids"].tolist() == list(range(3 * total))


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("impatient_threads")
def test_runs_of_several_threads(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)

    def outputs_of(i: int) -> Array:
        return twice.run({"values": numbers(1000 + i % 2, i)}).outputs["out"]

    with ThreadPoolExecutor(4) as threads:
        for i, out in enumerate(threads.map(outputs_of, range(400))):
            np.testing.assert_array_equal(out, 2 * numbers(1000 + i % 2, i) + 1)


def test_a_result_can_be_taken_again(session: Session) -> None:
    run = executor(TWICE_AND_ONE, session).start({"values": numbers(10)})
    assert run.result() is run.result()


def test_a_trap_is_reported_each_time(session: Session) -> None:
    check = executor(TRAP, session)
    bad = check.start({"values": np.array([0, 1], np.uint8)})
    good = check.start({"values": np.array([0, 0], np.uint8)})
    for _ in range(2):
        with pytest.raises(TrapError, match="not zero at offset 1"):
            bad.result()
    assert good.result().outputs == {}


# Data that stays on the device.


def test_a_chain_copies_nothing_to_the_host(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = executor(TWICE_AND_ONE, session), executor(TWICE_AND_ONE, session)
    values = session.put(numbers(1000))
    copies = Copies(monkeypatch)
    between = first.run({"values": values}, resident=["out"])
    last = second.run({"values": between.resident["out"]}, resident=["out"])
    assert (copies.to_or_from_host, copies.on_device) == (0, 0)
    assert (between.outputs, last.outputs) == ({}, {})
    np.testing.assert_array_equal(last.resident["out"].get(), 4 * numbers(1000) + 3)
    assert copies.to_or_from_host == 1


def test_arrays_on_the_device_are_not_written_to(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    negate = executor(NEGATE, session)
    values = session.put(numbers(100))
    copies = Copies(monkeypatch)
    negated = negate.run({"values": values}, resident=["values"]).resident["values"]
    again = negate.run({"values": values}).outputs["values"]
    assert (copies.to_or_from_host, copies.on_device) == (1, 2)
    np.testing.assert_array_equal(negated.get(), -numbers(100))
    np.testing.assert_array_equal(again, -numbers(100))
    np.testing.assert_array_equal(values.get(), numbers(100))


def test_what_a_run_leaves_is_not_written_to_by_the_next(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)
    left = [
        twice.run({"values": numbers(100, i)}, resident=["out"]).resident["out"] for i in range(4)
    ]
    for i, array in enumerate(left):
        np.testing.assert_array_equal(array.get(), 2 * numbers(100, i) + 1)


def test_what_the_host_changes_later_stays_on_the_device(session: Session) -> None:
    memory = np.zeros(32 + 3, np.int32)
    begin = -memory.ctypes.data % 128 // 4
    values = memory[begin : begin + 3]  # at an address that a device of the host can share
    add = executor(ADD_TABLE, session)
    run = add.run({"values": values}, resident=["values", "table", "sums"])
    values[:] = 9
    assert run.resident["values"].get().tolist() == [0, 0, 0]
    assert run.resident["table"].get().tolist() == [3, -1, 4]
    assert run.resident["sums"].get().tolist() == [3, -1, 4]


@pytest.mark.parametrize(
    "array", [np.zeros((3, 4), np.float32), np.zeros(0, np.int64), np.arange(5, dtype=">i4")]
)
def test_arrays_come_back_as_they_went(session: Session, array: Array) -> None:
    there = session.put(array)
    assert there.nbytes == array.nbytes
    np.testing.assert_array_equal(there.get(), array, strict=not array.dtype.byteorder == ">")


def test_arrays_that_do_not_fit_are_refused(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)
    with pytest.raises(VyreError, match=r"'values' expected a multiple of 4 bytes .* got 3"):
        twice.run({"values": session.put(np.zeros(3, np.uint8))})
    with pytest.raises(VyreError, match=r"'values' expected bytes or elements of i32.* int64"):
        twice.run({"values": session.put(np.zeros(3, np.int64))})
    add = executor(ADD_TABLE, session)
    with pytest.raises(VyreError, match=r"'values' expected 12 bytes .* got 16"):
        add.run({"values": session.put(numbers(4))})


def test_arrays_of_another_session_are_refused(session: Session, device: Device) -> None:
    elsewhere = Session(device).put(numbers(3))
    with pytest.raises(DeviceError, match="'values' expected an array of the executor's own"):
        executor(TWICE_AND_ONE, session).run({"values": elsewhere})


def test_only_outputs_can_stay(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)
    with pytest.raises(UsageError, match="buffer 'twice' of 'twice_and_one' is not live out"):
        twice.run({"values": numbers(3)}, resident=["twice"])


# Memory.


@pytest.mark.parametrize("text", [TWICE_AND_ONE, COUNTED, NEGATE, TRAP])
def test_repeated_runs_allocate_nothing(session: Session, text: str) -> None:
    repeated = executor(text, session)
    given = {"values": np.zeros(1001 * 4, np.uint8)[4:]}
    repeated.run(given)
    allocated = session.pool.allocations
    assert allocated
    for _ in range(5):
        repeated.run(given)
    assert session.pool.allocations == allocated


def test_repeated_runs_on_the_device_allocate_nothing(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(1000))
    result = twice.run({"values": values}, resident=["out"])
    result = twice.run({"values": values}, resident=["out"])  # while the first is still there
    allocated = session.pool.allocations
    for _ in range(5):
        result = twice.run({"values": values}, resident=["out"])
    assert session.pool.allocations == allocated
    np.testing.assert_array_equal(result.resident["out"].get(), 2 * numbers(1000) + 1)


def test_runs_in_flight_share_no_memory(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(10))
    before = session.pool.allocations
    runs = [twice.start({"values": values}) for _ in range(3)]
    assert session.pool.allocations == before + 6
    for run in runs:
        run.result()
    twice.run({"values": values})
    assert session.pool.allocations == before + 6


def test_executors_of_a_session_share_its_memory(session: Session) -> None:
    given = {"values": np.zeros(40_004, np.uint8)[4:]}
    executor(TWICE_AND_ONE, session).run(given)
    allocated = session.pool.allocations
    executor(TWICE_AND_ONE, session).run(given)
    assert session.pool.allocations == allocated


def test_memory_comes_back_after_a_trap(session: Session) -> None:
    check = executor(TRAP, session)
    given = {"values": np.ones(3, np.uint8)}
    run = check.start(given)
    allocated = session.pool.allocations
    with pytest.raises(TrapError):
        run.result()
    with pytest.raises(TrapError):
        check.run(given)
    assert session.pool.allocations == allocated


def test_memory_comes_back_when_nobody_takes_the_result(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(1000))
    twice.start({"values": values})
    gc.collect()
    allocated = session.pool.allocations
    out = twice.run({"values": values}).outputs["out"]
    assert session.pool.allocations == allocated
    np.testing.assert_array_equal(out, 2 * numbers(1000) + 1)


def test_memory_goes_with_the_last_executor(device: Device) -> None:
    gc.collect()
    gc.disable()
    try:
        session = Session(device)
        add = executor(ADD_TABLE, session)
        add.run({"values": numbers(3)})
        pool = weakref.ref(session.pool)
        del add, session
        assert pool() is None
    finally:
        gc.enable()


def test_tables_are_copied_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    add, values = executor(ADD_TABLE, session), session.put(numbers(3))
    add.run({"values": values}, resident=["values", "table", "sums"])
    copies = Copies(monkeypatch)
    left = add.run({"values": values}, resident=["values", "table", "sums"]).resident
    assert copies.to_or_from_host == 0
    assert left["sums"].get().tolist() == [3, 0, 6]


# Runs that do what another has done.


def test_a_run_like_another_costs_the_host_little(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(1000))

    def again() -> None:
        twice.run({"values": values}, resident=["out"])

    first = function_calls(again)
    assert 5 * function_calls(again) < first
    assert function_calls(again) < 50


def test_times_are_read_when_somebody_asks(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(1000))
    result = twice.run({"values": values}, resident=["out"])
    asked = function_calls(lambda: result.arms[0])
    assert [arm.generator for arm in result.arms] == ["double", "add one"]
    assert all(arm.kernel_ns for arm in result.arms)
    assert function_calls(lambda: result.arms[0]) < asked


@pytest.mark.parametrize("text", [TWICE_AND_ONE, COUNTED])
def test_runs_of_all_kinds_take_turns(session: Session, text: str) -> None:
    program = executor(text, session)
    output = next(iter(program.run({"values": numbers(3)}).outputs))
    for _ in range(3):
        for size in (3, 40, 0):
            expected = program.run({"values": numbers(size)}).outputs[output]
            there = session.put(numbers(size))
            here = program.run({"values": there}).outputs[output]
            left = program.run({"values": there}, resident=[output])
            assert left.outputs == {}
            np.testing.assert_array_equal(here, expected)
            np.testing.assert_array_equal(left.resident[output].get(), expected)


def test_a_run_is_like_another_by_its_contents_too_where_the_host_reads_them(
    session: Session,
) -> None:
    counted = executor(COUNTED, session)
    for total in (5, 0, 9, 5):
        values = session.put(np.full(3, total, np.int32))
        ids = counted.run({"values": values}).outputs["ids"]
        assert ids.tolist() == list(range(3 * total))


def test_inputs_are_checked_in_every_run(session: Session, device: Device) -> None:
    twice = executor(TWICE_AND_ONE, session)
    twice.run({"values": session.put(numbers(3))})
    with pytest.raises(DeviceError, match="'values' expected an array of the executor's own"):
        twice.run({"values": Session(device).put(numbers(3))})
    with pytest.raises(UsageError, match="unknown input 'valuse'"):
        twice.run({"valuse": numbers(3)})
    with pytest.raises(UsageError, match="expected an input for buffer 'values'"):
        twice.run({})


def test_no_more_than_some_kinds_of_runs_are_remembered(session: Session) -> None:
    twice = executor(TWICE_AND_ONE, session)

    def run(size: int) -> int:
        values = session.put(numbers(size))
        return function_calls(lambda: twice.run({"values": values}, resident=["out"]))

    first = run(0)
    assert run(0) < first
    for size in range(1, MOST_RECORDINGS + 1):
        run(size)
    assert run(0) > 2 * run(0)


def test_an_array_of_a_run_outlives_memory_that_moves(session: Session) -> None:
    twice, values = executor(TWICE_AND_ONE, session), session.put(numbers(100))
    before = twice.run({"values": values}, resident=["out"]).resident["out"]
    session.pool = BufferPool(session.context, session.device.info)
    after = twice.run({"values": values}, resident=["out"]).resident["out"]
    assert session.pool.allocations
    np.testing.assert_array_equal(before.get(), after.get())


# As many ids as the first value says, which the host reads of the input.
STATED = """
vyre.program @stated {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %c0 = arith.constant 0 : index
  %stated = vyre.load %values[%c0] : !vyre.buffer<?xi32, read_only> -> i32
  %m = arith.index_cast %stated : i32 to index
  %ids = vyre.buffer @ids[%m] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "number" invocations [%m] {
    %i = vyre.invocation_id x
    %id = arith.index_cast %i : index to i32
    vyre.store %id, %ids[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""


@pytest.mark.parametrize("on_device", [False, True], ids=["host", "device"])
def test_what_the_host_reads_of_inputs_decides_which_runs_are_alike(
    session: Session, on_device: bool
) -> None:
    stated = executor(STATED, session)

    def run(total: int, other: int) -> list[int]:
        values = np.array([total, other], np.int32)
        given = session.put(values) if on_device else values
        return stated.run({"values": given}).outputs["ids"].tolist()

    first = function_calls(lambda: run(5, 1))
    assert 2 * function_calls(lambda: run(5, 2)) < first
    for total, other in ((5, 3), (7, 3), (5, 3), (0, 0), (5, 4)):
        assert run(total, other) == list(range(total))
