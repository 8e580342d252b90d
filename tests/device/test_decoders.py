"""Every decoder gives Python's answer on every device, also at the tails, and runs clean."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from support.decodes import (
    base64_decoder,
    bit_unpacker,
    delta_decoder,
    hex_decoder,
    xor_decoder,
)
from support.oclgrind import CheckedRun
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.ops.decode import Alphabet
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

Array = npt.NDArray[np.integer]
BLOCK = 12
KEY = b"no divisor of 16"[:11]
BITS = 11


@dataclass(frozen=True)
class Case:
    """A decoder, how to make its input from decoded bytes, and an input that is bad."""

    module: Callable[[], ModuleOp]
    encode: Callable[[bytes], bytes]
    result: Callable[[bytes], Array]
    """What the device is to give for decoded bytes."""
    bad: tuple[bytes, int] | None = None
    """A bad input and the offset to be reported."""


def as_bytes(data: bytes) -> Array:
    return np.frombuffer(data, np.uint8)


def swapped(data: bytes) -> bytes:
    key = np.resize(as_bytes(KEY), len(data))
    return (as_bytes(data) ^ key).tobytes()


def delta_coded(data: bytes) -> bytes:
    values = np.frombuffer(whole_words(data), np.int32)
    differences = np.diff(values, prepend=np.int32(0)).astype(np.int32)
    words = (differences << 1) ^ (differences >> 31)
    words[::BLOCK] = values[::BLOCK]
    return words.tobytes()


def whole_words(data: bytes) -> bytes:
    return data[: len(data) // 4 * 4]


def unpacked(data: bytes) -> Array:
    row, count = int.from_bytes(data, "little"), 8 * len(data) // BITS
    values = [row >> BITS * position & (1 << BITS) - 1 for position in range(count)]
    return np.array(values, np.uint32)


CASES = {
    "base64": Case(
        base64_decoder, base64.b64encode, as_bytes, (b"QUJD" * 50 + b"QU-D" + b"\xff" * 4, 202)
    ),
    "base64-url-unpadded": Case(
        lambda: base64_decoder(Alphabet.URL, unpadded=True),
        lambda data: base64.urlsafe_b64encode(data).rstrip(b"="),
        as_bytes,
        (b"QUJD" * 50 + b"Q", 201),
    ),
    "hex": Case(hex_decoder, lambda data: data.hex().encode(), as_bytes, (b"0aF" * 33, 99)),
    "xor": Case(lambda: xor_decoder(KEY), swapped, as_bytes),
    "xor-constant": Case(
        lambda: xor_decoder(b"\x55\xaa"),
        lambda data: bytes(byte ^ (0x55, 0xAA)[k % 2] for k, byte in enumerate(data)),
        as_bytes,
    ),
    "delta": Case(
        lambda: delta_decoder(BLOCK, i8),
        delta_coded,
        lambda data: np.frombuffer(whole_words(data), np.uint32),
        (b"abcde", 5),
    ),
    "bitunpack": Case(lambda: bit_unpacker(BITS), lambda data: data, unpacked),
}
SIZES = [0, 1, 2, 3, 11, 12, 13, 100, 767, 768, 769, 5000]


@pytest.fixture(params=CASES, name="case")
def _case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def check(case: Case, executor: Executor, size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    result = executor.run({"encoded": as_bytes(case.encode(data))}).outputs["decoded"]
    expected = case.result(data)
    assert result.view(expected.dtype).tolist() == expected.tolist()


def check_report(case: Case, executor: Executor) -> None:
    if case.bad is None:
        return
    encoded, offset = case.bad
    with pytest.raises(VyreError, match=rf" at offset {offset}$"):
        executor.run({"encoded": as_bytes(encoded)})


def test_decodes_every_tail_and_reports_bad_input(device: Device, case: Case):
    executor = Executor(compile_module(case.module()), device)
    for size in SIZES:
        check(case, executor, size)
    check_report(case, executor)


def test_runs_clean(oclgrind: Callable[..., CheckedRun], case: Case):
    run = oclgrind()
    compiled = compile_module(case.module())
    executor = Executor(compiled, run.session)
    for size in (1, 100):
        check(case, executor, size)
    check_report(case, executor)
