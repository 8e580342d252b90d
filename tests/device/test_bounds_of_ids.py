"""Conditions on ids hold for any number on their other side, also where a difference would wrap."""

from __future__ import annotations

from operator import ge, gt, le, lt

import numpy as np
import pytest

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

KERNEL = """
vyre.program @marked {{
  %bounds = vyre.buffer @bounds : !vyre.buffer<1xi64, read_only>
  %marks = vyre.buffer @marks live_out : !vyre.buffer<1024xi32, read_write>
  %zero = arith.constant 0 : index
  %given = vyre.load %bounds[%zero] : !vyre.buffer<1xi64, read_only> -> i64
  %bound = arith.index_cast %given : i64 to index
  vyre.launch @mark[16](%marks, %bound) : (!vyre.buffer<1024xi32, read_write>, index)
}}
vyre.kernel @mark(%marks : !vyre.buffer<1024xi32, read_write>, %bound : index)
    workgroup_size [64, 1, 1] generator "mark" {{
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %offset = arith.constant {offset} : index
  %place = arith.addi %i, %offset : index
  %holds = arith.cmpi {predicate}, %place, %bound : index
  scf.if %holds {{
    vyre.store %one, %marks[%i] : i32, !vyre.buffer<1024xi32, read_write>
  }}
}}
"""
SIGNED = {"slt": lt, "sle": le, "sgt": gt, "sge": ge}
PREDICATES = SIGNED | {"ult": lt, "ule": le, "ugt": gt, "uge": ge}
EDGES = (-(2**63), -(2**63) + 32, -(2**62), -1, 0, 70, 2**62, 2**63 - 33, 2**63 - 1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("offset", [0, 7, -7, 2**63 - 100])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_whatever_the_bound(device: Device, predicate: str, offset: int) -> None:
    text = KERNEL.format(predicate=predicate, offset=offset)
    module = parse_module(text, make_context())
    of_sign = np.int64 if predicate in SIGNED else np.uint64
    places = (np.arange(1024, dtype=np.uint64) + np.uint64(offset % 2**64)).view(of_sign)
    for bound in EDGES:
        given = np.array([bound], dtype=np.int64)
        expected = PREDICATES[predicate](places, given.view(of_sign)[0])
        found = run_module(module, {"bounds": given}, device=device).outputs["marks"]
        np.testing.assert_array_equal(found.view(np.int32), expected, str(bound))
