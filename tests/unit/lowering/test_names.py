"""Identifiers are valid, unique, and hide nothing that a kernel uses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i32

from vyre_dialect.builder import program
from vyre_dialect.lowering.opencl.names import Names, comment, identifier, is_function_name
from vyre_dialect.runtime.program.compilation import apply_pipeline, emit_opencl, make_context


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("count", "count"),
        ("a.b-c", "a_b_c"),
        ("0", "v0"),
        ("int", "int_"),
        ("uint4", "uint4_"),
        ("min", "min_"),
        ("__x", "v___x"),
        ("vyre_load_u8", "v_vyre_load_u8"),
        ("length", "length"),
        ("größe", "gr_e"),
        ("INT_MAX", "v_INT_MAX"),
        ("NVIDIA_SOMETHING", "v_NVIDIA_SOMETHING"),
        ("N", "v_N"),
        ("Max", "Max"),
        ("_Bool", "v__Bool"),
        ("_", "v"),
        ("some_t", "some_t_"),
        ("float4x4", "float4x4_"),
    ],
)
def test_identifiers_are_close_to_the_wish(wish: str, name: str):
    assert identifier(wish) == name


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("p_0_size_t", True),
        ("as_text", True),
        ("int4", False),
        ("int", False),
        ("MAX", False),
        ("_p", False),
        ("2p", False),
        ("vyre_load", False),
        ("größe", False),
        ("no-name", False),
    ],
)
def test_kernels_are_called_what_a_function_may_be(name: str, may: bool):
    assert is_function_name(name) is may


def test_each_name_is_given_out_once():
    names = Names()
    assert [names.fresh(wish) for wish in ("x", "x", "x_1", "x")] == ["x", "x_1", "x_1_1", "x_2"]


@given(st.lists(st.text(min_size=1)))
def test_all_names_are_identifiers_and_differ(wishes: list[str]):
    names = Names()
    given_out = [names.fresh(wish) for wish in wishes]
    assert len(set(given_out)) == len(given_out)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in given_out)
    assert not any(name.startswith("_") for name in given_out)
    assert all(re.search("[a-z]", name) for name in given_out)


@pytest.mark.parametrize("name", ["_p", "__OPENCL_VERSION__", "INT", "MAX", "2", "vyre_x", "as_x"])
def test_a_program_may_be_called_anything(name: str):
    with program(name) as p:
        out = p.buffer(name, i32, 16, live_out=True)
        with p.arm("MAX", 16) as i:
            out[i] = 1
    apply_pipeline(p.module, "vyre-outline-kernels", make_context())
    (kernel,) = emit_opencl(p.module).kernels
    assert re.fullmatch(r"[a-z]\w*", kernel.name)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("decode base64", "// decode base64"),
        ("two\nlines\r\n", "// two lines"),
        ("ends in \\", "// ends in /"),
        ("ends in \\ ", "// ends in /"),
        ("what??/", "// what?? /"),
        ("what???/", "// what??? /"),
        ("what??\\", "// what?? /"),
    ],
)
def test_comments_end_with_their_line(text: str, line: str):
    assert comment(text) == line


@given(st.text(alphabet="?/\\\n\r\v a"))
def test_no_comment_continues_on_the_next_line(text: str):
    line = comment(text)
    assert line.startswith("// ") and len(line.splitlines()) == 1
    assert "\\" not in line.replace("??/", "\\")


def test_what_a_program_says_cannot_continue_a_comment():
    """Neither its generator nor its message takes the line below into the comment."""
    with program("p") as p:
        errors = p.buffer("errors", i32, 1, fill=-1)
        with p.arm("odd??/", 64) as i:
            errors.trap("what \\", i)
    context = make_context()
    apply_pipeline(p.module, "vyre-outline-kernels", context)
    lines = emit_opencl(p.module).text.splitlines()
    comments = [line.partition("//")[2] for line in lines if "//" in line]
    assert " odd?? /" in comments and " what /" in comments
    assert not any(line.endswith(("\\", "??/")) for line in lines)
