"""Groups that do several items along every axis do each of them once, whatever the extents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from support.tiers import crossed

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
# Extents are those of inputs; how often each place is done, and the sum of all places.
PROGRAM = """
vyre.program @volume workgroup_size [{workgroup}] {{
  %w = vyre.buffer @w : !vyre.buffer<?xi8, read_only>
  %h = vyre.buffer @h : !vyre.buffer<?xi8, read_only>
  %d = vyre.buffer @d : !vyre.buffer<?xi8, read_only>
  %width = vyre.buf_len %w : !vyre.buffer<?xi8, read_only>
  %height = vyre.buf_len %h : !vyre.buffer<?xi8, read_only>
  %depth = vyre.buf_len %d : !vyre.buffer<?xi8, read_only>
  %times = vyre.buffer @times live_out : !vyre.buffer<512xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.region "count" invocations [{domain}] {{
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %z = {z}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %row = arith.muli %y, %width : index
    %area = arith.muli %width, %height : index
    %plane = arith.muli %z, %area : index
    %in_plane = arith.addi %row, %x : index
    %place = arith.addi %plane, %in_plane : index
    %once = vyre.atomic_rmw addi %c1, %times[%place] : i32, !vyre.buffer<512xi32, read_write>
    %word = arith.index_cast %place : index to i64
    %added = vyre.atomic_rmw addi %word, %sum[%c0] : i64, !vyre.buffer<1xi64, read_write>
  }}
}}
"""
THREE = {"domain": "%width, %height, %depth", "z": "vyre.invocation_id z"}
TWO = {"domain": "%width, %height", "z": "arith.constant 0 : index"}
EXTENTS = [(0, 3, 2), (5, 0, 2), (1, 1, 1), (7, 5, 3), (3, 40, 1), (40, 3, 2), (2, 2, 60)]
FORMS = [
    f"vyre-coarsen{{groups={groups} order={order}}}"
    for groups, order in product((1, 2, 5, 64), ("strided", "blocked"))
]
REST = "vyre-privatize-reductions{scope=invocation},vyre-outline-kernels,canonicalize,vyre-cse"


def run(
    pipeline: str,
    form: dict[str, str],
    workgroup: str,
    extents: tuple[int, ...],
    device: Device | str,
) -> dict[str, Array]:
    module = parse_module(PROGRAM.format(**form, workgroup=workgroup), CONTEXT)
    inputs = dict(zip("whd", (np.zeros(each, np.uint8) for each in extents), strict=True))
    return run_module(
        module, inputs, device=device, pipeline=f"{pipeline},{REST}", context=CONTEXT
    ).outputs


def check(outputs: dict[str, Array], count: int) -> None:
    assert np.array_equal(outputs["times"], np.arange(512) < count)
    assert outputs["sum"].tolist() == [count * (count - 1) // 2]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("pipeline", "workgroup"), crossed(FORMS, ["4", "2, 3", "1, 2, 2"]))
def test_each_item_of_every_axis_is_done_once(pipeline: str, workgroup: str) -> None:
    for width, height, depth in EXTENTS:
        extents = (width, height, depth)
        check(run(pipeline, THREE, workgroup, extents, REFERENCE_DEVICE), width * height * depth)
        check(run(pipeline, TWO, workgroup, extents, REFERENCE_DEVICE), width * height)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("pipeline", FORMS)
def test_devices_do_each_item_once(device: Device, pipeline: str) -> None:
    for form, depth in ((THREE, 3), (TWO, 1)):
        check(run(pipeline, form, "2, 3", (7, 5, 3), device), 7 * 5 * depth)
