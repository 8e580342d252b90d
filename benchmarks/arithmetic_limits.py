"""What a device can compute at best: sums and bits of registers, in independent chains."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.session import Session

CHAINS = 8
STEPS = 4096
OPS = 2
"""In a step of a chain."""
LANE_BITS = 32
GROUPS_PER_UNIT = 32
GROUPS_PER_CORE = 256
"""So many that PoCL's and Intel's threads all take some: with 32, one thread did all at times."""
WARM_UP, RUNS = 2, 7
SOURCE = """
__kernel void plain_arithmetic(uint a, __global uint *out)
{{
    {type} {chains};
    for (int k = 0; k < {steps}; k++) {{
        {body}
    }}
    {type} all = {combined};
    if (all{first} == a)
        out[0] = 1;
}}
"""


def data_bits_per_ns(session: Session) -> float:
    """Bits of results that arithmetic of all units has in a ns, in the fastest of some runs."""
    is_cpu = session.device.info.kind == "cpu"
    lanes, workgroup = (16, 1) if is_cpu else (1, 256)
    groups = GROUPS_PER_CORE if is_cpu else GROUPS_PER_UNIT
    kernel = cl.Kernel(
        build_kernels(session.context, session.device, _source(lanes)), "plain_arithmetic"
    )
    out = cl.Buffer(session.context, cl.mem_flags.READ_WRITE, 4)
    kernel.set_args(np.uint32(0x9E3779B9), out)
    invocations = session.device.info.compute_units * groups * workgroup
    times = list[int]()
    for _ in range(WARM_UP + RUNS):
        event = cl.enqueue_nd_range_kernel(session.queue, kernel, (invocations,), (workgroup,))
        event.wait()
        times.append(event.profile.end - event.profile.start)
    ops = invocations * STEPS * CHAINS * OPS
    return ops * lanes * LANE_BITS / min(times[WARM_UP:])


def _source(lanes: int) -> str:
    type = "uint" if lanes == 1 else f"uint{lanes}"
    chains = [f"x{n}" for n in range(CHAINS)]
    return SOURCE.format(
        type=type,
        chains=", ".join(f"{x} = (uint)get_global_id(0) + {n}u" for n, x in enumerate(chains)),
        steps=STEPS,
        body="\n        ".join(f"{x} = ({x} ^ a) + (uint)k;" for x in chains),
        combined=" ^ ".join(chains),
        first="" if lanes == 1 else ".s0",
    )
