"""Barriers under a condition that the whole workgroup agrees on."""

from __future__ import annotations

import subprocess
import sys

from vyre_dialect.runtime.opencl.devices import Device

KERNEL = """
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void k(__global const uchar *in, __global uint *out)
{
    long tile = get_group_id(0), lane = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile < 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long k = lane; k < 12; k += 4) {
            long i = tile * 12 + k;
            if (i < 11) {
                uint r;
                if (i % 2 == 0) {
                    r = 1u;
                } else {
                    uint c = 1u;
                    for (long j = 0; j < 2; j++)
                        c = c * 31u + in[(i + j) & 3];
                    r = c;
                }
                out[i] = r;
            }
        }
    }
}
"""
RUN = """
import sys
import numpy as np
from vyre_dialect.runtime.opencl.devices import create_context_and_queue, list_devices

(device,) = (found for found in list_devices() if found.info.label == sys.argv[1])
context, queue = create_context_and_queue(device)
import pyopencl as cl
kernel = cl.Kernel(cl.Program(context, sys.argv[2]).build(), "k")
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
values, out = np.arange(1, 5, dtype=np.uint8), np.zeros(12, np.uint32)
buffers = [cl.Buffer(context, flags, hostbuf=array) for array in (values, out)]
cl.enqueue_nd_range_kernel(queue, kernel.set_args(*buffers) or kernel, (8,), (4,))
cl.enqueue_copy(queue, out, buffers[1])
print(*out)
"""
TIMEOUT = 120
"""Seconds after which the kernel counts as one that never ends."""


def expected() -> list[int]:
    values = [1, 2, 3, 4]
    chained = [(31 + values[i & 3]) * 31 + values[(i + 1) & 3] for i in range(11)]
    return [1 if i % 2 == 0 else chained[i] for i in range(11)] + [0]


def test_a_barrier_under_a_uniform_condition_ends(device: Device):
    command = [sys.executable, "-c", RUN, device.info.label, KERNEL]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT)
    assert [int(number) for number in output.stdout.split()] == expected()
