"""Barriers under a condition that the whole workgroup agrees on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

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


HISTOGRAM_AND_MORE = """
vyre.program @two workgroup_size [256] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>,
        !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.histogram %decoded bins %bins
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
  vyre.scan.literal "ab" in %decoded count %count
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
"""


def test_what_follows_a_conditional_barrier_takes_nothing_away(device: Device):
    context = make_context()
    module = parse_module(HISTOGRAM_AND_MORE, context)
    pipeline = f"vyre-expand,vyre-decode-scan-fuse{{strategy=workgroup}},{KERNEL_PASSES}"
    inputs = {"encoded": np.frombuffer(b"616261", np.uint8)}
    run = run_module(module, inputs, device=device, pipeline=pipeline, context=context)
    assert {int(byte): int(run.outputs["bins"][byte]) for byte in b"ab"} == {97: 2, 98: 1}
    assert run.outputs["count"].tolist() == [1]
