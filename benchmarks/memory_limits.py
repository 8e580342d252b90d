"""What a device can read and copy at best: plain loops over a buffer, a vector at a time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter_ns
from typing import NamedTuple

import numpy as np
import pyopencl as cl

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.session import DeviceArray, Session

GROUPS_PER_UNIT = 16
WORKGROUP = 256
SOURCE = """
__kernel void plain_read(__global const uint4 *in, ulong n, __global uint *out)
{
    __local uint combined;
    if (get_local_id(0) == 0)
        combined = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 own = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        own ^= in[i];
    atomic_xor(&combined, own.s0 ^ own.s1 ^ own.s2 ^ own.s3);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_xor(out, combined);
}

__kernel void plain_copy(__global const uint4 *in, ulong n, __global uint4 *out)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = in[i];
}
"""
CPU_SOURCE = """
__kernel void plain_read(__global const uint16 *in, ulong n, __global uint *out)
{
    ulong each = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong begin = get_global_id(0) * each, end = min(n, begin + each);
    uint16 own = 0;
    for (ulong i = begin; i < end; i++)
        own ^= in[i];
    uint8 half_of_it = own.lo ^ own.hi;
    uint4 quarter = half_of_it.lo ^ half_of_it.hi;
    atomic_xor(out, quarter.s0 ^ quarter.s1 ^ quarter.s2 ^ quarter.s3);
}

__kernel void plain_copy(__global const uint16 *in, ulong n, __global uint16 *out)
{
    ulong each = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong begin = get_global_id(0) * each, end = min(n, begin + each);
    for (ulong i = begin; i < end; i++)
        out[i] = in[i];
}
"""


class Loops(NamedTuple):
    """How a kind of device goes through memory best."""

    source: str
    vector: int
    """Bytes."""
    workgroup: int


ON_GPUS = Loops(SOURCE, 16, WORKGROUP)
"""Neighbours read what lies side by side."""
ON_CPUS = Loops(CPU_SOURCE, 64, 1)
"""Each invocation reads a part from its begin to its end, of which a core has a few."""


class MemoryLimits:
    """The two loops, on the whole vectors of an array."""

    def __init__(self, session: Session, contents: Array):
        info = session.device.info
        self._loops = ON_CPUS if info.kind == "cpu" else ON_GPUS
        self._vectors = contents.nbytes // self._loops.vector
        whole = contents.view(np.uint8)[: self._vectors * self._loops.vector]
        self._expected = int(np.bitwise_xor.reduce(whole.view(np.uint32)))
        self._session = session
        program = build_kernels(session.context, session.device, self._loops.source)
        self._read = cl.Kernel(program, "plain_read")
        self._copy = cl.Kernel(program, "plain_copy")
        self._combined = cl.Buffer(session.context, cl.mem_flags.READ_WRITE, 4)
        self._grid = (info.compute_units * GROUPS_PER_UNIT * self._loops.workgroup,)

    def measure(self, array: DeviceArray) -> dict[str, int]:
        """Ns that each loop takes for the array, which lies on the device; both are checked."""
        copy = self._session.pool.take(array.nbytes, "copy")
        read_ns = self._checked_read(array.buffer.handle)
        copy_ns = self._run(self._copy, array.buffer.handle, copy.handle)
        self._checked_read(copy.handle)
        return {"plain read": read_ns, "plain copy": copy_ns}

    def _checked_read(self, buffer: cl.Buffer) -> int:
        queue, found = self._session.queue, np.zeros(1, np.uint32)
        cl.enqueue_copy(queue, self._combined, found)
        nanoseconds = self._run(self._read, buffer, self._combined)
        cl.enqueue_copy(queue, found, self._combined)
        if int(found[0]) != self._expected:
            raise SystemExit(f"the plain read expected {self._expected:#x}, got {int(found[0]):#x}")
        return nanoseconds

    def _run(self, kernel: cl.Kernel, source: cl.Buffer, to: cl.Buffer) -> int:
        kernel.set_args(source, np.uint64(self._vectors), to)
        queue, workgroup = self._session.queue, (self._loops.workgroup,)
        event = cl.enqueue_nd_range_kernel(queue, kernel, self._grid, workgroup)
        event.wait()
        return int(event.profile.end - event.profile.start)


class HostLimits:
    """What NumPy can read and copy in memory, by as many threads as there are cores for it."""

    def __init__(self, contents: Array):
        words = np.array(contents.view(np.uint8)[: contents.nbytes // 8 * 8].view(np.uint64))
        threads = len(os.sched_getaffinity(0))
        self._parts = np.array_split(words, threads)
        self._copies = np.array_split(np.zeros_like(words), threads)
        self._pool = ThreadPoolExecutor(threads)

    def measure(self) -> dict[str, int]:
        """Ns that each takes for all of the contents."""
        begin = perf_counter_ns()
        list(self._pool.map(np.add.reduce, self._parts))
        middle = perf_counter_ns()
        list(self._pool.map(np.copyto, self._copies, self._parts))
        return {"plain read": middle - begin, "plain copy": perf_counter_ns() - middle}
