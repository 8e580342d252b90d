"""Scratch buffers share an arena on a device, from run to run."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.builder import program
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.arena import NO_SUB_BUFFERS
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.pipelines import UNFUSED
from vyre_dialect.types import Access, Initial

HANDOFFS = 7


def chain(count: int | None) -> ModuleOp:
    """Arms that each hand a buffer on to the next: two of the handoffs are alive at once."""
    with program("chain") as p:
        source = p.buffer("source", i8, count, access=Access.READ_ONLY)
        n = source.length
        before = source
        for k in range(HANDOFFS):
            after = p.buffer(f"h{k}", i8, n if count is None else count, initial=Initial.UNDEFINED)
            with p.arm(f"arm{k}", n) as i:
                after[i] = before[i] + (k + 1)
            before = after
        out = p.buffer("out", i8, n if count is None else count, live_out=True)
        with p.arm("last", n) as i:
            out[i] = before[i]
    return p.module


def executor(module: ModuleOp, device: Device | Session) -> Executor:
    info = device.device.info if isinstance(device, Session) else device.info
    compiled = compile_module(module, pipeline=UNFUSED, device=info)
    return Executor(compiled, device, poison_scratch=True)


@pytest.mark.parametrize("count", [4096, None])
def test_a_chain_of_handoffs_takes_the_memory_of_two(device: Device, count: int | None) -> None:
    source = np.arange(4096, dtype=np.uint8)
    run = executor(chain(count), device).run({"source": source})
    expected = source + np.uint8(sum(range(1, HANDOFFS + 1)) % 256)
    assert np.array_equal(run.outputs["out"].view(np.uint8), expected)
    assert run.scratch is not None
    assert run.scratch.apart >= HANDOFFS * 4096
    if device.info.platform not in NO_SUB_BUFFERS:
        assert run.scratch.peak <= 3 * 4096
        assert run.scratch.apart >= 2.5 * run.scratch.peak


def test_runs_after_the_first_allocate_nothing(device: Device) -> None:
    session = Session(device)
    chained = executor(chain(None), session)
    for size in (4096, 4096):
        chained.run({"source": np.zeros(size, np.uint8)})
    allocated = session.pool.allocations
    for _ in range(5):
        chained.run({"source": np.zeros(4096, np.uint8)})
    assert session.pool.allocations == allocated


def test_runs_in_flight_share_no_live_memory(device: Device) -> None:
    chained = executor(chain(None), device)
    sources = [np.full(4096, k, np.uint8) for k in range(6)]
    flights = [chained.start({"source": source}) for source in sources]
    offset = sum(range(1, HANDOFFS + 1))
    for k, flight in enumerate(flights):
        assert (flight.result().outputs["out"].view(np.uint8) == k + offset).all()


def test_a_mark_that_is_no_longer_true_is_an_error(device: Device) -> None:
    text = """
    vyre.program @stale {
      %a = vyre.buffer @a non_escaping : !vyre.buffer<4xi32, read_write>
      %c0 = arith.constant 0 : index
      vyre.region "one" invocations [4] {
      }
      %x = vyre.load %a[%c0] : !vyre.buffer<4xi32, read_write> -> i32
    }
    """
    context = make_context()
    compiled = compile_module(
        parse_module(text, context), pipeline="vyre-outline-kernels", context=context
    )
    with pytest.raises(VyreError, match="'a' is marked 'non_escaping', but escapes: host_read"):
        Executor(compiled, device)
