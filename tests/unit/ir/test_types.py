"""Sizes of elements, runs of elements that an access covers, and workgroup limits."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import (
    Builtin,
    ComplexType,
    Float32Type,
    IndexType,
    IntegerType,
    NoneType,
    TensorType,
    VectorType,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.types import (
    DYNAMIC,
    Access,
    BufferType,
    MemorySpace,
    accessed_elements,
    element_bytes,
    lane_count,
    scalar_type,
    three_axes,
    verify_subgroup_size,
    verify_workgroup_size,
)


def parse_type(text: str) -> Attribute:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Vyre)
    return Parser(context, text).parse_type()


@pytest.mark.parametrize(
    ("size", "types"),
    [
        (1, ["i1", "i4", "i8", "ui8", "f8E4M3FN", "f8E5M2", "f4E2M1FN"]),
        (2, ["i9", "i16", "f16", "bf16"]),
        (3, ["i24", "vector<3xi8>"]),
        (4, ["i32", "f32", "vector<2x2xi8>", "vector<4xi1>", "complex<f16>"]),
        (8, ["i64", "f64", "vector<2xi32>", "complex<f32>"]),
        (16, ["vector<4xi32>", "i128", "complex<f64>"]),
    ],
)
def test_elements_of_a_fixed_size(size: int, types: list[str]):
    assert {text: element_bytes(parse_type(text)) for text in types} == dict.fromkeys(types, size)


@pytest.mark.parametrize(
    "type",
    [
        IndexType(),
        NoneType(),
        TensorType(i32, [4]),
        VectorType(IndexType(), [4]),
        parse_type("vector<[4]xi32>"),
        BufferType(4, i8),
    ],
    ids=str,
)
def test_elements_without_a_fixed_size(type: Attribute):
    assert element_bytes(type) is None
    assert BufferType(4, type).static_bytes is None


def test_size_of_a_buffer():
    assert BufferType(5, VectorType(i8, [3])).static_bytes == 15
    assert BufferType(DYNAMIC, i8).static_bytes is None
    assert BufferType(DYNAMIC, i8).static_count is None


@pytest.mark.parametrize(
    ("access", "readable", "writable"),
    [
        (Access.READ_ONLY, True, False),
        (Access.WRITE_ONLY, False, True),
        (Access.READ_WRITE, True, True),
        (Access.UNIFORM, True, False),
    ],
)
def test_what_an_access_mode_allows(access: Access, readable: bool, writable: bool):
    type = BufferType(4, i8, access)
    assert (type.readable, type.writable) == (readable, writable)


@pytest.mark.parametrize(
    "type",
    [
        BufferType(4096, i8, Access.READ_ONLY),
        BufferType(DYNAMIC, f32, Access.WRITE_ONLY),
        BufferType(1, VectorType(i32, [4]), Access.READ_WRITE, MemorySpace.WORKGROUP),
        BufferType(1, BufferType(2, i1), Access.UNIFORM, MemorySpace.PRIVATE),
    ],
    ids=str,
)
def test_buffer_types_parse_as_they_print(type: BufferType):
    assert parse_type(str(type)) == type


@pytest.mark.parametrize("count", [0, -1, -4096])
def test_counts_that_are_not_positive(count: int):
    with pytest.raises(VerifyException, match=f"positive element count or '\\?', got {count}"):
        BufferType(count, i8)


def test_an_attribute_is_no_element_type():
    with pytest.raises(VerifyException, match="expected an element type, got 4 : i32"):
        BufferType(4, parse_attribute("4 : i32"))


def parse_attribute(text: str) -> Attribute:
    context = Context()
    context.load_dialect(Builtin)
    return Parser(context, text).parse_attribute()


def test_an_unknown_access_mode_names_those_there_are():
    with pytest.raises(ParseError, match="`read_only`, `write_only`, `read_write`, or `uniform`"):
        parse_type("!vyre.buffer<4xi8, append>")


@pytest.mark.parametrize(
    ("element", "value", "elements"),
    [
        (i8, i8, 1),
        (i8, i16, 2),
        (i8, i64, 8),
        (i8, VectorType(i32, [4]), 16),
        (i8, f32, 4),
        (i32, f32, 1),
        (i32, VectorType(i8, [4]), 1),
        (i32, VectorType(i8, [8]), 2),
        (VectorType(i8, [4]), i64, 2),
        (IntegerType(24), VectorType(i8, [6]), 2),
        (i1, i1, 1),
        (VectorType(i1, [4]), VectorType(i1, [4]), 1),
        (ComplexType(Float32Type()), ComplexType(Float32Type()), 1),
    ],
    ids=str,
)
def test_runs_of_whole_elements(element: Attribute, value: Attribute, elements: int):
    assert accessed_elements(BufferType(64, element), value) == elements


@pytest.mark.parametrize(
    ("element", "value"),
    [
        (i32, i8),
        (i32, VectorType(i16, [3])),
        (i64, f32),
        (i8, IntegerType(12)),
        (i8, i1),
        (i1, i8),
        (i1, VectorType(i1, [4])),
        (i8, IndexType()),
        (IndexType(), IndexType()),
        (IndexType(), i64),
        (i8, ComplexType(Float32Type())),
    ],
    ids=str,
)
def test_values_that_cover_no_whole_elements(element: Attribute, value: Attribute):
    assert accessed_elements(BufferType(64, element), value) is None


def test_lanes():
    assert (lane_count(i32), scalar_type(i32)) == (1, i32)
    assert (lane_count(VectorType(i32, [4])), scalar_type(VectorType(i32, [4]))) == (4, i32)
    assert lane_count(VectorType(f16, [2, 3])) == 6


def test_axes_are_padded_with_ones():
    assert three_axes([7]) == (7, 1, 1)
    assert three_axes([7, 5]) == (7, 5, 1)
    assert three_axes([7, 5, 3]) == (7, 5, 3)


@pytest.mark.parametrize("sizes", [[1], [1024], [1, 1024], [16, 1, 64], [32, 32], [8, 8, 16]])
def test_workgroups_within_the_limits(sizes: list[int]):
    verify_workgroup_size("op", sizes)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "1 to 3 axes, got 0"),
        ([1, 1, 1, 1], "1 to 3 axes, got 4"),
        ([0], "1 to 1024 along x, got 0"),
        ([1, -1], "1 to 1024 along y, got -1"),
        ([1025], "1 to 1024 along x, got 1025"),
        ([1, 1, 65], "1 to 64 along z, got 65"),
        ([1024, 2], "at most 1024 invocations in a workgroup, got 2048"),
    ],
)
def test_workgroups_beyond_the_limits(sizes: list[int], message: str):
    with pytest.raises(VerifyException, match=f"^'op' expected .*{message}$"):
        verify_workgroup_size("op", sizes)


@pytest.mark.parametrize(("lanes", "workgroup"), [(1, [7]), (32, [64]), (8, [4, 2]), (64, [64])])
def test_subgroups_that_fill_a_workgroup(lanes: int, workgroup: list[int]):
    verify_subgroup_size("op", lanes, workgroup)


@pytest.mark.parametrize(
    ("lanes", "workgroup", "message"),
    [
        (0, [64], "power of two as subgroup size, got 0"),
        (-8, [64], "power of two as subgroup size, got -8"),
        (24, [48], "power of two as subgroup size, got 24"),
        (32, [48], "whole subgroups of 32 invocations in a workgroup, got 48 invocations"),
        (128, [64], "whole subgroups of 128 invocations in a workgroup, got 64 invocations"),
    ],
)
def test_subgroups_that_do_not_fill_a_workgroup(lanes: int, workgroup: list[int], message: str):
    with pytest.raises(VerifyException, match=f"^'op' expected .*{message}$"):
        verify_subgroup_size("op", lanes, workgroup)
