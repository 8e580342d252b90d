"""`vyre.scan.histogram` counts what `numpy.bincount` counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scans import as_bytes, expanded, histogram_scan, outputs, result_buffer
from xdsl.dialects.builtin import IntegerType, i8, i32, i64

from vyre_dialect.builder import Program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.scan import HistogramOp


def expected(text: bytes) -> list[int]:
    return np.bincount(as_bytes(text), minlength=256).tolist()


@given(st.binary(max_size=300), st.sampled_from([i32, i64]))
def test_counts_every_byte(text: bytes, type: IntegerType):
    assert outputs(histogram_scan(type), text=as_bytes(text))["bins"].tolist() == expected(text)


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 20000])
@pytest.mark.parametrize("value", [0, 255])
def test_one_byte_value_and_every_tail(size: int, value: int):
    text = bytes([value]) * size
    assert outputs(histogram_scan(), text=as_bytes(text))["bins"].tolist() == expected(text)


@pytest.mark.parametrize("workgroup", [32, 64, 128, 512])
@pytest.mark.parametrize("copies", [1, 4, 16])
def test_every_size_of_a_workgroup(workgroup: int, copies: int):
    text = bytes(range(256)) * 70
    for size in (0, 31, 32 * workgroup, 17000):
        module = histogram_scan(workgroup=workgroup, copies=copies)
        bins = outputs(module, text=as_bytes(text[:size]))["bins"]
        assert bins.tolist() == expected(text[:size])


def test_static_size():
    text = bytes(range(200)) * 50
    assert outputs(histogram_scan(size=10000), text=as_bytes(text))["bins"].tolist() == expected(
        text
    )


def test_adds_to_what_the_host_supplies():
    bins = np.arange(256, dtype=np.int32)
    results = outputs(histogram_scan(), text=as_bytes(b"\x03\x03"), bins=bins)
    bins[3] += 2
    assert results["bins"].tolist() == bins.tolist()


def test_reads_a_buffer_that_may_be_written():
    def build(p: Program) -> None:
        text = p.buffer("text", i8, access=Access.READ_WRITE)
        HistogramOp(text.ssa, result_buffer(p, "bins", i32, 256).ssa)

    results = outputs(expanded(build), text=as_bytes(b"hello"))
    assert results["bins"].tolist() == expected(b"hello")


@pytest.mark.parametrize("size", [0, 31, 32, 33])
def test_counted_at_bins_what_is_read_past_the_end_is_taken_back(size: int):
    text = bytes([0, 1, 2, 255] * 9)[:size]
    bins = outputs(histogram_scan(counting="bins"), text=as_bytes(text))["bins"]
    assert bins.tolist() == expected(text)
