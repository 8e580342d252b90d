"""What a program needs of a device, what kernels do to buffers, and how runs become one."""

from dataclasses import replace

import numpy as np
import pytest
from support.devices import small_device

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.runtime.opencl.devices import Requirements
from vyre_dialect.runtime.opencl.launch_facts import requirements
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult, median_run
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    make_context,
    parse_module,
)

PROGRAM = """
vyre.program @p workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<64xTYPE, read_write>
  %out = vyre.buffer @out : !vyre.buffer<64xTYPE, read_write>
  %sums = vyre.buffer @sums : !vyre.buffer<1xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xTYPE, read_write, workgroup>
  %mine = vyre.buffer @mine : !vyre.buffer<9xTYPE, read_write, private>
  vyre.region "a" invocations [16, 2] workgroup_size [16, 2] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %v = vyre.load %in[%i] : !vyre.buffer<64xTYPE, read_write> -> TYPE
    vyre.store %v, %tile[%l] : TYPE, !vyre.buffer<64xTYPE, read_write, workgroup>
    vyre.store %v, %mine[%l] : TYPE, !vyre.buffer<9xTYPE, read_write, private>
  }
  vyre.region "b" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %true = arith.constant true
    scf.if %true {
      %v = vyre.load %in[%i] : !vyre.buffer<64xTYPE, read_write> -> TYPE
      vyre.store %v, %out[%i] : TYPE, !vyre.buffer<64xTYPE, read_write>
      %old = vyre.atomic_rmw addi %one, %sums[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
"""


def compiled(type: str) -> CompiledProgram:
    context = make_context()
    module = parse_module(PROGRAM.replace("TYPE", type), context)
    return compile_module(module, pipeline="vyre-outline-kernels", context=context)


def test_the_largest_kernel_counts() -> None:
    needs = requirements(compiled("i32"))
    assert needs.local_mem_bytes == 64 * 4
    assert needs.private_mem_bytes == 9 * 4 * 16 * 2  # of all that are in flight in "a"
    assert needs.workgroup_size == 64
    assert needs.extensions == frozenset()


@pytest.mark.parametrize(("limit", "fits"), [(None, True), (1152, True), (1151, False)])
def test_private_memory_that_a_driver_does_not_check_has_a_limit(
    limit: int | None, fits: bool
) -> None:
    device = replace(small_device(1024), private_mem_bytes=limit)
    needs = Requirements(private_mem_bytes=1152)
    problem = "expected at least 1152 bytes of private memory for a workgroup, got 1151"
    assert needs.unmet_by(device) == (None if fits else problem)


@pytest.mark.parametrize(("type", "extension"), [("f64", "cl_khr_fp64"), ("f16", "cl_khr_fp16")])
def test_types_need_extensions(type: str, extension: str) -> None:
    assert requirements(compiled(type)).extensions == {extension}


def test_what_kernels_do_to_their_arguments() -> None:
    first, second = compiled("i32").kernels.values()
    assert [each.accesses for each in first.arguments] == [{AccessKind.READ}]
    assert [each.accesses for each in second.arguments] == [
        {AccessKind.READ},
        {AccessKind.WRITE},
        {AccessKind.READ, AccessKind.WRITE},
    ]


def run_of(kernel_ns: int | None, total_ns: int) -> RunResult:
    outputs = {"out": np.array([total_ns])}
    return RunResult("p", "d", (ArmTiming("a", kernel_ns, 10),), outputs, total_ns)


def test_the_median_of_runs() -> None:
    median = median_run([run_of(30, 5), run_of(10, 9), run_of(20, 7)])
    assert median.arms == (ArmTiming("a", 20, 10, (10, 30)),)
    assert (median.total_ns, median.repeats) == (7, 3)
    assert median.outputs["out"].tolist() == [7]


def test_arms_without_times_have_no_median() -> None:
    assert median_run([run_of(None, 5), run_of(None, 9)]).arms == (ArmTiming("a", None, 10),)
