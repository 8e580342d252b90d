"""Threads compile and run programs of their own at the same time, also on one session."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np
import pytest

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module

DATA = np.arange(1000, dtype=np.uint8)


def text(number: int) -> str:
    read, written = "!vyre.buffer<?xi8, read_only>", "!vyre.buffer<?xi8, read_write>"
    return f"""
vyre.program @p{number} {{
  %e = vyre.buffer @e : {read}
  %d = vyre.buffer @d live_out : {written}
  vyre.decode.xor %e to %d key "\\{number:02X}" : {read}, {written}
}}
"""


def compiles_and_runs(session: Session, number: int, times: int) -> Callable[[], None]:
    def work() -> None:
        for _ in range(times):
            context = make_context()
            module = parse_module(text(number), context)
            compiled = compile_module(module, context=context, device=session.device.info)
            run = Executor(compiled, session).run({"e": DATA})
            assert np.array_equal(run.outputs["d"], DATA ^ number)

    return work


def side_by_side(device: Device, threads: int, times: int) -> None:
    """Let each thread compile and run a program of its own, so many times."""
    session = Session(device)
    works = [compiles_and_runs(session, number, times) for number in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        for each in [pool.submit(work) for work in works]:
            each.result()


@pytest.mark.parametrize(
    ("threads", "times"), [(3, 2), pytest.param(8, 100, marks=pytest.mark.slow)]
)
def test_threads_compile_and_run(device: Device, threads: int, times: int) -> None:
    side_by_side(device, threads, times)


@pytest.mark.slow
def test_pyopencl_writes_code_for_one_kernel_at_a_time(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that write some at once warn that one overwrites the other's."""
    import pyopencl as cl

    set_types: Any = getattr(cl.Kernel, "set_arg_types")  # noqa: B009
    writing, overtaken = Lock(), list[bool]()

    def slow(kernel: cl.Kernel, types: Any) -> None:
        is_first = writing.acquire(blocking=False)
        overtaken.append(not is_first)
        time.sleep(0.2)
        set_types(kernel, types)
        if is_first:
            writing.release()

    monkeypatch.setattr(cl.Kernel, "set_arg_types", slow)
    side_by_side(device, 4, 1)
    assert overtaken == [False] * 4
