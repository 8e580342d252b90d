"""Which iterations are of the interior, whatever the bounds of a loop are."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf

from vyre_dialect.passes.loop.splitting.marks import INTERIOR, TAIL
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    load_module,
    make_context,
    parse_module,
)

CONTEXT = make_context()
EXAMPLES = Path(__file__).parents[3] / "examples"
SPLIT = "vyre-split-index-sets"
PEEL = f"{SPLIT},licm,vyre-prove-accesses,{SPLIT}{{loops=true}}"
SLIDING = (
    "vyre-decode-scan-fuse{local_memory=global steps=64},vyre-unroll{limit=128},"
    "vyre-coarsen{groups=32 order=blocked workgroup=1}"
)
# What is carried depends on the order of the iterations, and on what each has read.
PROGRAM = """
vyre.program @p {{
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi8, read_write>
  vyre.region "p" invocations [1] {{
    %begin = arith.constant {begin} : index
    %end = arith.constant {end} : index
    %step = arith.constant {step} : index
    %factor = arith.constant {factor} : index
    %offset = arith.constant {offset} : index
    %c0 = arith.constant 0 : index
    %odd = arith.constant dense<2654435761> : vector<2xi32>
    %zero = arith.constant dense<1> : vector<2xi32>
    %sum = scf.for %k = %begin to %end step %step iter_args(%carried = %zero) -> (vector<2xi32>) {{
      %scaled = arith.muli %k, %factor : index
      %at = arith.addi %scaled, %offset : index
      %a = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> vector<2xi32>
      %hashed = arith.muli %carried, %odd : vector<2xi32>
      %next = arith.addi %hashed, %a : vector<2xi32>
      scf.yield %next : vector<2xi32>
    }}
    vyre.store %sum, %out[%c0] : vector<2xi32>, !vyre.buffer<8xi8, read_write>
  }}
}}
"""


@given(
    begin=st.integers(-3, 20),
    end=st.integers(-3, 20),
    step=st.integers(1, 5),
    factor=st.integers(1, 12),
    offset=st.integers(0, 9),
    length=st.integers(0, 260),
)
def test_every_iteration_runs_once_and_in_order(
    begin: int, end: int, step: int, factor: int, offset: int, length: int
):
    text = PROGRAM.format(begin=begin, end=end, step=step, factor=factor, offset=offset)
    plain, peeled = (parse_module(text, CONTEXT) for _ in range(2))
    apply_pipeline(peeled, PEEL, CONTEXT)
    peeled.verify()
    data = {"in": np.arange(1, length + 1, dtype=np.uint8)}
    expected, got = (Interpreter(each).run(data).outputs["out"] for each in (plain, peeled))
    np.testing.assert_array_equal(got, expected)


LOADED = """
vyre.program @p {
  %par = vyre.buffer @par : !vyre.buffer<2xi64, read_only>
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi8, read_write>
  vyre.region "p" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c100 = arith.constant 100 : index
    %loaded = vyre.load %par[%c0] : !vyre.buffer<2xi64, read_only> -> i64
    %there = vyre.load %par[%c1] : !vyre.buffer<2xi64, read_only> -> i64
    %any = arith.index_cast %loaded : i64 to index
    %begin = arith.maxsi %any, %c0 : index
    %far = arith.index_cast %there : i64 to index
    %least = arith.maxsi %far, %c0 : index
    %offset = arith.shrsi %least, %c1 : index
    %one = arith.constant dense<1> : vector<2xi32>
    %sum = scf.for %k = %begin to %c100 step %c3 iter_args(%carried = %one) -> (vector<2xi32>) {
      %at = arith.addi %k, %offset : index
      %a = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> vector<2xi32>
      %next = arith.addi %carried, %a : vector<2xi32>
      scf.yield %next : vector<2xi32>
    }
    vyre.store %sum, %out[%c0] : vector<2xi32>, !vyre.buffer<8xi8, read_write>
  }
}
"""
EDGES = st.integers(-(2**63), 2**63 - 1) | st.sampled_from((-(2**63), -1, 0, 10, 2**63 - 1))


@given(begin=EDGES, offset=EDGES | st.integers(0, 40), length=st.integers(0, 120))
def test_nothing_wraps_around_on_the_way_to_where_a_loop_is_cut(
    begin: int, offset: int, length: int
):
    plain, peeled = (parse_module(LOADED, CONTEXT) for _ in range(2))
    apply_pipeline(peeled, PEEL, CONTEXT)
    data = {
        "par": np.array([begin, offset], np.int64),
        "in": np.arange(1, length + 1, dtype=np.uint8),
    }
    expected, got = (Interpreter(each).run(data).outputs["out"] for each in (plain, peeled))
    np.testing.assert_array_equal(got, expected)


def test_where_the_loop_begins_inside_it_falls_apart():
    module = parse_module(PROGRAM.format(begin=0, end=9, step=2, factor=8, offset=1), CONTEXT)
    apply_pipeline(module, PEEL, CONTEXT)
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert [(INTERIOR in op.attributes, TAIL in op.attributes) for op in loops] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("others", ["", ",vyre-pipeline-loops"])
def test_a_schedule_makes_use_of_the_test_before_it_splits_loops(others: str) -> None:
    options = f"{SLIDING},{SPLIT}{{loops=true}}{others}"
    module = load_module(EXAMPLES / "xor_literal.mlir", CONTEXT)
    report = OptimizePass(options=options).run(CONTEXT, module).report
    changing = [run.name for run in report.runs if run.changed]
    first, last = changing.index(SPLIT), len(changing) - 1 - changing[::-1].index(SPLIT)
    assert "vyre-prove-accesses" in changing[first:last]
    assert "vyre-pipeline-loops" not in changing[:last]
