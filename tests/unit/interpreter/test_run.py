"""Whole programs: what goes in, what comes out, host code, and the outlined form."""

from collections.abc import Callable

import numpy as np
import pytest
from support.interpreting import Array, int_array, outputs, parse
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.interpreter import UnsupportedError, interpret

DOUBLE = """
    vyre.program @double {
      %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
      %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
      vyre.region "double" invocations [%n] {
        %i = vyre.invocation_id x
        %v = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
        %sum = arith.addi %v, %v : i32
        vyre.store %sum, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
      }
    }"""


def test_inputs_are_not_modified():
    values = int_array(1, 2, -3)
    assert outputs(DOUBLE, {"values": values})["values"].tolist() == [2, 4, -6]
    assert values.tolist() == [1, 2, -3]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("batch", [1, 64, 1 << 14])
def test_sizes_of_every_kind(count: int, batch: int):
    values = np.arange(count, dtype=np.int32)
    doubled = outputs(DOUBLE, {"values": values}, batch=batch)["values"]
    assert doubled.tolist() == (2 * values).tolist()


def test_bytes_are_an_input_too():
    result = interpret(parse(DOUBLE), {"values": bytes([1, 0, 0, 0, 2, 0, 0, 0])})
    assert result.outputs["values"].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "expected an input for buffer 'values'"),
        ({"values": np.zeros(6, np.uint8)}, "'values' expected a multiple of 4 bytes"),
        ({"value": int_array(1)}, "unknown input 'value' of 'double': did you mean 'values'"),
    ],
)
def test_inputs_that_do_not_fit(inputs: dict[str, Array], message: str):
    with pytest.raises(VyreError, match=message):
        outputs(DOUBLE, inputs)


def test_what_a_program_may_make_itself_is_told_how_to_be_declared():
    copy = """
    vyre.program @copy {
      %from = vyre.buffer @from : !vyre.buffer<?xi8, read_only>
      %to = vyre.buffer @to live_out : !vyre.buffer<?xi8, read_write>
    }
    """
    with pytest.raises(VyreError, match=r"buffer 'from', got none$"):
        outputs(copy, {"to": np.zeros(6, np.uint8)})
    expected = r"buffer 'to', got none; where the program makes it: '@to\[%n\] initial undefined'$"
    with pytest.raises(VyreError, match=expected):
        outputs(copy, {"from": np.zeros(6, np.uint8)})


TWO_PROGRAMS = "vyre.program @a {\n} vyre.program @b {\n}"


def test_a_module_of_several_programs_needs_a_name():
    interpret(parse(TWO_PROGRAMS), {}, program="b")
    with pytest.raises(UsageError, match="got 'a', 'b'"):
        interpret(parse(TWO_PROGRAMS), {})
    with pytest.raises(UsageError, match="unknown program 'c': the module has 'a', 'b'"):
        interpret(parse(TWO_PROGRAMS), {}, program="c")


CONTENTS = """
    vyre.program @p {
      %table = vyre.buffer @table contents dense<[1, -2, 3]> : tensor<3xi16>
        : !vyre.buffer<3xi16, read_only>
      %filled = vyre.buffer @filled fill 7 : i16 : !vyre.buffer<2xi16, read_write>
      %zero = vyre.buffer @zero : !vyre.buffer<2xf32, read_write>
      %undefined = vyre.buffer @undefined initial undefined : !vyre.buffer<1xi32, read_write>
      %part = vyre.buffer @part live_out output_range [2, 5] : !vyre.buffer<2xi32, read_write>
    }"""


def test_initial_contents():
    result = interpret(parse(CONTENTS), {"part": int_array(0x04030201, 0x08070605)})
    assert result.buffers["table"].tolist() == [1, -2, 3]
    assert result.buffers["filled"].tolist() == [7, 7]
    assert result.buffers["zero"].dtype == np.float32
    assert result.buffers["zero"].tolist() == [0, 0]
    assert result.buffers["undefined"].view(np.uint32).tolist() == [0xCDCDCDCD]
    assert list(result.outputs) == ["part"]
    assert result.outputs["part"].tolist() == [3, 4, 5]


HOST = """
    vyre.program @p {
      %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
      %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
      %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %far = arith.constant -1 : index
      vyre.region "count" invocations [%n] {
        %i = vyre.invocation_id x
        %zero = arith.constant 0 : index
        %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
        %word = arith.extui %byte : i8 to i32
        %old = vyre.atomic_rmw addi %word, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
      }
      %total = vyre.load %count[%c0] : !vyre.buffer<1xi32, read_write> -> i32
      %outside = vyre.load %count[%far] : !vyre.buffer<1xi32, read_write> -> i32
      %sum = arith.addi %total, %outside : i32
      %size = arith.index_cast %sum : i32 to index
      %large = arith.cmpi sgt, %size, %c2 : index
      %chosen = scf.if %large -> (index) {
        %half = arith.floordivsi %size, %c2 : index
        scf.yield %half : index
      } else {
        scf.yield %size : index
      }
      %out = vyre.buffer @out[%chosen] live_out fill 1 : i8 : !vyre.buffer<?xi8, read_write>
      vyre.region "double" invocations [%chosen] {
        %i = vyre.invocation_id x
        %v = vyre.load %out[%i] : !vyre.buffer<?xi8, read_write> -> i8
        %d = arith.addi %v, %v : i8
        vyre.store %d, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
      }
    }"""


@pytest.mark.parametrize(("total", "size"), [(0, 0), (2, 2), (10, 5), (11, 5)])
def test_the_host_computes_sizes_and_counts_from_what_arms_wrote(total: int, size: int):
    data = np.array([total // 2, total - total // 2], np.uint8)
    assert outputs(HOST, {"in": data})["out"].tolist() == [2] * size


def test_an_input_of_another_size_than_the_program_computes_is_an_error():
    with pytest.raises(VyreError, match="input 'out' expected 5 elements of i8, got 4"):
        outputs(HOST, {"in": np.array([10], np.uint8), "out": np.zeros(4, np.uint8)})


def test_a_negative_size_is_an_error():
    text = HOST.replace("sgt, %size, %c2", "sgt, %c2, %size").replace(
        "%half = arith.floordivsi %size, %c2", "%half = arith.subi %size, %c2"
    )
    with pytest.raises(VyreError, match="buffer 'out' expected a size of 0 or more, got -1"):
        outputs(text, {"in": np.array([1], np.uint8)})


def test_a_size_beyond_those_that_are_reckoned_with_is_an_error():
    """Ranges of counts, by which accesses are proven, end at 2^48."""
    text = HOST.replace("floordivsi %size, %c2", "shli %size, %far2").replace(
        "%c2 = arith", "%far2 = arith.constant 47 : index\n%c2 = arith", 1
    )
    with pytest.raises(VyreError, match="buffer 'out' expected at most 281474976710656 elements"):
        outputs(text, {"in": np.array([3], np.uint8)})


COOPERATIVE = """
    vyre.program @p {
      %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
      %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
      %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
      %own = vyre.buffer @own : !vyre.buffer<1xi32, read_write, private>
      %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
      vyre.region "reverse" invocations [%n] workgroup_size [8] {
        %i = vyre.invocation_id x
        %local = vyre.local_id x
        %c0 = arith.constant 0 : index
        %c7 = arith.constant 7 : index
        %v = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
        vyre.store %v, %tile[%local] : i32, !vyre.buffer<8xi32, read_write, workgroup>
        vyre.barrier
        %other = arith.subi %c7, %local : index
        %w = vyre.load %tile[%other] : !vyre.buffer<8xi32, read_write, workgroup> -> i32
        vyre.store %w, %own[%c0] : i32, !vyre.buffer<1xi32, read_write, private>
        %again = vyre.load %own[%c0] : !vyre.buffer<1xi32, read_write, private> -> i32
        vyre.store %again, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
      }
    }"""


def outlined(text: str) -> ModuleOp:
    module = parse(text).clone()
    OutlineKernelsPass().apply(Context(), module)
    module.verify()
    assert any(op.name == "vyre.kernel" for op in module.ops)
    return module


@pytest.mark.parametrize("batch", [1, 8, 1000])
@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        (DOUBLE, "values", np.arange(100, dtype=np.int32)),
        (COOPERATIVE, "in", np.arange(96, dtype=np.int32)),
        (HOST, "in", np.arange(9, dtype=np.uint8)),
    ],
    ids=["double", "cooperative", "host"],
)
def test_kernels_compute_what_their_arms_do(text: str, name: str, values: Array, batch: int):
    arms = interpret(parse(text), {name: values}, batch_invocations=batch)
    kernels = interpret(outlined(text), {name: values}, batch_invocations=batch)
    assert arms.buffers.keys() == kernels.buffers.keys()
    for buffer, contents in arms.buffers.items():
        assert contents.tobytes() == kernels.buffers[buffer].tobytes()


@pytest.mark.parametrize("form", [parse, outlined])
def test_a_part_of_a_workgroup_is_an_error(form: Callable[[str], ModuleOp]):
    message = "expected whole workgroups of 8 invocations, got 20 invocations"
    with pytest.raises(VyreError, match=message):
        interpret(form(COOPERATIVE), {"in": np.zeros(20, np.int32)})


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("%c = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>", "'complex.constant'"),
    ],
)
def test_what_has_no_meaning_is_named(op: str, message: str):
    text = f'vyre.program @p {{\n vyre.region "g" invocations [1] {{\n {op}\n }}\n }}'
    with pytest.raises(UnsupportedError, match=message):
        outputs(text)
