"""Every decoder gives Python's answer on every device, also at the tails, and runs clean."""

from __future__ import annotations

from base64 import encodebytes
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
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8

from examples.encodings import (
    as_bytes,
    base64_encoded,
    bits_packed,
    delta_encoded,
    hex_encoded,
    xor_encoded,
)
from vyre_dialect.builder import program
from vyre_dialect.ops.decode import Alphabet
from vyre_dialect.ops.packed import BitUnpackOp, Layout
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module

Array = npt.NDArray[np.integer]
BLOCK = 12
KEY = b"no divisor of 16"[:11]
BITS, BASE = 11, -5


@dataclass(frozen=True)
class Case:
    """A decoder, how to make its input from decoded bytes, and an input that is bad."""

    module: Callable[[], ModuleOp]
    encode: Callable[[bytes], Array]
    result: Callable[[bytes], Array]
    """What the device is to give for decoded bytes."""
    bad: tuple[bytes, int] | None = None
    """A bad input and the offset to be reported."""


def whole_words(data: bytes) -> Array:
    return np.frombuffer(data[: len(data) // 4 * 4], np.int32)


def unpacked(data: bytes) -> Array:
    row, count = int.from_bytes(data, "little"), 8 * len(data) // BITS
    values = [row >> BITS * position & (1 << BITS) - 1 for position in range(count)]
    return np.array(values, np.uint32)


def numbers(data: bytes, bits: int, width: int) -> Array:
    """As many numbers of so many bits as there are bytes, below and above `BASE`."""
    random = np.random.default_rng(len(data))
    drawn = random.integers(0, 1 << bits, len(data), np.uint64, endpoint=False)
    signed = (drawn >> np.uint64(1)).astype(np.int64) ^ -(drawn & np.uint64(1)).astype(np.int64)
    return (signed + BASE).astype(f"u{width // 8}")


def column(bits: int, width: int, layout: Layout, values: int | None, lanes: int) -> Case:
    """Zigzag coded numbers above a base, in whole blocks where they are interleaved."""

    def whole(data: bytes) -> Array:
        given = numbers(data, bits, width)
        count = len(given) // 1024 * 1024 if layout == Layout.INTERLEAVED else len(given)
        # Bits that fill the last byte are numbers, too, if they are few.
        return given[: count - count % 8]

    def encode(data: bytes) -> Array:
        with program("numbers") as p:
            source, result = p.buffer("s", i8), p.buffer("d", IntegerType(width))
            decoder = BitUnpackOp(source, result, bits, layout=layout, base=BASE, zigzag=True)
        return bits_packed(decoder, whole(data))

    def decoder() -> ModuleOp:
        return bit_unpacker(
            bits,
            width=width,
            layout=layout,
            base=BASE,
            zigzag=True,
            values=values,
            lanes=lanes,
        )

    return Case(decoder, encode, whole)


CASES = {
    "base64": Case(
        base64_decoder,
        lambda data: base64_encoded(as_bytes(data)),
        as_bytes,
        (b"QUJD" * 50 + b"QU-D" + b"\xff" * 4, 202),
    ),
    "base64-url-unpadded": Case(
        lambda: base64_decoder(Alphabet.URL, unpadded=True),
        lambda data: base64_encoded(as_bytes(data), url=True, unpadded=True),
        as_bytes,
        (b"QUJD" * 50 + b"Q", 201),
    ),
    "base64-wrapped": Case(
        lambda: base64_decoder(skip_whitespace=True),
        lambda data: as_bytes(encodebytes(data)),
        as_bytes,
        (b"QUJD\n" * 50 + b"QU-D\n" + b"\xff" * 4, 202),
    ),
    "hex-wrapped": Case(
        lambda: hex_decoder(skip_whitespace=True),
        lambda data: as_bytes(data.hex(" ", 7).encode()),
        as_bytes,
        (b" 0a\tF" * 33, 99),
    ),
    "hex": Case(hex_decoder, lambda data: hex_encoded(as_bytes(data)), as_bytes, (b"0aF" * 33, 99)),
    "xor": Case(lambda: xor_decoder(KEY), lambda data: xor_encoded(as_bytes(data), KEY), as_bytes),
    "xor-constant": Case(
        lambda: xor_decoder(b"\x55\xaa"),
        lambda data: xor_encoded(as_bytes(data), b"\x55\xaa"),
        as_bytes,
    ),
    **{
        f"base64-{lanes}-lanes": Case(
            lambda lanes=lanes: base64_decoder(lanes=lanes),
            lambda data: base64_encoded(as_bytes(data)),
            as_bytes,
            (b"QUJD" * 150 + b"QU-D" + b"\xff" * 4, 602),
        )
        for lanes in (4, 8, 16)
    },
    "base64-wrapped-16-lanes": Case(
        lambda: base64_decoder(skip_whitespace=True, lanes=16),
        lambda data: as_bytes(encodebytes(data)),
        as_bytes,
        (b"QUJD\n" * 150 + b"QU-D\n" + b"\xff" * 4, 602),
    ),
    **{
        f"hex-{lanes}-lanes": Case(
            lambda lanes=lanes: hex_decoder(lanes=lanes),
            lambda data: hex_encoded(as_bytes(data)),
            as_bytes,
            (b"0aF" * 99, 297),
        )
        for lanes in (8, 16)
    },
    **{
        f"xor-{lanes}-lanes": Case(
            lambda lanes=lanes: xor_decoder(KEY, lanes=lanes),
            lambda data: xor_encoded(as_bytes(data), KEY),
            as_bytes,
        )
        for lanes in (8, 16)
    },
    "delta": Case(
        lambda: delta_decoder(BLOCK, i8),
        lambda data: delta_encoded(whole_words(data), BLOCK).view(np.uint8),
        lambda data: whole_words(data).view(np.uint32),
        (b"abcde", 5),
    ),
    **{
        f"delta-{lanes}-lanes": Case(
            lambda lanes=lanes: delta_decoder(3 * lanes, i8, lanes=lanes),
            lambda data, lanes=lanes: delta_encoded(whole_words(data), 3 * lanes).view(np.uint8),
            lambda data: whole_words(data).view(np.uint32),
            (b"abcde", 5),
        )
        for lanes in (8, 16)
    },
    "bitunpack": Case(lambda: bit_unpacker(BITS), as_bytes, unpacked),
    **{
        f"bitunpack-{bits}-of-{width}-{layout}-{values}-{lanes}": column(
            bits, width, layout, values, lanes
        )
        for bits, width, layout, values, lanes in (
            (7, 8, Layout.SEQUENTIAL, 4, 4),
            (9, 16, Layout.SEQUENTIAL, 8, 8),
            (12, 32, Layout.SEQUENTIAL, 4, 4),
            (19, 32, Layout.SEQUENTIAL, 32, 16),
            (47, 64, Layout.SEQUENTIAL, 4, 16),
            (63, 64, Layout.SEQUENTIAL, 32, 4),
            (3, 8, Layout.INTERLEAVED, None, 16),
            (11, 16, Layout.INTERLEAVED, None, 1),
            (24, 32, Layout.INTERLEAVED, None, 4),
            (41, 64, Layout.INTERLEAVED, None, 8),
        )
    },
}
SIZES = [0, 1, 2, 3, 11, 12, 13, 100, 767, 768, 769, 5000]


@pytest.fixture(params=CASES, name="case")
def _case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def check(case: Case, executor: Executor, size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    result = executor.run({"encoded": case.encode(data)}).outputs["decoded"]
    expected = case.result(data)
    assert result.view(expected.dtype).tolist() == expected.tolist()


def check_report(case: Case, executor: Executor) -> None:
    if case.bad is None:
        return
    encoded, offset = case.bad
    with pytest.raises(VyreError, match=rf" at offset {offset}$"):
        executor.run({"encoded": as_bytes(encoded)})


@pytest.mark.one_in(21)
def test_decodes_every_tail_and_reports_bad_input(device: Device, case: Case):
    executor = Executor(compile_module(case.module()), device)
    for size in SIZES:
        check(case, executor, size)
    check_report(case, executor)


@pytest.mark.one_in(30)
def test_runs_clean(oclgrind: Callable[..., CheckedRun], case: Case):
    run = oclgrind()
    compiled = compile_module(case.module())
    executor = Executor(compiled, run.session)
    for size in (1, 100, 1025):
        check(case, executor, size)
    check_report(case, executor)
