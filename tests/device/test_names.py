"""Values and buffers may be called what compilers define, or keep for themselves."""

import numpy as np
import pytest

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module

NAMES = """
INT_MAX INT_MIN CHAR_BIT SCHAR_MAX UCHAR_MAX LONG_MAX ULONG_MAX SHRT_MIN USHRT_MAX UINT_MAX
M_PI M_PI_F M_E M_SQRT2_H M_LN2 FLT_MAX FLT_EPSILON FLT_RADIX DBL_MIN DBL_DIG HALF_MAX HALF_DIG
NAN INFINITY HUGE_VAL HUGE_VALF MAXFLOAT NULL CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE
CL_VERSION_1_2 CL_VERSION_2_0 FP_CONTRACT FP_ILOGB0 ATOMIC_VAR_INIT ATOMIC_FLAG_INIT
__OPENCL_VERSION__ __OPENCL_C_VERSION__ __ENDIAN_LITTLE__ __FILE__ __LINE__ __func__ __global
__kernel __attribute__ __builtin_memcpy __LONG_MAX__ __SIZEOF_INT__ _Bool _Complex _Static_assert
_x __x x__ _ N
half kernel global local constant private generic pipe uniform bool true false complex imaginary
uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image2d_t queue_t
image2d_array_t memory_order memory_scope atomic_int float4 double16 bool2 half8 quad2 float2x2
read_only write_only read_write vec_step vector asm typeof inline restrict register goto
get_global_id barrier min max abs select clamp dot fma popcount as_int convert_int vload4
cl_khr_fp64 unix linux i386 main defined likely
""".split()


SIZE = 24
BATCHES = [NAMES[start : start + SIZE] for start in range(0, len(NAMES), SIZE)]
TYPE = "!vyre.buffer<16xi32, read_write>"


def run(device: Device, *lines: str) -> RunResult:
    text = "\n".join(["vyre.program @p {", *lines, "  }", "}", ""])
    context = make_context()
    compiled = compile_module(parse_module(text, context), context=context)
    return Executor(compiled, device).run({})


@pytest.mark.one_in(6)
@pytest.mark.parametrize("names", BATCHES, ids=lambda names: names[0])
def test_whatever_buffers_are_called_a_program_runs(device: Device, names: list[str]) -> None:
    outputs = run(
        device,
        *(f"  %{name} = vyre.buffer @{name} live_out : {TYPE}" for name in names),
        '  vyre.region "r" invocations [16] {',
        "    %i = vyre.invocation_id x",
        "    %v = arith.index_cast %i : index to i32",
        *(f"    vyre.store %v, %{name}[%i] : i32, {TYPE}" for name in names),
    ).outputs
    assert list(outputs) == names
    assert all(np.array_equal(each, np.arange(16)) for each in outputs.values())


@pytest.mark.one_in(6)
@pytest.mark.parametrize("names", BATCHES, ids=lambda names: names[0])
def test_whatever_values_are_called_a_program_runs(device: Device, names: list[str]) -> None:
    sums = [
        f"    %s.{number + 1} = arith.addi %s.{number}, %{name} : i32\n"
        f"    vyre.store %{name}, %out[%i] : i32, {TYPE}"
        for number, name in enumerate(names)
    ]
    outputs = run(
        device,
        f"  %in = vyre.buffer @in fill 3 : i32 : {TYPE}",
        f"  %out = vyre.buffer @out live_out : {TYPE}",
        '  vyre.region "r" invocations [16] {',
        "    %i = vyre.invocation_id x",
        "    %s.0 = arith.constant 0 : i32",
        *(f"    %{name} = vyre.load %in[%i] : {TYPE} -> i32" for name in names),
        *sums,
        f"    vyre.store %s.{len(names)}, %out[%i] : i32, {TYPE}",
    ).outputs
    assert np.array_equal(outputs["out"], np.full(16, 3 * len(names)))
