"""Sums that are kept in few bits for a while mean the same, however large their terms are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fusion import require_equal
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, parse_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

CONTEXT = make_context()
LANES = 16
PROGRAM = """
vyre.program @sums workgroup_size [1] {
  %in = vyre.buffer @in : !vyre.buffer<?xNARROW, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xWIDE, read_write>
  vyre.region "sums" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %n = arith.constant TURNS : index
    %zeros = arith.constant dense<0> : vector<16xWIDE>
    %weights = arith.constant dense<WEIGHT> : vector<16xWIDE>
    %low = arith.constant dense<MASK> : vector<16xNARROW>
    %total = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (vector<16xWIDE>) {
      %at = arith.muli %k, %c16 : index
      %loaded = vyre.load %in[%at] : !vyre.buffer<?xNARROW, read_only> -> vector<16xNARROW>
      %few = arith.andi %loaded, %low : vector<16xNARROW>
      %is = vyre.compare_lanes ugt %loaded, %low : vector<16xNARROW> -> vector<16xi1>
      %one = vyre.convert_lanes extui %few : vector<16xNARROW> to vector<16xWIDE>
      %chosen = vyre.select_lanes %is, %one, %weights : vector<16xi1>, vector<16xWIDE>
      %both = arith.addi %one, %chosen : vector<16xWIDE>
      %next = arith.addi %sum, %both : vector<16xWIDE>
      scf.yield %next : vector<16xWIDE>
    }
    vyre.store %total, %out[%c0] : vector<16xWIDE>, !vyre.buffer<16xWIDE, read_write>
  }
}
"""


@dataclass(frozen=True)
class Case:
    """What is summed up, how often, and of what size."""

    narrow: str
    wide: str
    turns: int
    mask: int
    weight: int

    @property
    def module(self) -> ModuleOp:
        """The program."""
        text = PROGRAM.replace("NARROW", self.narrow).replace("WIDE", self.wide)
        for name, number in (("TURNS", self.turns), ("MASK", self.mask), ("WEIGHT", self.weight)):
            text = text.replace(name, str(number))
        return parse_module(text, CONTEXT)

    def inputs(self, seed: int) -> dict[str, np.ndarray]:
        """Elements most of which have all bits."""
        rng = np.random.default_rng(seed)
        type = np.dtype(f"u{self.narrow.replace('i8', 'int8').replace('i16', 'int16')}")
        elements = rng.integers(0, np.iinfo(type).max, self.turns * LANES, type, endpoint=True)
        return {"in": np.where(rng.random(elements.size) < 0.8, np.iinfo(type).max, elements)}


CASES = st.builds(
    Case,
    st.sampled_from(["i8", "i16"]),
    st.sampled_from(["i32", "i64"]),
    st.sampled_from([0, 1, 15, 16, 17, 63, 64, 127, 128, 129, 254, 255, 256, 300, 1100]),
    st.sampled_from([1, 3, 7, 15, 127, 255]),
    st.sampled_from([0, 1, 2, 7, 255, 256, 40000]),
)


def narrowed(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    apply_pipeline(copy, "vyre-narrow-sums", CONTEXT)
    copy.verify()
    return copy


@given(CASES, st.integers(0, 1000))
def test_sums_are_the_same(case: Case, seed: int) -> None:
    module, inputs = case.module, case.inputs(seed)
    got = interpret(narrowed(module), inputs).outputs
    require_equal(got, interpret(module, inputs).outputs)


@pytest.mark.parametrize(
    ("case", "width"),
    [
        (Case("i8", "i32", 300, 1, 1), 8),
        (Case("i8", "i32", 300, 7, 7), 8),
        (Case("i8", "i32", 300, 255, 255), 16),
        (Case("i8", "i64", 300, 15, 40000), 32),
        (Case("i16", "i64", 300, 1, 1), 16),
        (Case("i16", "i32", 300, 255, 40000), None),
        (Case("i8", "i32", 15, 1, 1), None),
    ],
)
def test_as_many_bits_as_hold_the_sum(case: Case, width: int | None) -> None:
    text = str(narrowed(case.module))
    kept = [each for each in (8, 16, 32) if f"-> (vector<16xi{each}>)" in text]
    wide = int(case.wide.removeprefix("i"))
    assert [each for each in kept if each < wide] == ([] if width is None else [width])


@pytest.mark.device
def test_devices_agree(device: Device) -> None:
    for case in (Case("i8", "i32", 600, 7, 7), Case("i8", "i64", 600, 255, 255)):
        module, inputs = case.module, case.inputs(1)
        expected = interpret(module, inputs).outputs
        got = run_module(narrowed(module), inputs, device=device, pipeline=UNFUSED).outputs
        require_equal(got, expected)
