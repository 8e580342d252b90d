"""Threads compile and run programs of their own at the same time, also on one session."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

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


@pytest.mark.parametrize(
    ("threads", "times"), [(3, 2), pytest.param(8, 100, marks=pytest.mark.slow)]
)
def test_threads_compile_and_run(device: Device, threads: int, times: int) -> None:
    session = Session(device)
    works = [compiles_and_runs(session, number, times) for number in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        for each in [pool.submit(work) for work in works]:
            each.result()
