"""What `vyre-pipeline-loops` makes of loops means the same, however often they run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.optimized_examples import OptimizedExample
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.loop.pipeline_loops import PIPELINED
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, parse_module

CONTEXT = make_context()
# What is counted, carried and stored depends on the order of the iterations, and on the
# counter of each.
PROGRAM = """
vyre.program @p {{
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %last = vyre.buffer @last : !vyre.buffer<1xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  vyre.region "p" invocations [1] {{
    %c0 = arith.constant 0 : index
    %begin = arith.constant {begin} : index
    {end}
    %step = arith.constant {step} : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %odd = arith.constant 2654435761 : i32
    %low = arith.constant 7 : i32
    %key = arith.constant dense<[3, 5]> : vector<2xi32>
    scf.for %cell = %c0 to %c8 step %c1 {{
      vyre.store %zero, %bins[%cell] : i32, !vyre.buffer<8xi32, read_write, private>
    }}
    %sum = scf.for %k = %begin to %end step %step iter_args(%carried = %odd) -> (i32) {{
      %loaded = vyre.load %in[%k] : !vyre.buffer<?xi32, read_only> -> vector<2xi32>
      %decoded = arith.xori %loaded, %key : vector<2xi32>
      %first = vector.extract %decoded[0] : i32 from vector<2xi32>
      %bad = arith.cmpi eq, %first, %low : i32
      scf.if %bad {{
        vyre.store %first, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
      }}
      %masked = arith.andi %first, %low : i32
      %bin = arith.index_cast %masked : i32 to index
      %before = vyre.load %bins[%bin] : !vyre.buffer<8xi32, read_write, private> -> i32
      %second = vector.extract %decoded[1] : i32 from vector<2xi32>
      %hashed = arith.muli %before, %odd : i32
      %after = arith.addi %hashed, %second : i32
      vyre.store %after, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write, private>
      %number = arith.index_cast %k : index to i32
      %product = arith.muli %carried, %odd : i32
      %more = arith.addi %product, %number : i32
      %next = arith.xori %more, %after : i32
      scf.yield %next : i32
    }}
    vyre.store %sum, %out[%c0] : i32, !vyre.buffer<64xi32, read_write>
    scf.for %cell = %c0 to %c8 step %c1 {{
      %held = vyre.load %bins[%cell] : !vyre.buffer<8xi32, read_write, private> -> i32
      %place = arith.addi %cell, %c8 : index
      vyre.store %held, %out[%place] : i32, !vyre.buffer<64xi32, read_write>
    }}
  }}
}}
"""
LOADED = """%word = vyre.load %last[%c0] : !vyre.buffer<1xi32, read_only> -> i32
    %end = arith.index_cast %word : i32 to index"""
"""An end that is known when the program runs: of few iterations, too."""


@pytest.mark.slow
@given(
    begin=st.integers(-3, 20),
    end=st.integers(-3, 60),
    step=st.integers(1, 5),
    data=st.lists(st.integers(0, 20), max_size=70),
)
def test_iterations_update_in_order_whatever_is_computed_ahead(
    begin: int, end: int, step: int, data: list[int]
):
    text = PROGRAM.format(begin=begin, end=LOADED, step=step)
    plain, pipelined = (parse_module(text, CONTEXT) for _ in range(2))
    apply_pipeline(pipelined, "vyre-pipeline-loops", CONTEXT)
    pipelined.verify()
    assert _pipelined(pipelined) == 1
    inputs = {"in": np.array(data, np.int32), "last": np.array([end], np.int32)}
    expected, got = (Interpreter(each).run(inputs).outputs["out"] for each in (plain, pipelined))
    np.testing.assert_array_equal(got, expected)


def test_near_the_largest_number_a_loop_stays_as_it_is():
    end = f"%end = arith.constant {2**63 - 1} : index"
    text = PROGRAM.format(begin=2**63 - 19, end=end, step=2)
    module = parse_module(text, CONTEXT)
    apply_pipeline(module, "vyre-pipeline-loops", CONTEXT)
    assert _pipelined(module) == 0


@pytest.mark.slow
def test_the_standard_schedule_pipelines_a_fused_histogram():
    module = OptimizedExample("hex_histogram", "cpu").module
    assert _pipelined(module) > 0
    random = np.random.default_rng(0)
    for length in (0, 1, 64, 5000, 40000):
        data = random.bytes(length)
        inputs = {"encoded": np.frombuffer(data.hex().encode(), np.uint8)}
        bins = Interpreter(module).run(inputs).outputs["bins"]
        np.testing.assert_array_equal(bins, np.bincount(list(data), minlength=256))


def _pipelined(module: ModuleOp) -> int:
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    return sum(PIPELINED in op.attributes for op in loops)
