"""Programs run on devices as they mean: sizes, contents, limits, timings, errors."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.dynamic_counts import counted

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import DeviceError, UsageError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array, open_input
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl import transfers
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_build import BuildError
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.shared_memory import takes_any_address
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    make_context,
    parse_module,
)

DOUBLE = """
vyre.program @double {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
  %doubles = vyre.buffer @doubles[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "double" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %doubles[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""

CONTENTS = """
vyre.program @contents {
  %zeros = vyre.buffer @zeros live_out : !vyre.buffer<5xi16, read_write>
  %sevens = vyre.buffer @sevens live_out fill 7 : i8 : !vyre.buffer<3xi8, read_write>
  %halves = vyre.buffer @halves live_out fill 0.5 : f32 : !vyre.buffer<2xvector<4xf32>, read_write>
  %some = vyre.buffer @some live_out output_range [4, 12] : !vyre.buffer<4xi32, read_write>
  %table = vyre.buffer @table contents dense<[3, -1, 4]> : vector<3xi32>
      : !vyre.buffer<3xi32, read_only>
  %copy = vyre.buffer @copy live_out : !vyre.buffer<3xi32, read_write>
  vyre.region "copy" invocations [3] {
    %i = vyre.invocation_id x
    %v = vyre.load %table[%i] : !vyre.buffer<3xi32, read_only> -> i32
    vyre.store %v, %copy[%i] : i32, !vyre.buffer<3xi32, read_write>
  }
}
"""

# The second arm has as many invocations as the first has counted.
COUNTED = counted(ids="i64", count="live_out ")

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

COOPERATIVE = """
vyre.program @cooperative {
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "reverse" invocations [%n] workgroup_size [64] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    vyre.store %v, %tile[%l] : i32, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.barrier
    %last = arith.constant 63 : index
    %r = arith.subi %last, %l : index
    %w = vyre.load %tile[%r] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
    vyre.store %w, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""


def compiled(text: str, device: Device | None = None) -> CompiledProgram:
    context = make_context()
    info = None if device is None else device.info
    return compile_module(parse_module(text, context), context=context, device=info)


def executor(text: str, device: Device) -> Executor:
    return Executor(compiled(text, device), device)


def numbers(count: int) -> Array:
    return np.arange(7, 7 + count, dtype=np.int32)


# What programs compute.


def test_sizes_are_those_of_the_run(device: Device) -> None:
    double = executor(DOUBLE, device)
    for count in (1000, 1, 64, 65, 0, 100_001):
        run = double.run({"values": numbers(count)})
        np.testing.assert_array_equal(run.outputs["doubles"], 2 * numbers(count))


def test_runs_are_timed(device: Device) -> None:
    run = executor(DOUBLE, device).run({"values": numbers(100_000)})
    (arm,) = run.arms
    assert arm.generator == "double"
    assert arm.kernel_ns is not None
    assert 0 < arm.kernel_ns < run.total_ns
    assert arm.bytes == 800_000
    assert (run.program, run.device) == ("double", device.info.label)


def test_nothing_is_launched_for_nothing(device: Device) -> None:
    (arm,) = executor(DOUBLE, device).run({"values": numbers(0)}).arms
    assert (arm.kernel_ns, arm.bytes) == (0, 0)


def test_initial_contents(device: Device) -> None:
    outputs = executor(CONTENTS, device).run({}).outputs
    assert outputs["zeros"].tolist() == [0] * 5
    assert outputs["sevens"].tolist() == [7] * 3
    assert outputs["halves"].tolist() == [[0.5] * 4] * 2
    assert outputs["copy"].tolist() == [3, -1, 4]


def test_an_output_range_gives_its_bytes(device: Device) -> None:
    given = {"some": np.array([1, 2, 3, 4], np.int32)}
    outputs = executor(CONTENTS, device).run(given).outputs
    assert outputs["some"].tobytes() == np.array([2, 3], "<i4").tobytes()


def test_contents_are_initial_in_every_run(device: Device) -> None:
    counted = executor(COUNTED, device)
    for _ in range(2):
        outputs = counted.run({"values": np.full(10, 3, np.int32)}).outputs
        assert outputs["count"].tolist() == [30]
        assert outputs["ids"].tolist() == list(range(30))


def test_the_interpreter_agrees(device: Device) -> None:
    context = make_context()
    module = parse_module(COUNTED, context)
    given = {"values": np.full(10, 3, np.int32)}
    here = run_module(module, given, device=device, context=context)
    there = run_module(module, given, device="reference", context=context)
    assert here.outputs.keys() == there.outputs.keys()
    for name, array in here.outputs.items():
        assert array.dtype == there.outputs[name].dtype
        np.testing.assert_array_equal(array, there.outputs[name])
    described = [(arm.generator, arm.bytes) for arm in there.arms]
    assert [(arm.generator, arm.bytes) for arm in here.arms] == described


# What the host supplies.


def test_arrays_of_the_host_are_not_written_to(device: Device) -> None:
    values = numbers(128)
    outputs = executor(COOPERATIVE, device).run({"values": values}).outputs
    expected = values.reshape(-1, 64)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(outputs["values"], expected)
    np.testing.assert_array_equal(values, numbers(128))


@pytest.mark.parametrize("offset", [0, 1, 4, 64])
def test_arrays_at_any_address(device: Device, offset: int) -> None:
    memory = np.zeros(offset + 4000, np.uint8)
    memory[offset:] = numbers(1000).view(np.uint8)
    outputs = executor(DOUBLE, device).run({"values": memory[offset:]}).outputs
    np.testing.assert_array_equal(outputs["doubles"], 2 * numbers(1000))


def test_large_copies_go_in_chunks(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "CHUNK_BYTES", 1000)
    told = list[str]()
    double = Executor(
        compiled(DOUBLE, device), device, progress=lambda doing, _: told.append(doing)
    )
    memory = np.zeros(40_001, np.uint8)
    memory[1:] = numbers(10_000).view(np.uint8)  # at an address that no device shares
    outputs = double.run({"values": memory[1:]}).outputs
    np.testing.assert_array_equal(outputs["doubles"], 2 * numbers(10_000))
    assert told.count("copying 'values' to the device") == 40
    assert told.count("copying 'doubles' from the device") == 39


def test_files_are_not_copied_for_devices_of_the_host(device: Device, tmp_path: Path) -> None:
    if device.info.kind != "cpu":
        pytest.skip("the device has memory of its own")
    numbers(10_000).tofile(tmp_path / "values")
    told = list[str]()
    double = Executor(
        compiled(DOUBLE, device), device, progress=lambda doing, _: told.append(doing)
    )
    outputs = double.run({"values": open_input(tmp_path / "values")}).outputs
    np.testing.assert_array_equal(outputs["doubles"], 2 * numbers(10_000))
    assert "copying 'values' to the device" not in told


@pytest.mark.parametrize("offset", [0, 4])
def test_the_host_reads_what_it_has_supplied(device: Device, offset: int) -> None:
    memory = np.zeros(128 + 40, np.uint8)
    begin = -memory.ctypes.data % 128 + offset
    values = memory[begin : begin + 4 * 3]
    values.view(np.int32)[:] = [5, 2, 7]
    text = COUNTED.replace(
        "%count[%c0] : !vyre.buffer<1xi32, read_write> -> i32\n  %m",
        ("%values[%c0] : !vyre.buffer<?xi32, read_only> -> i32\n  %m"),
    )
    assert text != COUNTED
    outputs = executor(text, device).run({"values": values}).outputs
    assert outputs["ids"].tolist() == list(range(5))


def test_inputs_beyond_the_limit_of_a_buffer(device: Device) -> None:
    limited = replace(device, info=replace(device.info, max_alloc_bytes=39_999))
    program = COUNTED.replace("%ids = vyre.buffer @ids[%m]", "%ids = vyre.buffer @ids[%c0]")
    counted = Executor(compiled(program, device), limited)
    memory = np.zeros(40_000 + 128, np.uint8)
    begin = -memory.ctypes.data % 128
    values = memory[begin : begin + 40_000]
    values.view(np.int32)[:] = 1
    if takes_any_address(device):
        assert counted.run({"values": values}).outputs["count"].tolist() == [10_000]
    else:
        with pytest.raises(DeviceError, match="buffer 'values' needs 40000 bytes"):
            counted.run({"values": values})


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        ({}, VyreError, "'double' expected an input for buffer 'values', got none"),
        ({"values": np.zeros(3, np.uint8)}, VyreError, "expected a multiple of 4 bytes"),
        ({"other": numbers(1)}, UsageError, "unknown input 'other' of 'double': it has values"),
        ({"doubles": numbers(1)}, UsageError, "buffer 'doubles' of 'double' takes no input"),
    ],
)
def test_inputs_that_do_not_fit(
    device: Device, inputs: dict[str, Array], error: type[VyreError], message: str
) -> None:
    with pytest.raises(error, match=message):
        executor(DOUBLE, device).run(inputs)


# What goes wrong.


@pytest.mark.slow
def test_traps_tell_the_first_offset(device: Device) -> None:
    check = executor(TRAP, device)
    values = np.zeros(1000, np.uint8)
    assert check.run({"values": values}).outputs == {}
    values[[17, 500]] = 1
    with pytest.raises(TrapError, match=r"^'trap': not zero at offset 17$"):
        check.run({"values": values})


def test_traps_beyond_32_bits_stay_errors(device: Device) -> None:
    far = "%start = arith.constant 4294967295 : index\n %far = arith.addi %i, %start : index\n"
    text = TRAP.replace("i64", "i32").replace("vyre.trap", far + "vyre.trap")
    check = executor(text.replace("at %i", "at %far"), device)
    with pytest.raises(TrapError, match=r"^'trap': not zero at offset 4294967294 or later$"):
        check.run({"values": np.array([1], np.uint8)})


def test_parts_of_workgroups_are_refused(device: Device) -> None:
    with pytest.raises(VyreError, match=r"expected whole workgroups of 64 invocations.* got 65"):
        executor(COOPERATIVE, device).run({"values": numbers(65)})


def test_a_negative_number_of_invocations_is_none(device: Device) -> None:
    text = """vyre.program @p {
      %values = vyre.buffer @values : !vyre.buffer<1xi32, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
      %zero = arith.constant 0 : index
      %count = vyre.load %values[%zero] : !vyre.buffer<1xi32, read_only> -> i32
      %wide = arith.extsi %count : i32 to i64
      %n = arith.index_cast %wide : i64 to index
      vyre.region "write" invocations [%n] {
        %i = vyre.invocation_id x
        %one = arith.constant 1 : i32
        vyre.store %one, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
      }
    }"""
    run = executor(text, device)
    for count in (-1, -255, -(2**31)):
        outputs = run.run({"values": np.array([count], np.int32)}).outputs
        assert not outputs["out"].any()


def test_a_negative_number_of_invocations_that_work_together_is_none(device: Device) -> None:
    less = """%far = arith.constant 1000 : index
      %less = arith.subi %n, %far : index
      vyre.region"""
    text = COOPERATIVE.replace("vyre.region", less).replace("[%n] work", "[%less] work")
    values = numbers(65)
    outputs = executor(text, device).run({"values": values}).outputs
    assert np.array_equal(outputs["values"], values)


def test_negative_sizes_are_refused(device: Device) -> None:
    negative = executor(COUNTED, device)
    with pytest.raises(VyreError, match="buffer 'ids' expected a size of 0 or more, got -3"):
        negative.run({"values": np.array([-3], np.int32)})


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_workgroup_size": 32}, "workgroups of at least 64 invocations, got 32"),
        ({"max_work_item_sizes": (32, 1, 1)}, "workgroups of 64 along x, got 32"),
        ({"local_mem_bytes": 128}, "at least 256 bytes of workgroup memory, got 128"),
    ],
)
def test_programs_that_do_not_fit_are_refused(
    device: Device, limits: dict[str, int], message: str
) -> None:
    small = replace(device, info=replace(device.info, **limits))
    with pytest.raises(DeviceError, match=f"^the program does not fit .*{message}"):
        executor(COOPERATIVE, small)


def test_buffers_that_do_not_fit_are_refused(device: Device) -> None:
    info = replace(device.info, max_alloc_bytes=1000, global_mem_bytes=1000)
    double = executor(DOUBLE, replace(device, info=info))
    with pytest.raises(DeviceError, match=r"does not fit .*: buffer '\w+' needs 1200 bytes"):
        double.run({"values": numbers(300)})


def test_kernels_that_need_more_than_the_device_has(device: Device) -> None:
    program = DOUBLE.replace("i32", "f64").replace("arith.addi", "arith.addf")
    poor = replace(device, info=replace(device.info, extensions=frozenset()))
    with pytest.raises(DeviceError, match=r"does not fit .*: expected extension cl_khr_fp64"):
        Executor(compiled(program), poor)


def test_refused_kernels_show_the_line(device: Device) -> None:
    program = compiled(DOUBLE)
    broken = replace(
        program,
        printed=replace(
            program.printed, text=program.source.replace("doubles[i] =", "no_such[i] =")
        ),
    )
    assert broken.source != program.source
    with pytest.raises(
        BuildError, match=r"cannot build .*no_such.* at line \d+: no_such\[i\] ="
    ) as e:
        Executor(broken, device)
    assert "no_such" in (e.value.detail or "")
    assert "\n" not in str(e.value)


# The cache.


def test_binaries_are_kept(device: Device, tmp_path: Path) -> None:
    cache = KernelCache(tmp_path)
    Executor(compiled(DOUBLE, device), device, cache=cache)
    (kept,) = tmp_path.iterdir()
    before = kept.stat().st_mtime_ns
    run = Executor(compiled(DOUBLE, device), device, cache=cache).run({"values": numbers(5)})
    np.testing.assert_array_equal(run.outputs["doubles"], 2 * numbers(5))
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [before]


def test_binaries_that_the_driver_refuses_are_built_again(device: Device, tmp_path: Path) -> None:
    cache = KernelCache(tmp_path)
    Executor(compiled(DOUBLE, device), device, cache=cache)
    (kept,) = tmp_path.iterdir()
    cache.put(kept.name, b"of another driver")
    run = Executor(compiled(DOUBLE, device), device, cache=cache).run({"values": numbers(5)})
    np.testing.assert_array_equal(run.outputs["doubles"], 2 * numbers(5))
    assert cache.get(kept.name) != b"of another driver"


def test_workgroups_of_the_largest_size(device: Device):
    size = min(1024, device.info.max_workgroup_size)
    text = DOUBLE.replace("@double {", f"@double workgroup_size [{size}] {{")
    compiled = compile_module(parse_module(text, make_context()), device=device.info)
    values = np.arange(size + 1, dtype=np.int32)
    run = Executor(compiled, device).run({"values": values})
    assert run.outputs["doubles"].view(np.int32).tolist() == (2 * values).tolist()
